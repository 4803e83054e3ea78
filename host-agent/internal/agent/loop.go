// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// loop is the engine: it turns every tau while limits follow marks, more slowly otherwise, and at once
// for what should not wait. However much of that comes, it makes two turns per tau at most.
func (a *Agent) loop(ctx context.Context, ticker *clock.Ticker) {
	period := a.tau.now()
	turn := func(nowNanos int64) (changed bool) {
		before := period
		a.turn(nowNanos)
		period = a.period(nowNanos)
		a.resting.Store(period > a.tau.now())
		return period != before
	}
	begin := func() { a.complain("tick", ticker.Reset(period)) }
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.inbox.wake:
			a.empty()
			if !a.urgent {
				continue
			}
			if now := clock.Nanos(); now-a.turned >= a.tau.now().Nanoseconds()/2 {
				turn(now)
				begin()
			} else if period > a.tau.now() {
				period = a.tau.now()
				begin()
			}
		case <-ticker.C:
			a.empty()
			if turn(clock.Nanos()) {
				begin()
			}
		}
	}
}

// pace is how long the engine rests between two turns while no limit follows marks. What ends that
// wakes it: a first mark, a share, a notice, feedback with marks.
type pace struct {
	calm time.Duration
	// idle is for a host on which nothing passes: it must not cost anything.
	idle time.Duration
}

var defaultPace = pace{calm: 20 * time.Millisecond, idle: 40 * time.Millisecond}

const (
	// concernedNanos after the last group in force, or the last mark, it is calm. Programs report a
	// pair's first mark after 200 ms without any: it must be longer than that.
	concernedNanos = int64(time.Second)
	// idleAfterNanos without a packet the host is idle.
	idleAfterNanos = int64(time.Second)
)

// period is how long the engine rests until its next turn.
func (a *Agent) period(nowNanos int64) time.Duration {
	period := a.tau.now()
	if !a.isCalm(nowNanos) {
		return period
	}
	if nowNanos-a.busy > idleAfterNanos {
		return max(period, a.pace.idle)
	}
	return max(period, a.pace.calm)
}

// isCalm says that no limit is to follow marks, and that nobody waits to hear of some.
func (a *Agent) isCalm(nowNanos int64) bool { return nowNanos-a.concerned > concernedNanos }

func (a *Agent) empty() {
	for _, work := range a.inbox.take() {
		work()
	}
}

// turn is one period of the host loop.
func (a *Agent) turn(nowNanos int64) {
	a.tau.turned()
	a.turned = nowNanos
	a.urgent = false
	a.lease.renew(a.shim, nowNanos)
	a.lookAtPairs(nowNanos)
	for _, e := range a.endpoints {
		a.complain("learn addresses", e.learn(nowNanos))
		e.watchSpoofing(nowNanos)
		a.complain("watch frames", e.watchFrames())
		if a.settings.Enforcement {
			a.complain("run laws", e.runLaws(nowNanos))
		}
	}
	a.reportEndpoints()
	a.lookAtConnections(nowNanos)
	a.observe(nowNanos)
}

// complaintNanos is how often the same complaint is made; the engine turns hundreds of times a
// second, and what fails once fails again.
const complaintNanos = int64(10 * time.Second)

// complain logs a failure that the engine survives, and tells the controllers.
func (a *Agent) complain(what string, err error) {
	if err == nil {
		return
	}
	now := clock.Nanos()
	if last, made := a.complaints[what]; made && now-last < complaintNanos {
		return
	}
	a.complaints[what] = now
	a.log.Error(what, "error", err)
	a.report(model.EnforcementFailed, fmt.Sprintf("%s: %v", what, err))
}

// report tells the controllers, if there are any.
func (a *Agent) report(kind model.EventKind, detail string) {
	if a.controllers != nil {
		a.controllers.Report(model.Event{Kind: kind, Detail: detail})
	}
}

// readEvents hands the shim's events to the engine until the ring is closed.
func (a *Agent) readEvents() {
	for {
		event, err := a.events.Read()
		if errors.Is(err, shim.ErrClosed) {
			return
		}
		if errors.Is(err, shim.ErrFlushed) {
			close(a.flushed)
			continue
		}
		if err != nil {
			a.log.Error("event ring", "error", err)
			continue
		}
		switch {
		case event.FirstCE != nil:
			first := *event.FirstCE
			a.inbox.urge(func() {
				a.urgent = true // whoever sent it waits to hear of it
				a.complain("trace", a.trace.FirstCE(first.Nanos, first.Pair))
			})
		case event.Connection != nil:
			slot := event.Connection.Slot
			a.inbox.urge(func() { a.connectionChanged(slot) })
		case event.Handshake != nil:
			held := *event.Handshake
			held.Frame = bytes.Clone(held.Frame)
			a.inbox.urge(func() { a.takeHandshake(held) })
		case event.Control != nil:
			control := *event.Control
			control.Packet = bytes.Clone(control.Packet)
			work := func() { a.receive(control.Nanos, control.From, control.Packet) }
			if a.resting.Load() {
				a.inbox.urge(work) // it may tell of marks
			} else {
				a.inbox.leave(work)
			}
		}
	}
}
