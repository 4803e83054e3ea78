// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Paced does a piece of work every period, and what it is late with at once, until the test ends or stop is called,
// which waits for what is under way. It has a thread of its own which the kernel runs before all ordinary ones: how much a
// test sends does not depend on what else the machine does. Each piece must be short against the period.
func Paced(t testing.TB, period time.Duration, work func()) (stop func()) {
	t.Helper()
	var ended atomic.Bool
	var running sync.WaitGroup
	running.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its priority
		realTime := unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 1}
		if err := unix.SchedSetAttr(0, &realTime, 0); err != nil {
			t.Errorf("real-time priority: %v (needs root or CAP_SYS_NICE)", err)
			return
		}
		// All such threads on one processor: where two dequeue, a veth does not keep the order.
		var last unix.CPUSet
		last.Set(runtime.NumCPU() - 1)
		if err := unix.SchedSetaffinity(0, &last); err != nil {
			t.Errorf("processor %d: %v", runtime.NumCPU()-1, err)
			return
		}
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			t.Error(err)
			return
		}
		// Not time.Sleep: whichever thread wakes those has no priority. A signal only makes a piece early.
		for next := now.Nano(); !ended.Load(); {
			work()
			next += period.Nanoseconds()
			until := unix.NsecToTimespec(next)
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil)
		}
	})
	stop = func() { ended.Store(true); running.Wait() }
	t.Cleanup(stop)
	return stop
}
