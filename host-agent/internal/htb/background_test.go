// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const maxLevels = 4

func (b *bench) levelled(capacityBitsPerSecond uint64) *Queue {
	b.t.Helper()
	queue, err := NewQueue(b.conn, "up0", b.ifindex(), testMTU,
		QueueShape{CapacityBitsPerSecond: capacityBitsPerSecond, BufferPackets: 30, Levels: maxLevels}, false)
	b.must(err)
	return queue
}

// The packets' program checks at most 8 qdiscs in a bucket of the kernel's table; somebody else's may be there.
func TestLeavesSpreadOverTheKernelsHashBuckets(t *testing.T) {
	const most = 5
	buckets := map[uint32]int{}
	enter := func(class uint32) {
		const goldenRatio, bits = 0x61C88647, 4 // the kernel's hash_32, and the size of a device's table
		buckets[leafHandle(class)*goldenRatio>>(32-bits)]++
	}
	for level := range maxLevels {
		enter(levelClass(level))
	}
	for queue := range MaxBackgroundQueues {
		enter(backgroundHandle(queue))
	}
	for bucket, leaves := range buckets {
		if leaves > most {
			t.Errorf("%d leaves in bucket %d, want %d at most", leaves, bucket, most)
		}
	}
}

func TestBackgroundQueuesAreAddedAndRemoved(t *testing.T) {
	b := newBench(t)
	queue := b.levelled(10_000_000)
	read := func(number int) Stats {
		t.Helper()
		stats, err := queue.Stats()
		b.must(err)
		return stats.Background[number]
	}
	for _, number := range []int{0, MaxBackgroundQueues - 1} {
		b.must(queue.AddBackground(number))
		b.must(queue.CapBackground(number, queue.CapBitsPerSecond(1)))
		b.sender.Priority(backgroundHandle(number))
		for range 40 {
			b.sender.Send(make([]byte, 1000))
		}
		before := read(number)
		if before.BacklogPackets < 15 || before.BacklogPackets > 30 || before.DroppedPackets == 0 {
			t.Errorf("queue %d: %+v, want room for 30", number, before)
		}
		// A change leaves what waits alone.
		b.must(queue.CapBackground(number, 2_000_000))
		if after := read(number); after.BacklogPackets+after.SentPackets != before.BacklogPackets+before.SentPackets ||
			after.DroppedPackets != before.DroppedPackets {
			t.Errorf("queue %d: %+v after %+v", number, after, before)
		}
		b.must(queue.UncapBackground(number))
		testnet.Until(t, "it is empty", func() bool { return read(number).BacklogPackets == 0 })
		b.must(queue.RemoveBackground(number))
		b.must(queue.RemoveBackground(number)) // it is not there
		if gone := read(number); gone.Handle != 0 {
			t.Errorf("%+v is still there", gone)
		}
	}
	b.must(queue.Release())
}

func TestACapIsBetweenOneFrameAndTheCapacity(t *testing.T) {
	for _, c := range []struct{ capacity, wanted, want uint64 }{
		{20_000_000, 5_000_000, 5_000_000},
		{20_000_000, 20_000_001, 20_000_000},
		{20_000_000, 1, 1_211_200}, // a full frame, 1514 bytes, in 10 ms
		{1_000_000, 1, 1_000_000},
	} {
		q := Queue{mtu: testMTU, shape: QueueShape{CapacityBitsPerSecond: c.capacity}}
		if got := q.CapBitsPerSecond(c.wanted); got != c.want {
			t.Errorf("%d of %d: %d, want %d", c.wanted, c.capacity, got, c.want)
		}
	}
}
