// SPDX-License-Identifier: Apache-2.0

package port

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// drainPollNanos is between two readings of a queue that is to be empty.
const drainPollNanos = int64(10 * time.Millisecond)

// drain removes queues that have left the set, once they are empty and no packet can be on its way to them.
func (b *background) drain(nowNanos int64) {
	waits, passed := false, false
	for _, q := range b.queues {
		if q != nil && q.leftNanos != 0 && nowNanos >= q.leftNanos {
			waits, passed = waits || !q.passed, passed || q.passed
		}
	}
	if waits && !b.passing {
		b.passing = true
		go b.letPass(nowNanos)
	}
	if !passed {
		return
	}
	stats, err := b.port.queueStats()
	if err != nil {
		b.failed(nowNanos, err)
		return
	}
	removed := false
	for number, q := range b.queues {
		if q == nil || !q.passed || stats.Background[number].BacklogPackets > 0 {
			continue
		}
		if err := b.remove(number, stats.Background[number]); err != nil {
			b.failed(nowNanos, err)
			continue
		}
		removed = true
	}
	if removed && b.missing > 0 {
		b.arrange(nowNanos)
	}
}

// remove deletes an empty queue; what it counted stays the last level's.
func (b *background) remove(number int, stats htb.Stats) error {
	if err := b.port.change(func(q *htb.Queue) error { return q.RemoveBackground(number) }); err != nil {
		return err
	}
	state := b.port.state.At(0)
	b.retired.add(countersOf(&state.Background[number].Counters).with(stats))
	b.queues[number] = nil
	for _, q := range b.queues {
		if q != nil {
			return nil
		}
	}
	atomic.StoreUint32(&state.HasBackground, 0)
	return nil
}

// letPass waits until packets have come to their queues for which that was decided before now.
func (b *background) letPass(nowNanos int64) {
	letPacketsPass()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.passing = false
	for _, q := range b.queues {
		if q != nil && q.leftNanos != 0 && q.leftNanos <= nowNanos {
			q.passed = true
		}
	}
	b.inbox.signal()
}

// letPacketsPass waits until the kernel is through with what it does with packets now: from the egress program to the
// queue a packet is in one read-side critical section of RCU.
func letPacketsPass() {
	const global = 1 // MEMBARRIER_CMD_GLOBAL: a grace period
	if _, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, global, 0, 0); errno != 0 {
		time.Sleep(time.Second) // a kernel without it: far longer than a packet takes
	}
}
