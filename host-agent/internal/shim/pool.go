// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
)

// Pool is for tests, which need a shim each: the verifier takes most of a second for each that is loaded. What one
// test has done with is another's, as if it were loaded.
type Pool struct {
	// KeepsFlowsOf is an endpoint whose table of flows stays, without any: to put one in its place takes milliseconds.
	KeepsFlowsOf int

	mu   sync.Mutex
	idle []*Shim
}

// Take gives a shim with all programs. giveBack is for when it is closed, and nothing of it is attached to a device
// that is used.
func (p *Pool) Take(through []int, controlProtocol int) (s *Shim, giveBack func(), err error) {
	if used := p.take(); used == nil {
		s, err = Load(through, controlProtocol, true)
	} else if err = used.empty(p.KeepsFlowsOf); err == nil {
		s, err = newShim(used.objects, used.flowTable, through, controlProtocol)
	}
	if err != nil {
		return nil, nil, err
	}
	s.pooled = true
	return s, func() { p.give(s) }, nil
}

func (p *Pool) take() *Shim {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s
}

func (p *Pool) give(s *Shim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// empty brings every map of one that is closed to what it was when it was made.
func (s *Shim) empty(keptFlows int) error {
	o := &s.objects
	failures := []error{
		zero[bpfShim](o.Shims), zero[bpfEndpoint](o.Endpoints), zero[uint64](o.PlaceCache), zero[bpfGroup](o.Groups),
		zero[bpfPair](o.Pairs), zero[bpfConnection](o.Connections), flush(o.Events),
		zeroElements[bpfSystem](o.Systems, 0, 1),
		o.EndedFlows.Put(uint32(0), make([]bpfFlowSizes, ebpf.MustPossibleCPU())),
		s.pairSlots.refill(), s.connectionSlots.refill(),
	}
	for _, each := range []*ebpf.Map{
		o.Agents, o.ConnectionSlots, o.Destinations, o.Grants, o.Places, o.MacOwners, o.Owners, o.PairSlots,
	} {
		failures = append(failures, deleteAll(each))
	}
	for i := range o.SystemCgroups.MaxEntries() {
		failures = append(failures, ignoreAbsent(o.SystemCgroups.Delete(i)))
	}
	datagrams := o.Datagrams.MaxEntries() / MaxEndpoints
	for endpoint, lives := range s.quotas.lives {
		if lives > 0 {
			failures = append(failures, zeroElements[bpfDatagram](o.Datagrams, uint32(endpoint)*datagrams, datagrams),
				s.emptyFlows(uint32(endpoint), endpoint == keptFlows))
		}
	}
	return errors.Join(failures...)
}

func (s *Shim) emptyFlows(endpoint uint32, keep bool) error {
	if !keep {
		return ignoreAbsent(s.objects.FlowTables.Delete(endpoint))
	}
	var flows *ebpf.Map
	if err := s.objects.FlowTables.Lookup(endpoint, &flows); err != nil {
		return ignoreAbsent(err)
	}
	return errors.Join(deleteAll(flows), flows.Close())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil
	}
	return err
}

// refill gives back the slots that were taken, in the order in which fill does.
func (s *slots) refill() error {
	var next uint32
	if err := s.free.Lookup(nil, &next); err != nil || s.shuffled {
		return errors.Join(ignoreAbsent(err), popAll(s.free), s.fill())
	}
	for ; next > 0; next-- {
		if err := s.free.Update(nil, next-1, ebpf.UpdateAny); err != nil {
			return err
		}
	}
	return nil
}

// zero clears an array that can be mapped.
func zero[T any](m *ebpf.Map) error {
	array, err := mapped.Open[T](m)
	if err != nil {
		return err
	}
	var nothing T
	for i := range array.Len() {
		*array.At(i) = nothing
	}
	return array.Close()
}

// deleteAll deletes every key of a hash table.
func deleteAll(m *ebpf.Map) error {
	for {
		key, err := m.NextKeyBytes(nil)
		if err != nil || key == nil {
			return err
		}
		if err := m.Delete(key); err != nil {
			return err
		}
	}
}

func popAll(stack *ebpf.Map) error {
	var slot uint32
	for {
		if err := stack.LookupAndDelete(nil, &slot); errors.Is(err, ebpf.ErrKeyNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// zeroElements clears some of an array's.
func zeroElements[T any](array *ebpf.Map, first, count uint32) error {
	keys := make([]uint32, count)
	for i := range keys {
		keys[i] = first + uint32(i)
	}
	_, err := array.BatchUpdate(keys, make([]T, count), nil)
	return err
}

// flush takes what is in a ring buffer.
func flush(events *ebpf.Map) error {
	ring, err := mapped.OpenRing(events)
	if err != nil {
		return err
	}
	for ring.Next() != nil {
	}
	return ring.Close()
}
