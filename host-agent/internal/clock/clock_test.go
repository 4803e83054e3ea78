// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"testing"
	"time"
)

func TestNanosIsTheKernelsMonotonicClock(t *testing.T) {
	const tries, tolerance = 1000, int64(20 * time.Microsecond)
	for range tries { // the test may be interrupted between two readings
		before := kernelNanos()
		now := Nanos()
		after := kernelNanos()
		if after-before < tolerance && now > before-tolerance && now < after+tolerance {
			return
		}
	}
	t.Errorf("%d, the kernel has %d", Nanos(), kernelNanos())
}

// A process that does not run between two readings must not have a wrong clock for good.
func TestAnInterruptionBetweenTwoReadingsIsDiscarded(t *testing.T) {
	const apart, step, interruption = int64(5_000), int64(40), int64(20 * time.Millisecond)
	now, compared := int64(0), 0
	read := func() int64 {
		now += step
		return now
	}
	interrupted := func() int64 {
		if compared++; compared != 9 {
			now += interruption
		}
		return read() + apart
	}
	if off := difference(interrupted, read) - apart; off < -step || off > step {
		t.Errorf("%d ns off", off)
	}
}

func TestASteadyClockBeginsWithTheWallClockAndGoesOnWithoutIt(t *testing.T) {
	monotonic := int64(5_000)
	steady := NewSteady(time.Unix(1_700_000_000, 0), func() int64 { return monotonic })
	if got, want := steady.Nanos(), int64(1_700_000_000_000_000_000); got != want {
		t.Errorf("it begins at %d, want %d", got, want)
	}
	monotonic += 250
	if got, want := steady.Nanos(), int64(1_700_000_000_000_000_250); got != want {
		t.Errorf("250 ns later %d, want %d", got, want)
	}
}
