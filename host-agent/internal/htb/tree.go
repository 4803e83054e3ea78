// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// MaxGroups is how many congested ports an endpoint may be limited towards at once, beside the
// default group.
const MaxGroups = 8

// Minor numbers of the classes that belong to no endpoint.
const (
	uplinkMinor = 1
	openMinor   = 2
)

// OpenClass carries what nobody limits: the host's own traffic, the agent's, endpoints set free.
const OpenClass = Handle | openMinor

const (
	sparseLeaf = 1
	bulkLeaf   = 2
)

// Tree is the uplink's HTB:
//
//	51ce: ── 51ce:2  open, also for whatever names no class
//	      └─ 51ce:1  the uplink's capacity
//	          └─ 51ce:EE00  endpoint EE
//	              └─ 51ce:EEg0  group g-1 (one congested port; g = 1 is the default)
//	                  ├─ 51ce:EEg1  sparse, served first
//	                  └─ 51ce:EEg2  bulk
//
// Every class owns next to nothing and borrows from the uplink, so that a ceiling at any height
// holds for the sum below it. Changing a limit is one netlink message to the group's class.
type Tree struct {
	conn     *Conn
	name     string
	ifindex  int
	mtu      int
	capacity uint64
	saved    *SavedRoot
	leaves   map[uint32]uint32 // class -> limit in bytes
}

// NewTree takes the uplink's root. It fails with a *ForeignRootError rather than replace a qdisc
// of somebody else, unless replace is set.
func NewTree(conn *Conn, name string, ifindex, mtu int, capacityBitsPerSecond uint64, replace bool) (*Tree, error) {
	saved, err := conn.takeRoot(name, ifindex, replace)
	if err != nil {
		return nil, err
	}
	t := &Tree{
		conn: conn, name: name, ifindex: ifindex, mtu: mtu, capacity: capacityBitsPerSecond,
		saved: saved, leaves: map[uint32]uint32{},
	}
	if err := t.addTrunk(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	return t, nil
}

func (t *Tree) addTrunk() error {
	if err := t.conn.addRoot(t.ifindex, Handle, OpenClass); err != nil {
		return err
	}
	open := t.shape(Handle, OpenClass, openBitsPerSecond, openBitsPerSecond, 0)
	if err := t.conn.addClass(t.ifindex, open); err != nil {
		return err
	}
	if err := t.conn.putFifo(t.ifindex, OpenClass, fifoPackets, openLimitPackets); err != nil {
		return err
	}
	uplink := t.shape(Handle, Handle|uplinkMinor, t.capacity, t.capacity, 0)
	return t.conn.addClass(t.ifindex, uplink)
}

func (t *Tree) shape(parent, handle uint32, rate, ceiling uint64, priority uint32) class {
	return class{
		parent: parent, handle: handle, rate: rate, ceiling: ceiling,
		burstBytes: BurstBytes(ceiling, t.mtu), quantumBytes: 2 * FrameBytes(t.mtu), priority: priority,
	}
}

// SavedRoot is what Release will put back; nil for nothing.
func (t *Tree) SavedRoot() *SavedRoot { return t.saved }

func endpointClass(endpoint int) uint32 { return Handle | uint32(endpoint)<<8 }

func groupClass(endpoint, group int) uint32 {
	return endpointClass(endpoint) | uint32(group+1)<<4
}

func (t *Tree) endpointShape(endpoint int, ceiling uint64) class {
	return t.shape(Handle|uplinkMinor, endpointClass(endpoint), ownBitsPerSecond, ceiling, 0)
}

func (t *Tree) groupShape(endpoint, group int, ceiling uint64) class {
	return t.shape(endpointClass(endpoint), groupClass(endpoint, group), ownBitsPerSecond, ceiling, 0)
}

// AddEndpoint makes an endpoint's class, index in [1, 255], and its default group.
func (t *Tree) AddEndpoint(endpoint int, ceilingBitsPerSecond uint64) error {
	if err := t.conn.addClass(t.ifindex, t.endpointShape(endpoint, ceilingBitsPerSecond)); err != nil {
		return err
	}
	return t.AddGroup(endpoint, 0, ceilingBitsPerSecond)
}

// RemoveEndpoint deletes an endpoint's class with its groups and what they still hold. What is not
// there is fine, so that a half-made endpoint can be undone.
func (t *Tree) RemoveEndpoint(endpoint int) error {
	for group := range MaxGroups + 1 {
		if err := t.RemoveGroup(endpoint, group); err != nil {
			return err
		}
	}
	return t.removeClass(endpointClass(endpoint))
}

// SetEndpoint changes the ceiling of everything that the endpoint sends.
func (t *Tree) SetEndpoint(endpoint int, ceilingBitsPerSecond uint64) error {
	return t.conn.changeClass(t.ifindex, t.endpointShape(endpoint, ceilingBitsPerSecond))
}

// AddGroup makes a group's class and leaves, group in [0, MaxGroups].
func (t *Tree) AddGroup(endpoint, group int, limitBitsPerSecond uint64) error {
	if err := t.conn.addClass(t.ifindex, t.groupShape(endpoint, group, limitBitsPerSecond)); err != nil {
		return err
	}
	parent := groupClass(endpoint, group)
	for priority, leaf := range []uint32{sparseLeaf, bulkLeaf} {
		// The group's ceiling limits its leaves; their own must only not be lower.
		spec := t.shape(parent, parent|leaf, ownBitsPerSecond, t.capacity, uint32(priority))
		if err := t.conn.addClass(t.ifindex, spec); err != nil {
			return err
		}
	}
	return t.FitLeaves(endpoint, group, limitBitsPerSecond, 0)
}

// SetGroup changes a group's limit. This is the change that a mark leads to: one message.
func (t *Tree) SetGroup(endpoint, group int, limitBitsPerSecond uint64) error {
	return t.conn.changeClass(t.ifindex, t.groupShape(endpoint, group, limitBitsPerSecond))
}

// FitLeaves sizes a group's queues for a limit, and for the largest frame seen. It leaves them
// alone while they are too large by no more than half: limits swing, what was let into the class
// at the last one is in transit, and a queue that shrinks with each dip drops it.
func (t *Tree) FitLeaves(endpoint, group int, limitBitsPerSecond, largestFrameBytes uint64) error {
	want := LeafBytes(limitBitsPerSecond, t.mtu, largestFrameBytes)
	for _, leaf := range []uint32{sparseLeaf, bulkLeaf} {
		handle := groupClass(endpoint, group) | leaf
		have := t.leaves[handle]
		if have != 0 && want <= have && want >= have-have/3 {
			continue
		}
		if err := t.conn.putFifo(t.ifindex, handle, fifoBytes, want); err != nil {
			return err
		}
		t.leaves[handle] = want
	}
	return nil
}

// RemoveGroup deletes a group with what it still holds, if it is there.
func (t *Tree) RemoveGroup(endpoint, group int) error {
	parent := groupClass(endpoint, group)
	for _, handle := range []uint32{parent | sparseLeaf, parent | bulkLeaf, parent} {
		if err := t.removeClass(handle); err != nil {
			return err
		}
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
	sparse, err := t.conn.classStats(t.ifindex, groupClass(endpoint, group)|sparseLeaf)
	if err != nil {
		return GroupStats{}, err
	}
	bulk, err := t.Bulk(endpoint, group)
	return GroupStats{Sparse: sparse, Bulk: bulk}, err
}

// Bulk reads the leaf in which a group's backlog stands.
func (t *Tree) Bulk(endpoint, group int) (Stats, error) {
	return t.conn.classStats(t.ifindex, groupClass(endpoint, group)|bulkLeaf)
}

// Open reads the counters of the class that nobody limits.
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
