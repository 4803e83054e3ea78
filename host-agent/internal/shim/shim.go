// SPDX-License-Identifier: Apache-2.0

// Package shim loads the BPF programs that stand between a host's endpoints and its uplink, and
// gives typed access to what they share with the agent.
package shim

import (
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Sizes of bpf/state.h.
const (
	MaxEndpoints = 1024
	groupSlots   = 16
	neighbours   = groupSlots - 1
	maxAddresses = 8
	maxThrough   = 8
)

// Residual is the group of residual traffic, which belongs to no pair.
const Residual = groupSlots - 2

const _ = uint(Residual - model.MaxGroups - 1) // the groups of congested ports are before it

// Shim is the loaded programs with their maps. Its methods are for one goroutine, except that
// another one may do the attaching and detaching: the kernel takes tens of milliseconds for each.
type Shim struct {
	objects   bpfObjects
	state     *mapped.Array[bpfShim]
	endpoints *mapped.Array[bpfEndpoint]
	groups    *mapped.Array[bpfGroup]
	pairs     *mapped.Array[bpfPair]
	attached  map[int][]pinned // by ifindex, or systemPrograms

	placeCache *mapped.Array[uint64]

	pairSlots slots

	connections     *mapped.Array[bpfConnection]
	connectionSlots slots

	quotas *quotas
	// sizesEpoch is the last one in which flows' sizes were reported.
	sizesEpoch uint64
	flowTable  *ebpf.MapSpec // an endpoint's
	// pooled: programs and maps are a Pool's, and outlive it.
	pooled bool
}

// Load loads programs and maps into the kernel; nothing is attached yet. through are the devices
// towards the network, at most MaxThrough. Without system there are no programs for the host's own endpoint:
// they take the verifier as long as an endpoint's.
func Load(through []int, controlProtocol int, system bool) (*Shim, error) {
	if len(through) > maxThrough {
		return nil, fmt.Errorf("%d devices towards the network, at most %d", len(through), maxThrough)
	}
	var objects bpfObjects
	spec, err := loadBpf()
	if err == nil && system {
		err = spec.LoadAndAssign(&objects, nil)
	} else if err == nil {
		var some struct {
			bpfMaps
			FromVm   *ebpf.Program `ebpf:"from_vm"`
			ToVm     *ebpf.Program `ebpf:"to_vm"`
			UplinkIn *ebpf.Program `ebpf:"uplink_in"`
		}
		err = spec.LoadAndAssign(&some, nil)
		objects.bpfMaps = some.bpfMaps
		objects.bpfPrograms = bpfPrograms{FromVm: some.FromVm, ToVm: some.ToVm, UplinkIn: some.UplinkIn}
	}
	if err != nil {
		return nil, fmt.Errorf("load BPF programs: %w", explain(err))
	}
	s, err := newShim(objects, spec.Maps["flow_tables"].InnerMap, through, controlProtocol)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.pairSlots.fill(), s.connectionSlots.fill()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newShim takes over objects whose maps are empty, but for the slots that are free.
func newShim(objects bpfObjects, flowTable *ebpf.MapSpec, through []int, controlProtocol int) (*Shim, error) {
	s := &Shim{objects: objects, flowTable: flowTable, attached: map[int][]pinned{}}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	state := s.state.At(0)
	for i, ifindex := range through {
		state.Through[i] = uint32(ifindex)
	}
	state.ThroughCount = uint32(len(through))
	state.OpenClass = htb.OpenClass
	state.ClassBase = htb.Handle
	state.ControlProtocol = uint32(controlProtocol)
	s.agentsChanged() // pairs begin at 0
	return s, nil
}

func (s *Shim) open() error {
	var err error
	if s.state, err = mapped.Open[bpfShim](s.objects.Shims); err != nil {
		return err
	}
	if s.endpoints, err = mapped.Open[bpfEndpoint](s.objects.Endpoints); err != nil {
		return err
	}
	if s.placeCache, err = mapped.Open[uint64](s.objects.PlaceCache); err != nil {
		return err
	}
	if s.groups, err = mapped.Open[bpfGroup](s.objects.Groups); err != nil {
		return err
	}
	if s.pairs, err = mapped.Open[bpfPair](s.objects.Pairs); err != nil {
		return err
	}
	if s.connections, err = mapped.Open[bpfConnection](s.objects.Connections); err != nil {
		return err
	}
	s.quotas = newQuotas(s)
	s.pairSlots = slots{
		entry: "pair", count: s.pairs.Len(), free: s.objects.FreeSlots, index: s.objects.PairSlots,
		used: func(slot int) *uint32 { return &s.pairs.At(slot).Used }, holder: s.holderOfPair, quotas: s.quotas,
		retired: map[int]retirement{},
	}
	s.connectionSlots = slots{
		entry: "connection", count: s.connections.Len(), free: s.objects.FreeConnections, index: s.objects.ConnectionSlots,
		used: func(slot int) *uint32 { return &s.connections.At(slot).Used }, holder: s.holderOfConnection, quotas: s.quotas,
		retired: map[int]retirement{},
	}
	return nil
}

// explain adds the verifier's last lines, which are why it refused.
func explain(err error) error {
	var verifier *ebpf.VerifierError
	if errors.As(err, &verifier) {
		return fmt.Errorf("%+v", verifier)
	}
	return err
}

// Close gives up the maps and programs; what is pinned stays attached.
func (s *Shim) Close() error {
	for ifindex := range s.attached {
		s.forget(ifindex)
	}
	if s.pooled {
		return s.unmap()
	}
	return errors.Join(s.unmap(), s.objects.Close())
}

func (s *Shim) unmap() error {
	return errors.Join(
		s.state.Close(), s.endpoints.Close(), s.placeCache.Close(),
		s.groups.Close(), s.pairs.Close(), s.connections.Close(),
	)
}

// RenewLease declares that the shim's limits are kept up to date until that instant of CLOCK_MONOTONIC.
func (s *Shim) RenewLease(untilNanos int64) {
	atomic.StoreUint64(&s.state.At(0).LeaseUntilNanos, uint64(untilNanos))
}

// SetAfterLease decides what happens once the lease is over: limits and filters hold as they are, or the shim
// steps aside.
func (s *Shim) SetAfterLease(hold bool) {
	var value uint32 // AFTER_LEASE_OPEN
	if hold {
		value = 1 // AFTER_LEASE_HOLD
	}
	atomic.StoreUint32(&s.state.At(0).AfterLease, value)
}

// SetEnforcing turns limits and ECN rules on or off; counting goes on.
func (s *Shim) SetEnforcing(on bool) {
	var value uint32
	if on {
		value = 1
	}
	atomic.StoreUint32(&s.state.At(0).Enforcing, value)
}

// SetSparse sets what counts as sparse in a group.
func (s *Shim) SetSparse(endpoint, group int, sparse htb.Sparse) {
	g := s.groups.At(endpoint*groupSlots + group)
	atomic.StoreUint64(&g.SparseBytesPerSecond, sparse.BytesPerSecond)
	atomic.StoreUint32(&g.SparseDepthBytes, sparse.DepthBytes)
	atomic.StoreUint32(&g.SparseFlowBytes, sparse.FlowBytes)
	atomic.StoreUint32(&g.SparseLentBytes, sparse.LentBytes)
	atomic.StoreUint64(&g.LeafNanos, uint64(sparse.Leaf.Nanoseconds()))
}

// HoldFlows has the flows that send to a group stay until then, where their destinations come to another one: what
// they have sent waits in its class.
func (s *Shim) HoldFlows(endpoint, group int, untilNanos int64) {
	atomic.StoreUint64(&s.groups.At(endpoint*groupSlots+group).HeldUntilNanos, uint64(untilNanos))
}

// SetWindow sets what the windows of a group's TCP flows are lowered to.
func (s *Shim) SetWindow(endpoint, group int, window htb.Window) {
	g := s.groups.At(endpoint*groupSlots + group)
	atomic.StoreUint32(&g.WindowSegmentBytes, window.SegmentBytes)
	atomic.StoreUint32(&g.WindowStandingMicros, uint32(window.Standing.Microseconds()))
	atomic.StoreUint64(&g.BulkWindowRate, windowRate(window.BulkBytesPerSecond))
	atomic.StoreUint64(&g.WindowRate, windowRate(window.BytesPerSecond))
}

// windowRate is in bytes in 2^20 us (WINDOW_RATE_SHIFT of bpf/state.h), and 0 only for 0.
func windowRate(bytesPerSecond uint64) uint64 {
	const shift, microsPerSecond = 20, 1_000_000
	return (bytesPerSecond<<shift + microsPerSecond - 1) / microsPerSecond
}

// bulkEpochShift is BULK_EPOCH_SHIFT of bpf/flow.h.
const bulkEpochShift = 27

// BulkFlows is how many bulk flows a group has had within about the last 0.2 s.
func (s *Shim) BulkFlows(endpoint, group int, nowNanos int64) int {
	g := s.groups.At(endpoint*groupSlots + group)
	now := uint32(nowNanos >> bulkEpochShift)
	epoch, flows := atomic.LoadUint32(&g.BulkEpoch), atomic.LoadUint32(&g.BulkFlows)
	switch epoch {
	case now:
		return int(max(flows, atomic.LoadUint32(&g.BulkFlowsBefore)))
	case now - 1:
		return int(flows)
	}
	return 0
}

// SetDestination puts an endpoint's destination into a group, or into Residual; 0 takes it back to the
// default.
func (s *Shim) SetDestination(endpoint int, destination netip.Addr, group int) error {
	key := bpfDestinationKey{Endpoint: uint32(endpoint), Address: toAddress(destination)}
	if group == 0 {
		if err := s.objects.Destinations.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("destination %s: %w", destination, err)
		}
	} else if err := s.objects.Destinations.Put(key, uint32(group)); err != nil {
		return fmt.Errorf("destination %s: %w", destination, err)
	}
	for slot := range s.pairSlots.all() {
		pair := s.pairs.At(slot)
		if pair.Outward != 0 && int(pair.Endpoint) == endpoint && pair.Key.Destination == key.Address {
			pair.Group = uint16(group)
		}
	}
	return nil
}

func toAddress(address netip.Addr) bpfAddress {
	var words bpfAddress
	bytes := address.As16()
	for i := range words.Word {
		words.Word[i] = nativeWord(bytes[4*i:])
	}
	return words
}

func fromAddress(words bpfAddress) netip.Addr {
	var bytes [16]byte
	for i, word := range words.Word {
		putNativeWord(bytes[4*i:], word)
	}
	return netip.AddrFrom16(bytes).Unmap()
}
