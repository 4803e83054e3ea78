// SPDX-License-Identifier: Apache-2.0

package htb

import "fmt"

const queueClass = Handle | 1

// Queue is a software switch port: one HTB class at the port's capacity and a FIFO that counts
// packets.
type Queue struct {
	conn    *Conn
	ifindex int
	saved   *SavedRoot
}

// NewQueue takes the device's root; see NewTree about qdiscs of somebody else.
func NewQueue(conn *Conn, name string, ifindex, mtu int, capacityBitsPerSecond uint64, bufferPackets uint32, replace bool) (*Queue, error) {
	saved, err := conn.takeRoot(name, ifindex, replace)
	if err != nil {
		return nil, err
	}
	q := &Queue{conn: conn, ifindex: ifindex, saved: saved}
	if err := q.add(mtu, capacityBitsPerSecond, bufferPackets); err != nil {
		return nil, fmt.Errorf("%s: %w", name, withRelease(conn, ifindex, saved, err))
	}
	return q, nil
}

func (q *Queue) add(mtu int, capacity uint64, bufferPackets uint32) error {
	if err := q.conn.addRoot(q.ifindex, Handle, queueClass); err != nil {
		return err
	}
	spec := class{
		parent: Handle, handle: queueClass, rate: capacity, ceiling: capacity,
		burstBytes: BurstBytes(capacity, mtu), ceilingBurstBytes: BurstBytes(capacity, mtu),
		quantumBytes: 2 * FrameBytes(mtu),
	}
	if err := q.conn.addClass(q.ifindex, spec); err != nil {
		return err
	}
	return q.conn.putFifo(q.ifindex, queueClass, fifoPackets, bufferPackets)
}

// SavedRoot is what Release will put back; nil for nothing.
func (q *Queue) SavedRoot() *SavedRoot { return q.saved }

// Stats reads the queue's counters and its backlog now.
func (q *Queue) Stats() (Stats, error) { return q.conn.classStats(q.ifindex, queueClass) }

// Release removes the queue and restores what was there before.
func (q *Queue) Release() error { return q.conn.Release(q.ifindex, q.saved) }
