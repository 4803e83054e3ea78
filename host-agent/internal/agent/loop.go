// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// loop is the engine: it turns every tau, and at once when somebody waits for an answer.
func (a *Agent) loop(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tau := a.tau
	ticker := time.NewTicker(tau)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.inbox.wake:
			a.empty()
		case <-ticker.C:
			a.empty()
			a.turn(clock.Nanos())
			if a.tau != tau {
				tau = a.tau
				ticker.Reset(tau)
			}
		}
	}
}

func (a *Agent) empty() {
	for _, work := range a.inbox.take() {
		work()
	}
}

// turn is one period of the host loop.
func (a *Agent) turn(nowNanos int64) {
	a.lease.renew(a.shim, nowNanos)
	a.lookAtPairs(nowNanos)
	for _, e := range a.endpoints {
		a.complain("watch frames", e.watchFrames())
		if a.settings.Enforcement {
			a.complain("run laws", e.runLaws(nowNanos))
		}
	}
	a.observe(nowNanos)
}

// complain logs a failure that the engine survives.
func (a *Agent) complain(what string, err error) {
	if err != nil {
		a.log.Error(what, "error", err)
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
			nanos, packet := event.Control.Nanos, bytes.Clone(event.Control.Packet)
			a.inbox.leave(func() { a.receive(nanos, packet) })
		}
	}
}
