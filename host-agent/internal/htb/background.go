// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	// MaxBackgroundQueues a queue with levels has beside its last level's own, numbered from 0.
	MaxBackgroundQueues = 64
	// FirstBackgroundClass is of background queue 0; the others' follow. So numbered at most 5 leaves are in one bucket of
	// the kernel's table of qdiscs, where the packets' program finds them.
	FirstBackgroundClass = Handle | 0x80
)

// AddBackground makes a background queue: a FIFO with the room of a level, that takes turns with the last level's
// own queue, in bytes.
func (q *Queue) AddBackground(queue int) error {
	leaf := q.backgroundClass(queue, q.shape.CapacityBitsPerSecond)
	if err := q.addLeaf(leaf); err != nil {
		return errors.Join(err, q.RemoveBackground(queue))
	}
	return nil
}

// CapBackground holds a background queue to a rate, in place: what waits goes on to wait. The class sends again once
// the packet that it sent last is over at the rate that held then.
func (q *Queue) CapBackground(queue int, bitsPerSecond uint64) error {
	return q.conn.changeClass(q.ifindex, q.backgroundClass(queue, bitsPerSecond))
}

// UncapBackground lets it have what the port's capacity leaves.
func (q *Queue) UncapBackground(queue int) error {
	return q.CapBackground(queue, q.shape.CapacityBitsPerSecond)
}

// RemoveBackground deletes it with all that it holds, if it is there.
func (q *Queue) RemoveBackground(queue int) error {
	err := q.conn.deleteClass(q.ifindex, backgroundHandle(queue))
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// CapBitsPerSecond is the rate that a cap of so much can be: at most the port's capacity, and at least a full frame in
// leastCapMillis, because a class waits for its last packet's time whatever it may send afterwards.
func (q *Queue) CapBitsPerSecond(wanted uint64) uint64 {
	return min(max(wanted, leastCap(q.mtu)), q.shape.CapacityBitsPerSecond)
}

func (q *Queue) backgroundClass(queue int, ceiling uint64) class {
	leaf := q.leaf(backgroundHandle(queue), q.shape.Levels-1)
	leaf.ceiling, leaf.ceilingBurstBytes = ceiling, BurstBytes(ceiling, q.mtu)
	return leaf
}

func backgroundHandle(queue int) uint32 { return FirstBackgroundClass + uint32(queue) }
