// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"errors"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// housekeepingNanos is how often what is idle is freed.
const housekeepingNanos = int64(time.Second)

// turn is one period of the host loop.
func (a *Agent) turn(nowNanos int64) {
	a.lease.renew(a.shim, nowNanos)
	a.pairs.Turn(nowNanos)
	if nowNanos-a.housekept > housekeepingNanos {
		a.housekept = nowNanos
		a.pairs.ForgetIdle(nowNanos)
		a.peers.ForgetIdle(nowNanos)
		a.peers.MeasureRoundTrips(nowNanos)
	}
	for _, e := range a.endpoints.All() {
		e.Turn(nowNanos)
	}
	a.reportEndpoints()
	a.connections.Turn(nowNanos)
	a.observe(nowNanos)
}

// receive takes a message that came in band: a controller's notice, or one of another agent.
func (a *Agent) receive(control shim.ControlPacket) {
	if wire.IsNotice(control.Packet, uint8(a.config.ControlProtocol)) {
		a.notices.Receive(control.Nanos, control.Packet)
	} else {
		a.peers.Receive(control.Nanos, control.From, control.Packet)
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
				a.faults.Report("write the trace", a.trace.FirstCE(first.Nanos, first.Pair))
			})
		case event.Connection != nil:
			slot := event.Connection.Slot
			a.inbox.PostNow(func() { a.connections.Changed(slot) })
		case event.Handshake != nil:
			held := *event.Handshake
			held.Frame = bytes.Clone(held.Frame)
			a.inbox.PostNow(func() { a.connections.TakeHandshake(held) })
		case event.Control != nil:
			control := *event.Control
			control.Packet = bytes.Clone(control.Packet)
			work := func() { a.receive(control) }
			if a.pacer.IsSlow() {
				a.inbox.PostNow(work) // it may report marks
			} else {
				a.inbox.Post(work)
			}
		}
	}
}
