// SPDX-License-Identifier: Apache-2.0

// Package clock reads the kernel's monotonic clock, the one that BPF programs stamp with.
package clock

import "golang.org/x/sys/unix"

// Nanos is CLOCK_MONOTONIC.
func Nanos() int64 {
	var now unix.Timespec
	// It cannot fail for this clock.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return now.Nano()
}
