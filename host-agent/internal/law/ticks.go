// SPDX-License-Identifier: Apache-2.0

package law

// maxCatchUpTicks bounds the timer ticks that one call makes up for: a second's at 250 us, which is a
// whole recovery. Fewer would let the agents of a busy host, whose loops come late, recover more
// slowly than others and lose their shares to them.
const maxCatchUpTicks = 4000

// timerTicks are the ticks of a law's own timer, made up for whenever the law is called. They are
// reckoned from the first call on; a call that comes very late runs a single tick and reckons anew
// from there.
type timerTicks struct {
	started bool
	last    int64
}

// catchUp runs the ticks that are due, in their order.
func (t *timerTicks) catchUp(nowNanos, periodNanos int64, tick func(nowNanos int64)) {
	late := nowNanos - t.last
	if !t.started || late < 0 || late > maxCatchUpTicks*periodNanos {
		t.started = true
		t.last = nowNanos - periodNanos
	}
	for t.last+periodNanos <= nowNanos {
		t.last += periodNanos
		tick(t.last)
	}
}
