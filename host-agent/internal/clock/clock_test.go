// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"testing"
	"time"
)

func TestASteadyClockBeginsWithTheWallClockAndGoesOnWithoutIt(t *testing.T) {
	monotonic := int64(5_000)
	steady := NewSteady(time.Unix(1_700_000_000, 0), func() int64 { return monotonic })
	if got, want := steady.Nanos(), int64(1_700_000_000_000_000_000); got != want {
		t.Errorf("it begins at %d, want %d", got, want)
	}
	monotonic += 250
	if got, want := steady.Nanos(), int64(1_700_000_000_000_000_250); got != want {
		t.Errorf("250 ns later it says %d, want %d", got, want)
	}
}
