// SPDX-License-Identifier: Apache-2.0

package htb

import "testing"

func TestWindowsShareALimit(t *testing.T) {
	for _, c := range []struct {
		bitsPerSecond uint64
		bulkFlows     int
		mtu           int
		want          Window
	}{
		{20_000_000, 0, 1500, Window{2_500_000, 2_500_000, 2920}},
		{20_000_000, 1, 1500, Window{2_500_000, 2_500_000, 2920}},
		{20_000_000, 5, 1500, Window{2_500_000, 500_000, 2920}},
		{80, 100, 9000, Window{10, 1, 17920}},
	} {
		if got := WindowOf(c.bitsPerSecond, c.bulkFlows, c.mtu); got != c.want {
			t.Errorf("%d bit/s, %d flows, MTU %d: %+v, want %+v", c.bitsPerSecond, c.bulkFlows, c.mtu, got, c.want)
		}
	}
}

func TestWindowsMoveByMoreThanAnEighth(t *testing.T) {
	have := WindowOf(16_000_000, 1, 1500)
	for _, c := range []struct {
		want Window
		near bool
	}{
		{WindowOf(16_000_000, 1, 1500), true},
		{WindowOf(18_000_000, 1, 1500), true},
		{WindowOf(14_000_000, 1, 1500), true},
		{WindowOf(18_000_008, 1, 1500), false},
		{WindowOf(13_999_992, 1, 1500), false},
		{WindowOf(16_000_000, 2, 1500), false},
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
