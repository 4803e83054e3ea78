// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func (w *watchedConnection) hold() {
	w.HoldHandshakes(clock.Nanos() + time.Hour.Nanoseconds())
}

// synAck passes a SYN-ACK on; true if it reaches the endpoint.
func (w *watchedConnection) synAck(context skbContext) bool {
	w.t.Helper()
	frame := w.in
	frame.TCPFlags, frame.TCPOptions, frame.Acknowledgement, frame.Window = synAck, scaleOption(7), w.next, 65535
	result := w.run(w.objects.ToVm, frame.Build(), context)
	return result.verdict == verdictNext
}

func TestSynAcksAreHeldForAGrant(t *testing.T) {
	w := newFixture(t).watch()
	events := openedEvents(w.fixture)
	w.hold()
	w.emit(syn, scaleOption(7), 0)
	slot := w.onlyConnection().Slot
	if w.synAck(fromUplink) {
		t.Fatal("it did not wait")
	}
	if w.synAck(fromUplink) {
		t.Error("its duplicate passed before it")
	}
	var held *Handshake
	for held == nil {
		held = read(t, events).Handshake
	}
	frame := w.in
	frame.TCPFlags, frame.TCPOptions, frame.Acknowledgement, frame.Window = synAck, scaleOption(7), w.next, 65535
	if held.Slot != slot || string(held.Frame) != string(frame.Build()) {
		t.Errorf("held %+v", held)
	}
	if c := w.onlyConnection(); c.State != model.FlowOpened {
		t.Errorf("established although the endpoint knows nothing: %+v", c)
	}
	w.grant(2 * testSegment)
	before := w.Endpoint(endpointIndex).ReceivedPackets
	result := w.run(w.objects.ToVm, held.Frame, skbContext{Mark: uint32(OriginHandshake)})
	if got := testnet.WindowOf(result.frame); result.verdict != verdictNext || got != 2*testSegment {
		t.Errorf("verdict %d, window %d", result.verdict, got)
	}
	if w.Endpoint(endpointIndex).ReceivedPackets != before {
		t.Error("counted twice")
	}
	if c := w.onlyConnection(); c.State != model.FlowEstablished || c.RoundTripNanos == 0 {
		t.Errorf("%+v", c)
	}
	if !w.synAck(fromUplink) {
		t.Error("one that the peer sends again is held again")
	}
}

// One that has waited in vain opens no more than a first window: what is granted late holds soon.
func TestUnansweredSynAcksOpenAFirstWindow(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(*watchedConnection)
		want   uint16
	}{
		"nobody has answered": {func(*watchedConnection) {}, 10 * testSegment},
		"released":            {func(w *watchedConnection) { w.SetAnswered(w.onlyConnection().Slot) }, 65535},
		"granted": {func(w *watchedConnection) {
			w.grant(20 * testSegment)
			w.SetAnswered(w.onlyConnection().Slot)
		}, 20 * testSegment},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.hold()
			w.emit(syn, scaleOption(7), 0)
			if w.synAck(fromUplink) {
				t.Fatal("it did not wait")
			}
			c.answer(w)
			frame := w.in
			frame.TCPFlags, frame.TCPOptions, frame.Acknowledgement, frame.Window = synAck, scaleOption(7), w.next, 65535
			result := w.run(w.objects.ToVm, frame.Build(), skbContext{Mark: uint32(OriginHandshake)})
			if got := testnet.WindowOf(result.frame); got != c.want {
				t.Errorf("window %d, want %d", got, c.want)
			}
			if got := w.acknowledge(30_000); name == "nobody has answered" && got != 30_000 {
				t.Errorf("window %d after that, want the peer's", got)
			}
		})
	}
}

func TestSynAcksThatAreNotHeld(t *testing.T) {
	for name, spoil := range map[string]func(*watchedConnection){
		"nobody is there": func(w *watchedConnection) { w.HoldHandshakes(0) },
		"not any more":    func(w *watchedConnection) { w.HoldHandshakes(clock.Nanos() - 1) },
		"lease over":      func(w *watchedConnection) { w.RenewLease(clock.Nanos() - 1) },
		"answered":        func(w *watchedConnection) { w.SetAnswered(w.onlyConnection().Slot) },
		"not watched":     func(w *watchedConnection) { _ = w.Watch(false, clock.Nanos()) },
		"held for long": func(w *watchedConnection) {
			w.connections.At(w.onlyConnection().Slot).HeldNanos = uint64(clock.Nanos() - time.Second.Nanoseconds())
		},
		"ring full": func(w *watchedConnection) {
			for port := uint16(1); w.Totals().LostEvents == 0; port++ {
				w.out.SourcePort++
				w.in.Port++
				w.emit(syn, scaleOption(7), 0)
				w.synAck(fromUplink)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.hold()
			w.emit(syn, scaleOption(7), 0)
			spoil(w)
			if !w.synAck(fromUplink) {
				t.Error("it waits")
			}
		})
	}
}
