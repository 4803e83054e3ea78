// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// MaxClasses is how many endpoints the tree holds, and how many tenants: both are numbered from 1.
const MaxClasses = 1023

// Layout names this numbering of classes: those of another one cannot be taken over.
const Layout = 2

// A class's minor number is that of its endpoint or tenant, and behind it 5 bits for its place there:
// 0 for the endpoint's own class, three for each group, 31 for a tenant's. The group's own stands between its
// leaves', so that no leaf has the minor number 51ce: its queue's handle would be the root's.
const (
	placeBits   = 5
	perGroup    = 3
	sparseLeaf  = 1
	groupPlace  = 2
	bulkLeaf    = 3
	tenantPlace = 31
	uplinkMinor = 1
	openMinor   = 2
	mostMinor   = 1<<16 - 1
	_           = uint(mostMinor - (MaxClasses<<placeBits | tenantPlace))       // they fit
	_           = uint(tenantPlace - (perGroup*model.MaxGroups + bulkLeaf) - 1) // likewise
)

// OpenClass carries unlimited traffic: the host's own traffic, the agent's, endpoints set free.
const OpenClass = Handle | openMinor

// Part is what a class has of the uplink.
type Part struct {
	// RateBitsPerSecond is its own, from which it borrows upwards only what it does not have. It must not
	// exceed the ceiling, nor the rates of siblings their parent's in sum: HTB checks the ceilings above a
	// class only for what that class borrows.
	RateBitsPerSecond    uint64
	CeilingBitsPerSecond uint64
	// QuantumBytes is the turn of each of its queues among those that borrow from the same class. HTB has
	// turns of queues only: a tenant's part has none.
	QuantumBytes uint32
}

// Tree is the uplink's HTB:
//
//	51ce: ── 51ce:2  open, also for whatever names no class
//	      └─ 51ce:1  the uplink's capacity
//	          └─ 32 T + 31  tenant T
//	              └─ 32 E  endpoint E
//	                  └─ 32 E + 3 g + 2  group g (one congested port; g = 0 is the default)
//	                      ├─ 32 E + 3 g + 1  sparse, first within what it owns
//	                      └─ 32 E + 3 g + 3  bulk, whose flows take turns
//
// Tenants and endpoints own what is theirs under contention, groups and bulk leaves next to nothing: they
// borrow it, so that a group's ceiling holds for both of its leaves. A sparse leaf owns a little of its
// endpoint's rate, so that it need not wait for the bulk of other endpoints either. Changing a limit is
// one netlink message to the group's class.
type Tree struct {
	conn      *Conn
	name      string
	ifindex   int
	mtu       int
	capacity  uint64
	saved     *SavedRoot
	tenants   map[int]Part
	endpoints map[int]*endpointClasses
	leaves    map[uint32]uint32 // class -> limit in bytes
	// lacksFairQueues: the kernel has none, so the flows of a bulk leaf leave in the order of their arrival.
	lacksFairQueues bool
	// earlier are classes of an agent before this one that are not taken over yet.
	earlier map[uint32]existing
}

// endpointClasses are an endpoint's as the kernel has them.
type endpointClasses struct {
	tenant int
	part   Part
	limits [model.MaxGroups + 1]uint64 // of the groups, in bit/s; 0: not there
}

// NewTree takes the uplink's root. It fails with a *ForeignRootError rather than replace a qdisc
// of somebody else, unless replace is set.
func NewTree(conn *Conn, name string, ifindex, mtu int, capacityBitsPerSecond uint64, replace bool) (*Tree, error) {
	saved, err := conn.takeRoot(name, ifindex, replace)
	if err != nil {
		return nil, err
	}
	t := newTree(conn, name, ifindex, mtu, capacityBitsPerSecond, saved)
	if err := conn.addRoot(ifindex, Handle, OpenClass); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	if err := t.addTrunk(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	return t, nil
}

func newTree(conn *Conn, name string, ifindex, mtu int, capacityBitsPerSecond uint64, saved *SavedRoot) *Tree {
	return &Tree{
		conn: conn, name: name, ifindex: ifindex, mtu: mtu, capacity: capacityBitsPerSecond,
		saved: saved, tenants: map[int]Part{}, endpoints: map[int]*endpointClasses{}, leaves: map[uint32]uint32{},
	}
}

func (t *Tree) addTrunk() error {
	for _, shape := range t.trunk() {
		if err := t.addClass(shape); err != nil {
			return err
		}
	}
	return t.conn.putFifo(t.ifindex, OpenClass, fifoPackets, openLimitPackets)
}

// trunk is what is there without any endpoint.
func (t *Tree) trunk() []class {
	return []class{
		t.shape(Handle, OpenClass, openBitsPerSecond, openBitsPerSecond),
		t.shape(Handle, Handle|uplinkMinor, t.capacity, t.capacity),
	}
}

func (t *Tree) shape(parent, handle uint32, rate, ceiling uint64) class {
	return class{
		parent: parent, handle: handle, rate: rate, ceiling: ceiling,
		burstBytes: BurstBytes(ceiling, t.mtu), ceilingBurstBytes: BurstBytes(ceiling, t.mtu),
		quantumBytes: 2 * FrameBytes(t.mtu),
	}
}

// partShape is a class's that owns a part: it may send at once what its own rate gathers in a burst's
// time, and not what its ceiling does.
func (t *Tree) partShape(parent, handle uint32, part Part) class {
	shape := t.shape(parent, handle, max(part.RateBitsPerSecond, ownBitsPerSecond), part.CeilingBitsPerSecond)
	shape.burstBytes = BurstBytes(shape.rate, t.mtu)
	return shape
}

// SavedRoot is what Release will put back; nil for nothing.
func (t *Tree) SavedRoot() *SavedRoot { return t.saved }

func tenantClass(tenant int) uint32 { return Handle | uint32(tenant)<<placeBits | tenantPlace }

func endpointClass(endpoint int) uint32 { return Handle | uint32(endpoint)<<placeBits }

func groupClass(endpoint, group int) uint32 { return leafClass(endpoint, group, groupPlace) }

// leafClass is a group's sparseLeaf or bulkLeaf.
func leafClass(endpoint, group int, leaf uint32) uint32 {
	return endpointClass(endpoint) | perGroup*uint32(group) + leaf
}

func isBulkLeaf(class uint32) bool {
	place := class & (1<<placeBits - 1)
	return place != tenantPlace && place > 0 && place%perGroup == bulkLeaf%perGroup
}

func (t *Tree) tenantShape(tenant int, part Part) class {
	return t.partShape(Handle|uplinkMinor, tenantClass(tenant), part)
}

func (t *Tree) endpointShape(endpoint int, e *endpointClasses) class {
	return t.partShape(tenantClass(e.tenant), endpointClass(endpoint), e.part)
}

func (t *Tree) groupShape(endpoint, group int, ceiling uint64) class {
	return t.shape(endpointClass(endpoint), groupClass(endpoint, group), ownBitsPerSecond, ceiling)
}

// leafShapes are a group's two leaves. The group's ceiling limits them; their own must only not be lower. What is
// sparse goes first by the rate that its leaf owns, which comes out of its endpoint's, and by nothing else: HTB
// serves a class of a higher priority before those of all other endpoints. What exceeds that rate takes turns
// with all bulk, of a quarter's length: what passes for sparse is a quarter of a limit at most.
func (t *Tree) leafShapes(endpoint, group int, part Part) [2]class {
	parent := groupClass(endpoint, group)
	sparse := t.shape(parent, leafClass(endpoint, group, sparseLeaf), SparseRate(part.RateBitsPerSecond, group), t.capacity)
	sparse.burstBytes = BurstBytes(sparse.rate, t.mtu)
	bulk := t.shape(parent, leafClass(endpoint, group, bulkLeaf), ownBitsPerSecond, t.capacity)
	sparse.quantumBytes, bulk.quantumBytes = max(part.QuantumBytes/sparseShare, FrameBytes(t.mtu)), part.QuantumBytes
	return [2]class{sparse, bulk}
}

// AddTenant makes a tenant's class, index in [1, MaxClasses].
func (t *Tree) AddTenant(tenant int, part Part) error {
	err := t.addClass(t.tenantShape(tenant, part))
	if err == nil {
		t.tenants[tenant] = part
	}
	return err
}

// SetTenant changes what all endpoints of a tenant have together.
func (t *Tree) SetTenant(tenant int, part Part) error {
	err := t.conn.changeClass(t.ifindex, t.tenantShape(tenant, part))
	if err == nil {
		t.tenants[tenant] = part
	}
	return err
}

// RemoveTenant deletes the class of a tenant without endpoints, if it is there.
func (t *Tree) RemoveTenant(tenant int) error {
	err := t.removeClass(tenantClass(tenant))
	if err == nil {
		delete(t.tenants, tenant)
	}
	return err
}

// AddEndpoint makes an endpoint's class below its tenant's, index in [1, MaxClasses], and its default
// group.
func (t *Tree) AddEndpoint(endpoint, tenant int, part Part) error {
	e := &endpointClasses{tenant: tenant, part: part}
	if err := t.addClass(t.endpointShape(endpoint, e)); err != nil {
		return err
	}
	t.endpoints[endpoint] = e
	return t.AddGroup(endpoint, 0, part.CeilingBitsPerSecond)
}

// RemoveEndpoint deletes an endpoint's class with its groups and what they still hold. What is not
// there is fine, so that a half-made endpoint can be undone.
func (t *Tree) RemoveEndpoint(endpoint int) error {
	for group := range model.MaxGroups + 1 {
		if err := t.RemoveGroup(endpoint, group); err != nil {
			return err
		}
	}
	if err := t.removeClass(endpointClass(endpoint)); err != nil {
		return err
	}
	delete(t.endpoints, endpoint)
	return nil
}

// SetEndpoint changes what the endpoint has of the uplink, in place: what is queued stays queued. Classes
// that are as they should be cost no message.
func (t *Tree) SetEndpoint(endpoint int, part Part) error {
	e := t.endpoints[endpoint]
	if e == nil {
		return fmt.Errorf("change HTB class %s: %w", handleName(endpointClass(endpoint)), unix.ENOENT)
	}
	before := e.part
	e.part = part
	if before.RateBitsPerSecond != part.RateBitsPerSecond || before.CeilingBitsPerSecond != part.CeilingBitsPerSecond {
		if err := t.conn.changeClass(t.ifindex, t.endpointShape(endpoint, e)); err != nil {
			return err
		}
	}
	for group, limit := range e.limits {
		if limit == 0 {
			continue
		}
		former := t.leafShapes(endpoint, group, before)
		for i, leaf := range t.leafShapes(endpoint, group, part) {
			if leaf == former[i] {
				continue
			}
			if err := t.conn.changeClass(t.ifindex, leaf); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddGroup makes a group's class and leaves, group in [0, model.MaxGroups].
func (t *Tree) AddGroup(endpoint, group int, limitBitsPerSecond uint64) error {
	if err := t.addGroupClasses(endpoint, group, limitBitsPerSecond); err != nil {
		return err
	}
	return t.FitLeaves(endpoint, group, limitBitsPerSecond, 0, 0)
}

func (t *Tree) addGroupClasses(endpoint, group int, limitBitsPerSecond uint64) error {
	e := t.endpoints[endpoint]
	if e == nil {
		return fmt.Errorf("add HTB class %s: its endpoint's: %w", handleName(groupClass(endpoint, group)), unix.ENOENT)
	}
	if err := t.addClass(t.groupShape(endpoint, group, limitBitsPerSecond)); err != nil {
		return err
	}
	e.limits[group] = limitBitsPerSecond
	for _, leaf := range t.leafShapes(endpoint, group, e.part) {
		if err := t.addClass(leaf); err != nil {
			return err
		}
	}
	return nil
}

// SetGroup changes a group's limit. This is the change that a mark leads to: one message.
func (t *Tree) SetGroup(endpoint, group int, limitBitsPerSecond uint64) error {
	if err := t.conn.changeClass(t.ifindex, t.groupShape(endpoint, group, limitBitsPerSecond)); err != nil {
		return err
	}
	if e := t.endpoints[endpoint]; e != nil {
		e.limits[group] = limitBitsPerSecond
	}
	return nil
}

// FitLeaves sizes a group's queues for a limit, the largest frame seen and so many bulk flows. It leaves them
// alone while they are too large by no more than half: limits swing, what was let into the class
// at the last one is in transit, and a queue that shrinks with each dip drops it.
func (t *Tree) FitLeaves(endpoint, group int, limitBitsPerSecond, largestFrameBytes uint64, flows int) error {
	sparse := SparseLeafBytes(limitBitsPerSecond, t.mtu, largestFrameBytes)
	bulk := BulkLeafBytes(limitBitsPerSecond, t.mtu, largestFrameBytes, flows)
	return errors.Join(
		t.fitLeaf(leafClass(endpoint, group, sparseLeaf), sparse), t.fitLeaf(leafClass(endpoint, group, bulkLeaf), bulk))
}

func (t *Tree) fitLeaf(handle, want uint32) error {
	have := t.leaves[handle]
	if have != 0 && want <= have && want >= have-have/3 {
		return nil
	}
	return t.putLeaf(handle, want)
}

func (t *Tree) putLeaf(handle, limitBytes uint32) error {
	if err := t.putQueue(handle, limitBytes); err != nil {
		return err
	}
	t.leaves[handle] = limitBytes
	return nil
}

// putQueue gives a leaf, whose class is there, its queue: a bulk leaf's flows take turns where the kernel can do that.
func (t *Tree) putQueue(handle, limitBytes uint32) error {
	if isBulkLeaf(handle) && !t.lacksFairQueues {
		err := t.conn.putFairQueue(t.ifindex, handle, limitBytes)
		t.lacksFairQueues = errors.Is(err, unix.ENOENT)
		// EINVAL: an agent before this one left a FIFO there, which goes with its class.
		if !t.lacksFairQueues && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	return t.conn.putFifo(t.ifindex, handle, fifoBytes, limitBytes)
}

// LacksFairQueues reports whether the kernel has none: then the flows of a bulk leaf leave as they come.
func (t *Tree) LacksFairQueues() bool { return t.lacksFairQueues }

// RemoveGroup deletes a group with what it still holds, if it is there.
func (t *Tree) RemoveGroup(endpoint, group int) error {
	for _, place := range []uint32{sparseLeaf, bulkLeaf, groupPlace} {
		if err := t.removeClass(leafClass(endpoint, group, place)); err != nil {
			return err
		}
	}
	if e := t.endpoints[endpoint]; e != nil {
		e.limits[group] = 0
	}
	return nil
}

func (t *Tree) removeClass(handle uint32) error {
	delete(t.leaves, handle)
	if err := t.conn.deleteClass(t.ifindex, handle); err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	return nil
}

// GroupStats are the counters of a group's two leaves.
type GroupStats struct {
	Sparse Stats
	Bulk   Stats
}

// Total adds the leaves up.
func (g GroupStats) Total() Stats {
	return Stats{
		SentBytes:      g.Sparse.SentBytes + g.Bulk.SentBytes,
		SentPackets:    g.Sparse.SentPackets + g.Bulk.SentPackets,
		DroppedPackets: g.Sparse.DroppedPackets + g.Bulk.DroppedPackets,
		BacklogBytes:   g.Sparse.BacklogBytes + g.Bulk.BacklogBytes,
		BacklogPackets: g.Sparse.BacklogPackets + g.Bulk.BacklogPackets,
	}
}

// Group reads one group's counters.
func (t *Tree) Group(endpoint, group int) (GroupStats, error) {
	sparse, err := t.conn.classStats(t.ifindex, leafClass(endpoint, group, sparseLeaf))
	if err != nil {
		return GroupStats{}, err
	}
	bulk, err := t.conn.leafStats(t.ifindex, leafClass(endpoint, group, bulkLeaf))
	return GroupStats{Sparse: sparse, Bulk: bulk}, err
}

// Bulk reads the leaf in which a group's backlog stands.
func (t *Tree) Bulk(endpoint, group int) (Stats, error) {
	return t.conn.classStats(t.ifindex, leafClass(endpoint, group, bulkLeaf))
}

// Open reads the counters of the unlimited class.
func (t *Tree) Open() (Stats, error) { return t.conn.classStats(t.ifindex, OpenClass) }

// Release removes the tree and restores what was there before.
func (t *Tree) Release() error { return t.conn.Release(t.ifindex, t.saved) }

// withRelease undoes a half-made root and keeps the first error.
func withRelease(conn *Conn, ifindex int, saved *SavedRoot, err error) error {
	if undo := conn.Release(ifindex, saved); undo != nil {
		return fmt.Errorf("%w (and undoing it: %w)", err, undo)
	}
	return err
}
