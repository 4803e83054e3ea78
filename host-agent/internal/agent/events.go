// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"log/slog"

	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// eventReader hands what the programs report to the engine, which looks for it whenever it runs tasks. While it turns
// every tau, programs wake it for what is urgent alone.
type eventReader struct {
	events *shim.Events
	inbox  *engine.Inbox
	loop   *hostLoop
	log    *slog.Logger
	polled bool
	read   chan struct{} // the engine has read all that had come
	ended  chan struct{}
}

func openEvents(inbox *engine.Inbox, loop *hostLoop, log *slog.Logger) (*eventReader, error) {
	events, err := loop.shim.Events()
	if err != nil {
		return nil, err
	}
	r := &eventReader{
		events: events, inbox: inbox, loop: loop, log: log, read: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	inbox.Poll(r.take)
	loop.pacer.WhenPaced(r.paced)
	return r, nil
}

// run wakes the engine for what programs do not let wait, until stop.
func (r *eventReader) run() {
	for r.events.Wait() == nil {
		r.inbox.Wake()
		select {
		case <-r.read:
		case <-r.ended:
			return
		}
	}
}

// paced has programs wake the engine where its next turn is further away than tau.
func (r *eventReader) paced(slow bool) {
	if r.polled == !slow {
		return
	}
	r.polled = !slow
	r.loop.shim.PollEvents(r.polled)
	if slow {
		r.inbox.Wake() // for what has come just before
	}
}

// take takes what the programs have reported.
func (r *eventReader) take() {
	for {
		event, some, err := r.events.Read()
		if !some {
			break
		}
		if err != nil {
			r.log.Error("cannot read an event of the BPF programs", "error", err)
			continue
		}
		r.handle(event)
	}
	select {
	case r.read <- struct{}{}:
	default:
	}
}

func (r *eventReader) handle(event shim.Event) {
	switch {
	case event.FirstCE != nil:
		r.loop.marked(*event.FirstCE)
	case event.Connection != nil:
		r.loop.connections.Changed(event.Connection.Slot)
	case event.Handshake != nil:
		held := *event.Handshake
		held.Frame = bytes.Clone(held.Frame) // the next read overwrites it
		r.loop.connections.TakeHandshake(held)
	case event.Large != nil:
		r.loop.sizes.Began(*event.Large)
	case event.Control != nil:
		r.loop.receive(*event.Control)
	}
}

// stop ends run.
func (r *eventReader) stop() {
	_ = r.events.Stop()
	close(r.ended)
}

func (r *eventReader) close() { _ = r.events.Close() }
