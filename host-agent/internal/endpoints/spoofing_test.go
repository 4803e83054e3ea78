// SPDX-License-Identifier: Apache-2.0

package endpoints

import "testing"

func TestSpoofingReportsAreRateLimitedAfterTheFirst(t *testing.T) {
	const start = int64(1_000_000_000)
	var s violations
	for _, c := range []struct {
		what  string
		nanos int64
		count uint64
		want  uint64
	}{
		{"none", start, 0, 0},
		{"the first", start, 1, 1},
		{"50 more, within the pause", start + violationPauseNanos - 1, 51, 0},
		{"the pause is over", start + violationPauseNanos, 51, 50},
		{"no more of them", start + 2*violationPauseNanos, 51, 0},
		{"one more, late", start + 3*violationPauseNanos, 52, 1},
	} {
		if got := s.due(c.nanos, c.count); got != c.want {
			t.Errorf("%s: %d packets to report, want %d", c.what, got, c.want)
		}
	}
}
