// SPDX-License-Identifier: Apache-2.0

package uplink

import "time"

const (
	// observePause is between two readings of who sends, observePausePart of what one took where that is more:
	// on a host with many endpoints that come and go in turns they take no more than a twentieth of a
	// processor.
	observePause     = 20 * time.Millisecond
	observePausePart = 20
	// silenceNanos: a group that was offered nothing for so long does not send.
	silenceNanos = int64(200 * time.Millisecond)
)

// Offered reads the bytes that were offered to each of an endpoint's groups so far; the slice is read at
// once, and may be used again.
type Offered func(endpoint int) []uint64

// activity is when each group was offered something last.
type activity struct {
	dueNanos int64 // of the next reading
	groups   map[int]*groups
}

// groups are an endpoint's.
type groups struct {
	offered   []uint64
	sentNanos []int64
}

// Observe notices which endpoints send, and has the turns follow where that changed. The rates do not
// depend on it: an endpoint that begins to send owns its part at once.
func (s *Scheduler) Observe(nowNanos int64, offered Offered) error {
	a := &s.activity
	if nowNanos < a.dueNanos {
		return nil
	}
	began := time.Now()
	defer func() {
		a.dueNanos = nowNanos + max(observePause, observePausePart*time.Since(began)).Nanoseconds()
	}()
	if a.groups == nil {
		a.groups = map[int]*groups{}
	}
	changed := false
	for index := range a.groups {
		if s.endpoints[index] == nil {
			delete(a.groups, index)
		}
	}
	for index, e := range s.endpoints {
		g := a.groups[index]
		if g == nil {
			g = &groups{}
			a.groups[index] = g
		}
		sending := g.observe(nowNanos, offered(index))
		changed = changed || sending != e.sending
		e.sending = sending
	}
	if !changed {
		return nil
	}
	return s.Apply()
}

// observe returns how many groups send.
func (g *groups) observe(nowNanos int64, offered []uint64) int {
	for len(g.offered) < len(offered) {
		g.offered, g.sentNanos = append(g.offered, 0), append(g.sentNanos, nowNanos-silenceNanos)
	}
	sending := 0
	for i, bytes := range offered {
		if bytes != g.offered[i] {
			g.offered[i], g.sentNanos[i] = bytes, nowNanos
		}
		if nowNanos-g.sentNanos[i] < silenceNanos {
			sending++
		}
	}
	return sending
}
