// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// turn is one period of the host loop.
func (a *Agent) turn(nowNanos int64) {
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
			a.inbox.PostNow(func() {
				a.pacer.TurnSoon() // whoever sent it waits for the report
				a.complain("trace", a.trace.FirstCE(first.Nanos, first.Pair))
			})
		case event.Connection != nil:
			slot := event.Connection.Slot
			a.inbox.PostNow(func() { a.connectionChanged(slot) })
		case event.Handshake != nil:
			held := *event.Handshake
			held.Frame = bytes.Clone(held.Frame)
			a.inbox.PostNow(func() { a.takeHandshake(held) })
		case event.Control != nil:
			control := *event.Control
			control.Packet = bytes.Clone(control.Packet)
			work := func() { a.receive(control.Nanos, control.From, control.Packet) }
			if a.pacer.IsSlow() {
				a.inbox.PostNow(work) // it may report marks
			} else {
				a.inbox.Post(work)
			}
		}
	}
}
