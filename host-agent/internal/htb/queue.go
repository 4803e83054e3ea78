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
//	          └─ 51ce:3  the second, here the last, also for whatever names no class
//
// Levels own next to nothing and borrow from the port's class, HTB in the order of their priority. Of what it
// owns a level may send one packet at once and the next when HTB forgets it, a minute later, whatever waits.
type Queue struct {
	conn    *Conn
	ifindex int
	saved   *SavedRoot
	levels  int
}

// QueueShape is what a queue is to be.
type QueueShape struct {
	CapacityBitsPerSecond uint64
	// BufferPackets is the room of the queue, or of each level's.
	BufferPackets uint32
	// Levels that are served strictly; 0: one queue.
	Levels int
}

// NewQueue takes the device's root; see NewTree about qdiscs of somebody else.
func NewQueue(conn *Conn, name string, ifindex, mtu int, shape QueueShape, replace bool) (*Queue, error) {
	saved, err := conn.takeRoot(name, ifindex, replace)
	if err != nil {
		return nil, err
	}
	q := &Queue{conn: conn, ifindex: ifindex, saved: saved, levels: shape.Levels}
	if err := q.add(mtu, shape); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	return q, nil
}

func (q *Queue) add(mtu int, shape QueueShape) error {
	capacity := shape.CapacityBitsPerSecond
	otherwise := uint32(queueClass)
	if q.levels > 0 {
		otherwise = levelClass(q.levels - 1)
	}
	if err := q.conn.addRoot(q.ifindex, Handle, otherwise); err != nil {
		return err
	}
	port := class{
		parent: Handle, handle: queueClass, rate: capacity, ceiling: capacity,
		burstBytes: BurstBytes(capacity, mtu), ceilingBurstBytes: BurstBytes(capacity, mtu),
		quantumBytes: 2 * FrameBytes(mtu),
	}
	if err := q.conn.addClass(q.ifindex, port); err != nil {
		return err
	}
	if q.levels == 0 {
		return q.conn.putFifo(q.ifindex, queueClass, fifoPackets, shape.BufferPackets)
	}
	for level := range q.levels {
		leaf := port
		leaf.parent, leaf.handle, leaf.priority = queueClass, levelClass(level), uint32(level)
		leaf.rate, leaf.burstBytes = levelBitsPerSecond, 1
		if err := q.conn.addClass(q.ifindex, leaf); err != nil {
			return err
		}
		if err := q.conn.putFifo(q.ifindex, leaf.handle, fifoPackets, shape.BufferPackets); err != nil {
			return err
		}
	}
	return nil
}

// levelClass has a minor number that is its leaf's handle as well: the packets' program finds it by that.
func levelClass(level int) uint32 { return FirstLevelClass + uint32(level) }

// SavedRoot is what Release will put back; nil for nothing.
func (q *Queue) SavedRoot() *SavedRoot { return q.saved }

// Stats reads the counters of each level and its backlog now, the first level's first; without levels those of
// the one queue.
func (q *Queue) Stats() ([]Stats, error) {
	if q.levels == 0 {
		stats, err := q.conn.classStats(q.ifindex, queueClass)
		return []Stats{stats}, err
	}
	all, err := q.conn.allClassStats(q.ifindex)
	if err != nil {
		return nil, err
	}
	levels := make([]Stats, q.levels)
	for _, stats := range all {
		if level := int(stats.Handle) - int(FirstLevelClass); level >= 0 && level < q.levels {
			levels[level] = stats
		}
	}
	for level, stats := range levels {
		if stats.Handle == 0 {
			return nil, fmt.Errorf("read HTB class %s: it is not there", handleName(levelClass(level)))
		}
	}
	return levels, nil
}

// Release removes the queue and restores what was there before.
func (q *Queue) Release() error { return q.conn.Release(q.ifindex, q.saved) }
