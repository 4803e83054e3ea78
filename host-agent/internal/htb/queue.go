// SPDX-License-Identifier: Apache-2.0

package htb

import "fmt"

const (
	queueClass = Handle | 1
	// FirstLevelClass is of the level that is served first; the others' follow.
	FirstLevelClass = Handle | 2
)

// Queue is a software switch port: one HTB class at the port's capacity and a FIFO that counts packets. With
// levels a FIFO for each, of which the first that has anything is served:
//
//	51ce: ── 51ce:1  the port's capacity
//	          ├─ 51ce:2  the first level
//	          ├─ 51ce:3  the second, here the last, also for whatever names no class
//	          └─ 51ce:80 to 51ce:bf  background queues, which take turns with the last level
//
// Levels own next to nothing and borrow from the port's class, HTB in the order of their priority. Of what it
// owns a level may send one packet at once and the next when HTB forgets it, a minute later, whatever waits; a
// background queue likewise.
type Queue struct {
	conn    *Conn
	ifindex int
	mtu     int
	saved   *SavedRoot
	shape   QueueShape
}

// QueueShape is what a queue is to be.
type QueueShape struct {
	CapacityBitsPerSecond uint64
	// BufferPackets is the room of the queue, or of each level's.
	BufferPackets uint32
	// Levels that are served strictly; 0: one queue.
	Levels int
}

// NewQueue takes the device's root; see NewTree about foreign qdiscs.
func NewQueue(conn *Conn, name string, ifindex, mtu int, shape QueueShape, replace bool) (*Queue, error) {
	saved, err := conn.takeRoot(name, ifindex, replace)
	if err != nil {
		return nil, err
	}
	q := &Queue{conn: conn, ifindex: ifindex, mtu: mtu, saved: saved, shape: shape}
	if err := q.add(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	return q, nil
}

func (q *Queue) add() error {
	otherwise := uint32(queueClass)
	if q.shape.Levels > 0 {
		otherwise = levelClass(q.shape.Levels - 1)
	}
	if err := q.conn.addRoot(q.ifindex, Handle, otherwise); err != nil {
		return err
	}
	if err := q.conn.addClass(q.ifindex, q.portClass()); err != nil {
		return err
	}
	if q.shape.Levels == 0 {
		return q.conn.putFifo(q.ifindex, queueClass, fifoPackets, q.shape.BufferPackets)
	}
	for level := range q.shape.Levels {
		if err := q.addLeaf(q.leaf(levelClass(level), level)); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) portClass() class {
	capacity := q.shape.CapacityBitsPerSecond
	return class{
		parent: Handle, handle: queueClass, rate: capacity, ceiling: capacity,
		burstBytes: BurstBytes(capacity, q.mtu), ceilingBurstBytes: BurstBytes(capacity, q.mtu),
		quantumBytes: 2 * FrameBytes(q.mtu),
	}
}

// leaf borrows all that it sends, in the order of its level.
func (q *Queue) leaf(handle uint32, level int) class {
	leaf := q.portClass()
	leaf.parent, leaf.handle, leaf.priority = queueClass, handle, uint32(level)
	leaf.rate, leaf.burstBytes = levelBitsPerSecond, 1
	return leaf
}

func (q *Queue) addLeaf(leaf class) error {
	if err := q.conn.addClass(q.ifindex, leaf); err != nil {
		return err
	}
	return q.conn.putFifo(q.ifindex, leaf.handle, fifoPackets, q.shape.BufferPackets)
}

// levelClass has a minor number that is its leaf's handle as well: the packets' program finds it by that.
func levelClass(level int) uint32 { return FirstLevelClass + uint32(level) }

// SavedRoot is what Release will put back; nil for nothing.
func (q *Queue) SavedRoot() *SavedRoot { return q.saved }

// QueueStats are the counters of a queue's classes and their backlogs now.
type QueueStats struct {
	// Levels, the first level's first; without levels the one queue's.
	Levels []Stats
	// Background queues by their number; those that are not there have no handle. Empty without levels.
	Background []Stats
}

// Stats reads them.
func (q *Queue) Stats() (QueueStats, error) {
	if q.shape.Levels == 0 {
		stats, err := q.conn.classStats(q.ifindex, queueClass)
		return QueueStats{Levels: []Stats{stats}}, err
	}
	all, err := q.conn.allClassStats(q.ifindex)
	if err != nil {
		return QueueStats{}, err
	}
	found := QueueStats{Levels: make([]Stats, q.shape.Levels), Background: make([]Stats, MaxBackgroundQueues)}
	for _, stats := range all {
		if level := int(stats.Handle) - int(FirstLevelClass); level >= 0 && level < len(found.Levels) {
			found.Levels[level] = stats
		}
		if queue := int(stats.Handle) - int(FirstBackgroundClass); queue >= 0 && queue < len(found.Background) {
			found.Background[queue] = stats
		}
	}
	for level, stats := range found.Levels {
		if stats.Handle == 0 {
			return QueueStats{}, fmt.Errorf("read HTB class %s: it is not there", handleName(levelClass(level)))
		}
	}
	return found, nil
}

// Release removes the queue and restores what was there before.
func (q *Queue) Release() error { return q.conn.Release(q.ifindex, q.saved) }
