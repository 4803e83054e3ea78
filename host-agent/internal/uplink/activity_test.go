// SPDX-License-Identifier: Apache-2.0

package uplink

import "testing"

func TestAGroupIsActiveUntilItHasBeenIdle(t *testing.T) {
	const start = int64(1_000_000_000)
	var g groups
	for _, c := range []struct {
		what    string
		nanos   int64
		offered []uint64
		want    int
	}{
		{"at first nobody", start, []uint64{0, 0}, 0},
		{"the first", start + 1, []uint64{100, 0}, 1},
		{"both", start + silenceNanos, []uint64{100, 7}, 2},
		{"the first is silent", start + 1 + silenceNanos, []uint64{100, 7}, 1},
		{"a counter that begins anew moves too", start + 2 + silenceNanos, []uint64{3, 7}, 2},
		{"both are silent", start + 2 + 2*silenceNanos, []uint64{3, 7}, 0},
	} {
		if got := g.observe(c.nanos, c.offered); got != c.want {
			t.Errorf("%s: %d send, want %d", c.what, got, c.want)
		}
	}
}
