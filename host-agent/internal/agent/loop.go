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

// loop is the engine: it turns every tau while there is traffic, and at once when somebody waits for
// an answer.
func (a *Agent) loop(ctx context.Context) {
	period := a.tau.now()
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.inbox.wake:
			a.empty()
			if now := clock.Nanos(); a.worthATurn(now) {
				a.turn(now)
				ticker.Reset(period)
			}
		case <-ticker.C:
			a.empty()
			now := clock.Nanos()
			a.turn(now)
			if next := a.period(now); next != period {
				period = next
				ticker.Reset(period)
			}
		}
	}
}

// worthATurn says that notices came which should not wait for the next turn: marks that only notices
// tell of are as old as their period already. Several controllers' notices make two turns per period
// at most.
func (a *Agent) worthATurn(nowNanos int64) bool {
	noticed := a.notices.pending
	a.notices.pending = false
	return noticed && a.settings.NoticesAlone && nowNanos-a.turned >= a.tau.now().Nanoseconds()/2
}

const (
	// idleAfterNanos without a packet the engine turns more slowly: a host with nothing to do must
	// not cost anything.
	idleAfterNanos = int64(time.Second)
	idleSlowdown   = 4
)

// period is how long the engine rests until its next turn.
func (a *Agent) period(nowNanos int64) time.Duration {
	if nowNanos-a.busy > idleAfterNanos {
		return idleSlowdown * a.tau.now()
	}
	return a.tau.now()
}

func (a *Agent) empty() {
	for _, work := range a.inbox.take() {
		work()
	}
}

// turn is one period of the host loop.
func (a *Agent) turn(nowNanos int64) {
	a.tau.turned()
	a.turned = nowNanos
	a.notices.pending = false
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
		if err != nil {
			a.log.Error("event ring", "error", err)
			continue
		}
		switch {
		case event.FirstCE != nil:
			first := *event.FirstCE
			a.inbox.leave(func() { a.complain("trace", a.trace.FirstCE(first.Nanos, first.Pair)) })
		case event.Control != nil:
			control := *event.Control
			control.Packet = bytes.Clone(control.Packet)
			a.inbox.leave(func() { a.receive(control.Nanos, control.From, control.Packet) })
		}
	}
}
