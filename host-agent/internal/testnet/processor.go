// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"testing"

	"golang.org/x/sys/unix"
)

// ProcessorTime reports, as cpu-ns/op, what a benchmark's process has used since begin was called; work in the kernel
// for it included.
func ProcessorTime(b *testing.B) (begin, report func()) {
	var before int64
	begin = func() { before = processorNanos(b) }
	report = func() { b.ReportMetric(float64(processorNanos(b)-before)/float64(b.N), "cpu-ns/op") }
	return begin, report
}

func processorNanos(b *testing.B) int64 {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
