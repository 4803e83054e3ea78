// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// aliveNanos after the engine's last turn SYN-ACKs are held no more: it may have been killed, and
	// what it holds would be lost. Far longer than it rests.
	aliveNanos = int64(200 * time.Millisecond)
	// maxHandshakes that are held at once; more pass.
	maxHandshakes = shim.MaxConnections
)

// handshakes are SYN-ACKs that wait for a word about their connection.
type handshakes struct {
	length time.Duration          // how long; 0: they do not
	held   map[int]shim.Handshake // by slot
}

// holdHandshakes has the shim hold them for as long as this engine surely turns, and somebody could say
// that word.
func (a *Agent) holdHandshakes(nowNanos int64) {
	var until int64
	if a.flows.waiting.length > 0 && len(a.flows.waiting.held) < maxHandshakes {
		for _, controller := range a.controllers.Controllers() {
			if controller.Connected {
				until = nowNanos + aliveNanos
			}
		}
	}
	a.shim.HoldHandshakes(until)
}

// takeHandshake takes a SYN-ACK that a program has held.
func (a *Agent) takeHandshake(taken shim.Handshake) {
	f := &a.flows
	slot, incarnation := taken.Slot, taken.Incarnation
	c, there := a.shim.Connection(slot) // not there: watching has ended meanwhile
	f.waiting.held[slot] = taken
	left := f.waiting.length - time.Duration(clock.Nanos()-taken.Nanos)
	if !there || c.Answered || c.Incarnation != incarnation || left <= 0 || c.State != model.FlowOpened {
		a.passHandshake(slot, incarnation)
		return
	}
	time.AfterFunc(left, func() { a.inbox.PostNow(func() { a.passHandshake(slot, incarnation) }) })
}

// passHandshake sends the SYN-ACK of a connection on, if it waits.
func (a *Agent) passHandshake(slot int, incarnation uint32) {
	f := &a.flows
	held, waits := f.waiting.held[slot]
	if !waits || held.Incarnation != incarnation {
		return
	}
	delete(f.waiting.held, slot)
	a.faults.Report("release a SYN-ACK", f.voice.handshake(held.Ifindex, held.Frame))
}

func (a *Agent) passAllHandshakes() {
	for slot, held := range a.flows.waiting.held {
		a.passHandshake(slot, held.Incarnation)
	}
}
