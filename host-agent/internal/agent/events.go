// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"errors"
	"log/slog"

	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// eventReader hands what the programs report to the engine.
type eventReader struct {
	events  *shim.Events
	inbox   *engine.Inbox
	loop    *hostLoop
	log     *slog.Logger
	flushed chan struct{} // closed when the last events have been read
}

func openEvents(inbox *engine.Inbox, loop *hostLoop, log *slog.Logger) (*eventReader, error) {
	events, err := loop.shim.Events()
	if err != nil {
		return nil, err
	}
	return &eventReader{events: events, inbox: inbox, loop: loop, log: log, flushed: make(chan struct{})}, nil
}

// run reads until the reader is closed.
func (r *eventReader) run() {
	for {
		event, err := r.events.Read()
		switch {
		case errors.Is(err, shim.ErrClosed):
			return
		case errors.Is(err, shim.ErrFlushed):
			close(r.flushed)
		case err != nil:
			r.log.Error("cannot read an event of the BPF programs", "error", err)
		default:
			r.post(event)
		}
	}
}

// post copies what the next read overwrites.
func (r *eventReader) post(event shim.Event) {
	switch {
	case event.FirstCE != nil:
		first := *event.FirstCE
		r.inbox.PostNow(func() { r.loop.marked(first) })
	case event.Connection != nil:
		slot := event.Connection.Slot
		r.inbox.PostNow(func() { r.loop.connections.Changed(slot) })
	case event.Handshake != nil:
		held := *event.Handshake
		held.Frame = bytes.Clone(held.Frame)
		r.inbox.PostNow(func() { r.loop.connections.TakeHandshake(held) })
	case event.Large != nil:
		flow := *event.Large
		r.inbox.Post(func() { r.loop.sizes.Began(flow) })
	case event.Control != nil:
		message := *event.Control
		message.Packet = bytes.Clone(message.Packet)
		receive := func() { r.loop.receive(message) }
		if r.loop.pacer.IsSlow() {
			r.inbox.PostNow(receive) // it may report marks
		} else {
			r.inbox.Post(receive)
		}
	}
}

// flush waits until all that the programs have reported so far is posted.
func (r *eventReader) flush() {
	if r.events.Flush() == nil {
		<-r.flushed
	}
}

func (r *eventReader) close() { _ = r.events.Close() }
