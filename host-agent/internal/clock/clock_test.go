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
