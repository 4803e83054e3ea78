// SPDX-License-Identifier: Apache-2.0

// Package clock reads the kernel's monotonic clock, the one that BPF programs stamp with, and ticks by it.
//
// The runtime's monitor thread, idle while nothing happens, becomes active by the first system call that
// notifies the runtime, and polls for a while. An engine that turns hundreds of times a
// second pays more for that than for its turns. So nothing here does.
package clock

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// comparisons of the two clocks, of which the one that was interrupted least is used.
const comparisons = 32

// The runtime reads the same clock without a system call, but gives only differences.
var (
	origin      = time.Now()
	originNanos = difference(kernelNanos, sinceOrigin)
)

func sinceOrigin() int64 { return time.Since(origin).Nanoseconds() }

// difference of two clocks, nanoseconds. Other processes may run between two readings, for milliseconds where the
// machine is busy; what is measured then would be wrong for as long as the process runs.
func difference(of, from func() int64) int64 {
	var found int64
	least := int64(math.MaxInt64)
	for range comparisons {
		before := from()
		read := of()
		if width := from() - before; width < least {
			least = width
			found = read - before - width/2
		}
	}
	return found
}

// Nanos is CLOCK_MONOTONIC.
func Nanos() int64 { return originNanos + sinceOrigin() }

func kernelNanos() int64 {
	var now unix.Timespec
	// It cannot fail for this clock.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}

// Steady gives nanoseconds since 1970, as the wall clock did when it was made and the monotonic clock
// has counted since. It grows whatever is done to the wall clock, and from one start of the machine to
// the next: what sequence numbers need.
type Steady struct {
	offset    int64
	monotonic func() int64
}

// NewSteady begins at a wall clock's time.
func NewSteady(wall time.Time, monotonic func() int64) Steady {
	return Steady{offset: wall.UnixNano() - monotonic(), monotonic: monotonic}
}

// Nanos since 1970.
func (s Steady) Nanos() int64 { return s.offset + s.monotonic() }
