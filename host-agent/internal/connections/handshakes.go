// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// aliveNanos after the engine's last turn SYN-ACKs are held no more: it may have been killed, and
	// what it holds would be lost. Far longer than it pauses.
	aliveNanos = int64(200 * time.Millisecond)
	// maxHandshakes that are held at once; more pass.
	maxHandshakes = shim.MaxConnections
)

// handshakes are SYN-ACKs that wait for a decision about their connection.
type handshakes struct {
	host     *Host
	injector *injector
	wait     time.Duration          // how long; 0: they do not
	held     map[int]shim.Handshake // by slot
}

// hold has the shim hold them for as long as this engine surely turns, and a controller could decide.
func (h *handshakes) hold(nowNanos int64) {
	var until int64
	if h.wait > 0 && len(h.held) < maxHandshakes {
		for _, controller := range h.host.Controllers.Controllers() {
			if controller.Connected {
				until = nowNanos + aliveNanos
			}
		}
	}
	h.host.Shim.HoldHandshakes(until)
}

// take takes a SYN-ACK that a program has held.
func (h *handshakes) take(taken shim.Handshake) {
	slot, incarnation := taken.Slot, taken.Incarnation
	c, found := h.host.Shim.Connection(slot) // not found: watching has ended meanwhile
	h.held[slot] = taken
	left := h.wait - time.Duration(clock.Nanos()-taken.Nanos)
	if !found || c.Answered || c.Incarnation != incarnation || left <= 0 || c.State != model.FlowOpened {
		h.release(slot, incarnation)
		return
	}
	time.AfterFunc(left, func() { h.host.Inbox.PostNow(func() { h.release(slot, incarnation) }) })
}

// release sends the SYN-ACK of a connection on, if it waits.
func (h *handshakes) release(slot int, incarnation uint32) {
	held, waits := h.held[slot]
	if !waits || held.Incarnation != incarnation {
		return
	}
	delete(h.held, slot)
	h.host.Faults.Report("release a SYN-ACK", h.injector.handshake(held.Place, held.Frame))
}

func (h *handshakes) releaseAll() {
	for slot, held := range h.held {
		h.release(slot, held.Incarnation)
	}
}
