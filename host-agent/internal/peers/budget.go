// SPDX-License-Identifier: Apache-2.0

package peers

import "time"

// budget lets something happen so many times a second, after some at once.
type budget struct {
	perSecond, atOnce float64
	left              float64
	nanos             int64 // when it was last read
}

func newBudget(perSecond, atOnce float64) budget {
	return budget{perSecond: perSecond, atOnce: atOnce, left: atOnce}
}

// take reports whether it may happen now; if so, it counts.
func (b *budget) take(nowNanos int64) bool {
	since := max(nowNanos-b.nanos, 0)
	b.left = min(b.left+b.perSecond*time.Duration(since).Seconds(), b.atOnce)
	b.nanos = max(nowNanos, b.nanos)
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
