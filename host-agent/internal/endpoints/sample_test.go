// SPDX-License-Identifier: Apache-2.0

package endpoints

import "testing"

// The kernel counts a class's drops in 32 bits.
func TestIncrementsOfCountersThatWrapOrRestart(t *testing.T) {
	for _, c := range []struct{ from, to, want uint64 }{
		{0, 7, 7},
		{7, 7, 0},
		{5, 9, 4},
		{1<<32 - 1, 3, 3},
		{1<<64 - 1, 3, 3},
	} {
		if got := increment(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d is %d, want %d", c.from, c.to, got, c.want)
		}
	}
}
