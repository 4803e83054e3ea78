// SPDX-License-Identifier: Apache-2.0

package wire

// windowLength is how many sequence numbers a receiver remembers.
const windowLength = 64

// window remembers which of the last sequence numbers have come. Arithmetic is modulo 2^64: a
// number is ahead when it is less than 2^63 after the highest one seen.
type window struct {
	highest uint64
	seen    uint64 // bit n: highest - n has come
}

// newWindow opens a window at the first number that came.
func newWindow(sequence uint64) window { return window{highest: sequence, seen: 1} }

// accept reports whether a number arrives for the first time, and remembers it.
func (w *window) accept(sequence uint64) bool {
	ahead := int64(sequence - w.highest)
	switch {
	case ahead >= windowLength:
		w.highest, w.seen = sequence, 1
		return true
	case ahead > 0:
		w.highest, w.seen = sequence, w.seen<<uint(ahead)|1
		return true
	case ahead <= -windowLength:
		return false
	}
	bit := uint64(1) << uint(-ahead)
	if w.seen&bit != 0 {
		return false
	}
	w.seen |= bit
	return true
}
