// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"testing"
	"time"
)

func TestWindowsShareALimit(t *testing.T) {
	const standing = 5 * time.Millisecond
	for _, c := range []struct {
		bitsPerSecond uint64
		bulkFlows     int
		mtu           int
		want          Window
	}{
		{20_000_000, 0, 1500, Window{2_500_000, 2_500_000, 1460, standing}},
		{20_000_000, 1, 1500, Window{2_500_000, 2_500_000, 1460, standing}},
		{20_000_000, 5, 1500, Window{2_500_000, 500_000, 1460, standing}},
		{80, 100, 9000, Window{10, 1, 8960, standing}},
	} {
		if got := WindowOf(c.bitsPerSecond, c.bulkFlows, c.mtu, 0); got != c.want {
			t.Errorf("%d bit/s, %d flows, MTU %d: %+v, want %+v", c.bitsPerSecond, c.bulkFlows, c.mtu, got, c.want)
		}
	}
}

// 3 ms are the class's own; what the network's queues leave of 5 is not taken away, and the class's queue
// must hold all of it.
func TestWindowsAllowForQueuesOnThePath(t *testing.T) {
	for queueing, want := range map[time.Duration]time.Duration{
		0:                      5 * time.Millisecond,
		240 * time.Microsecond: 5 * time.Millisecond,
		2 * time.Millisecond:   5 * time.Millisecond,
		4 * time.Millisecond:   7 * time.Millisecond,
		5 * time.Millisecond:   8 * time.Millisecond,
		time.Second:            8 * time.Millisecond,
	} {
		if got := WindowOf(20_000_000, 1, 1500, queueing).Standing; got != want {
			t.Errorf("%v of queues: %v may stand, want %v", queueing, got, want)
		}
	}
}

func TestWindowsMoveByMoreThanAnEighth(t *testing.T) {
	have := WindowOf(16_000_000, 1, 1500, 0)
	for _, c := range []struct {
		want Window
		near bool
	}{
		{WindowOf(16_000_000, 1, 1500, 0), true},
		{WindowOf(18_000_000, 1, 1500, 0), true},
		{WindowOf(14_000_000, 1, 1500, 0), true},
		{WindowOf(18_000_008, 1, 1500, 0), false},
		{WindowOf(13_999_992, 1, 1500, 0), false},
		{WindowOf(16_000_000, 2, 1500, 0), false},
		{WindowOf(16_000_000, 1, 1500, 3*time.Millisecond), false},
		{Window{}, false},
	} {
		if got := have.Near(c.want); got != c.near {
			t.Errorf("%+v near %+v: %v", have, c.want, got)
		}
		if c.want == (Window{}) && c.want.Near(have) {
			t.Error("a limit's beginning is near to none")
		}
	}
	if !(Window{}).Near(Window{}) {
		t.Error("none is not near to none")
	}
}
