// SPDX-License-Identifier: Apache-2.0

package endpoints

import "testing"

func TestALimitIsAppliedIfItChangesEnoughOrAnswersAFirstMark(t *testing.T) {
	const have = 10_000_000
	for _, c := range []struct {
		name          string
		before, now   float64
		limit         uint64
		wantedInForce bool
	}{
		{"a little less, without marks", 0, 0, have - have/200, false},
		{"a little less, among marks", 0.1, 0.1, have - have/200, false},
		{"a little less, for the first marks", 0, 0.05, have - have/200, true},
		{"a little more, for the first marks", 0, 0.05, have + have/200, true},
		{"the same, for the first marks", 0, 0.05, have, false},
		{"much less", 0, 0, have / 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &group{limit: have, ceShare: c.before}
			if got := g.isDue(c.limit, c.now); got != c.wantedInForce {
				t.Errorf("due: %v, want %v", got, c.wantedInForce)
			}
		})
	}
}
