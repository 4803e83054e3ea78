// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testSegment = 1460 // what scaleOption says
	firstByte   = 1001
)

// watchedConnection is one that is watched, its sequence numbers in hand.
type watchedConnection struct {
	*connection
	// next is what the endpoint sends next, acknowledged what the peer has acknowledged.
	next, acknowledged uint32
}

func (f *fixture) watch() *watchedConnection {
	f.t.Helper()
	if err := f.Watch(true, clock.Nanos()); err != nil {
		f.t.Fatal(err)
	}
	return &watchedConnection{f.connection(), firstByte, firstByte}
}

func (w *watchedConnection) emit(flags uint8, options []byte, payload int) outcome {
	w.t.Helper()
	frame := w.out
	frame.TCPFlags, frame.TCPOptions, frame.PayloadBytes, frame.Sequence = flags, options, payload, w.next
	if flags&testnet.SYN != 0 {
		frame.Sequence--
	}
	result := w.fromVM(frame)
	w.next += uint32(payload)
	if flags&testnet.FIN != 0 {
		w.next++
	}
	return result
}

func (w *watchedConnection) data(payload int) { w.t.Helper(); w.emit(testnet.ACK, nil, payload) }

// hear passes an acknowledgement on and returns the window that the endpoint sees.
func (w *watchedConnection) hear(window uint16) uint16 {
	w.t.Helper()
	return w.receive(testnet.ACK, nil, w.acknowledged, window)
}

// establish has the endpoint open it, with a scale of the peer's; the SYN-ACK offers 1000 bytes.
func (w *watchedConnection) establish(scale int) {
	w.t.Helper()
	w.emit(syn, scaleOption(7), 0)
	w.receive(synAck, scaleOption(scale), w.next, 1000)
	w.fixRoundTrip()
}

// state is the only connection watched.
func (f *fixture) onlyConnection() Connection {
	f.t.Helper()
	var found []Connection
	for c := range f.Connections() {
		found = append(found, c)
	}
	if len(found) != 1 {
		f.t.Fatalf("%d connections watched, want 1", len(found))
	}
	return found[0]
}

func (w *watchedConnection) grant(bytes uint32) {
	w.t.Helper()
	w.SetGrant(w.onlyConnection().Slot, Grant{true, bytes}, clock.Nanos())
}

func TestConnectionsAreFollowed(t *testing.T) {
	w := newFixture(t).watch()
	w.emit(syn, scaleOption(7), 0)
	c := w.onlyConnection()
	want := model.FlowID{Source: own4, SourcePort: 1000, Destination: peer4, DestinationPort: 80}
	if c.Flow != want || c.State != model.FlowOpened || c.DeliveredBytes != 0 || c.Endpoint != endpointIndex || c.ScaleUnknown {
		t.Errorf("after the SYN %+v", c)
	}
	w.receive(synAck, scaleOption(4), w.next, 1000)
	if c = w.onlyConnection(); c.State != model.FlowEstablished || c.DeliveredBytes != 0 || c.RoundTripNanos == 0 ||
		c.ScaleUnknown || c.SegmentBytes != testSegment {
		t.Errorf("after the SYN-ACK %+v", c)
	}
	w.data(1000)
	w.data(500)
	w.acknowledged += 1000
	w.hear(100)
	if c = w.onlyConnection(); c.DeliveredBytes != 1000 {
		t.Errorf("%d delivered, want 1000", c.DeliveredBytes)
	}
	w.hear(100) // a duplicate
	w.acknowledged += 5000
	w.hear(100) // of what was never sent
	w.acknowledged -= 5000
	if c = w.onlyConnection(); c.DeliveredBytes != 1000 {
		t.Errorf("%d delivered, want 1000 still", c.DeliveredBytes)
	}
	w.emit(testnet.ACK|testnet.FIN, nil, 10)
	if c = w.onlyConnection(); c.State != model.FlowEstablished {
		t.Errorf("ended with a FIN that nobody has acknowledged: %+v", c)
	}
	w.acknowledged += 511 // the FIN included
	w.hear(100)
	if c = w.onlyConnection(); c.State != model.FlowClosed || c.DeliveredBytes != 1510 {
		t.Errorf("at the end %+v, want 1510 delivered", c)
	}
	// Another one of the same ports.
	incarnation := c.Incarnation
	w.next, w.acknowledged = 70_000, 70_000
	w.emit(syn, scaleOption(7), 0)
	if c = w.onlyConnection(); c.State != model.FlowOpened || c.DeliveredBytes != 0 || c.Incarnation == incarnation {
		t.Errorf("begun anew %+v", c)
	}
}

func TestNothingIsWatchedUnasked(t *testing.T) {
	f := newFixture(t)
	w := f.watch()
	if err := f.Watch(false, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	w.establish(7)
	w.data(100)
	for c := range f.Connections() {
		t.Errorf("%+v", c)
	}
	// Asked later, what it has sent counts all the same.
	w.data(100_000 % 1400)
	f.watch()
	w.data(10)
	w.acknowledged = w.next
	w.hear(100)
	if c := f.onlyConnection(); c.DeliveredBytes != uint64(w.next-firstByte) || c.ScaleUnknown {
		t.Errorf("%+v, want %d delivered", c, w.next-firstByte)
	}
	if err := f.Watch(false, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	for c := range f.Connections() {
		t.Errorf("still watched: %+v", c)
	}
}

func TestResetsEnd(t *testing.T) {
	for name, reset := range map[string]func(*watchedConnection){
		"the endpoint's": func(w *watchedConnection) { w.emit(testnet.RST, nil, 0) },
		"the peer's":     func(w *watchedConnection) { w.receive(testnet.RST|testnet.ACK, nil, w.acknowledged, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.establish(7)
			reset(w)
			if c := w.onlyConnection(); c.State != model.FlowClosed {
				t.Errorf("%+v", c)
			}
		})
	}
}

// A connection whose beginning nobody saw is counted from its first packet and has no grants.
func TestConnectionsThatWereThereBefore(t *testing.T) {
	w := newFixture(t).watch()
	w.emit(testnet.ACK, nil, 0) // what comes after an end looks like that
	for c := range w.Connections() {
		t.Errorf("%+v", c)
	}
	w.data(1000)
	w.grant(0)
	w.acknowledged = w.next
	if got := w.hear(5000); got != 5000 {
		t.Errorf("window %d, want it left alone", got)
	}
	if c := w.onlyConnection(); c.State != model.FlowEstablished || c.DeliveredBytes != 1000 || !c.ScaleUnknown {
		t.Errorf("%+v", c)
	}
}

func TestDeliveredBytesAreCountedBeyond32Bits(t *testing.T) {
	w := newFixture(t).watch()
	w.next, w.acknowledged = 0xffff0000, 0xffff0000
	w.establish(7)
	const step = 1 << 30
	var sent uint64
	for range 9 {
		// As if 2^30 bytes had been sent: the last packet tells how far.
		w.next += step - 100
		w.data(100)
		sent += step
		w.acknowledged = w.next
		w.hear(100)
	}
	if c := w.onlyConnection(); c.DeliveredBytes != sent {
		t.Errorf("%d delivered, want %d", c.DeliveredBytes, sent)
	}
}

func TestGrantsAreWritten(t *testing.T) {
	for _, scale := range []int{-1, 0, 2, 7, 14} {
		for _, c := range []struct{ grant, want int }{
			{1, testSegment}, {testSegment, testSegment}, {testSegment + 1, 2 * testSegment},
			{10 * testSegment, 10 * testSegment}, {1 << 30, 0},
		} {
			t.Run(fmt.Sprintf("scale %d, %d bytes", scale, c.grant), func(t *testing.T) {
				w := newFixture(t).watch()
				w.establish(scale)
				w.data(1000)
				w.acknowledged = w.next // the edge of the SYN-ACK
				w.grant(uint32(c.grant))
				want := uint16(65535)
				if c.want > 0 {
					want = scaled(c.want, max(scale, 0))
				}
				if got := w.hear(65535); got != want {
					t.Errorf("window %d, want %d", got, want)
				}
				if got := w.hear(0); got != 0 {
					t.Errorf("window %d, but the peer has closed its own", got)
				}
			})
		}
	}
}

func TestGrantsNeedALease(t *testing.T) {
	for name, spoil := range map[string]func(*fixture){
		"lease over":      func(f *fixture) { f.RenewLease(clock.Nanos() - 1) },
		"enforcement off": func(f *fixture) { f.SetEnforcing(false) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.establish(7)
			w.grant(0)
			spoil(w.fixture)
			if got := w.hear(500); got != 500 {
				t.Errorf("window %d, want it left alone", got)
			}
		})
	}
}

// The first window is not scaled.
func TestSynAcksAreGranted(t *testing.T) {
	w := newFixture(t).watch()
	w.emit(syn, scaleOption(7), 0)
	w.grant(2 * testSegment)
	if got := w.receive(synAck, scaleOption(7), w.next, 65535); got != 2*testSegment {
		t.Errorf("window %d, want %d", got, 2*testSegment)
	}
	v6 := newFixture(t).watch()
	v6.connection = v6.connection6()
	v6.emit(syn, scaleOption(7), 0)
	v6.grant(testSegment)
	if got := v6.receive(synAck, scaleOption(7), v6.next, 65535); got != testSegment {
		t.Errorf("IPv6: window %d, want %d", got, testSegment)
	}
}

func TestTheLowerOfGrantAndClassHolds(t *testing.T) {
	for _, c := range []struct {
		name        string
		grant, want int
	}{{"class", 4 * testSegment, testAllowed}, {"grant", 2 * testSegment, 2 * testSegment}} {
		t.Run(c.name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.establish(0)
			w.data(1000)
			w.acknowledged = w.next
			w.limit()
			w.grant(uint32(c.grant))
			if got := w.hear(65535); int(got) != c.want {
				t.Errorf("window %d, want %d", got, c.want)
			}
		})
	}
}

// A window comes down only as data are acknowledged, also where sequence numbers wrap.
func TestAGrantDoesNotMoveTheEdgeLeft(t *testing.T) {
	const scale = 7
	w := newFixture(t).watch()
	w.next, w.acknowledged = 0xffffc000, 0xffffc000
	w.establish(scale)
	w.hear(500) // 64000 bytes
	edge := w.acknowledged + 500<<scale
	w.grant(0)
	for w.acknowledged != edge {
		step := min(edge-w.acknowledged, 2*testSegment)
		w.data(int(step))
		w.acknowledged += step
		want := scaled(int(edge-w.acknowledged), scale)
		if got := w.hear(500); got != want {
			t.Fatalf("window %d with %d bytes left to the edge, want %d", got, edge-w.acknowledged, want)
		}
		edge = w.acknowledged + uint32(want)<<scale // rounded up to the scale
	}
	if got := w.hear(500); got != 0 {
		t.Errorf("window %d behind the edge, want 0", got)
	}
}

func TestAGrantOfNothingDoesNotLast(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(0)
	w.data(1000)
	w.acknowledged = w.next
	w.grant(0)
	if got := w.hear(5000); got != 0 {
		t.Errorf("window %d, want 0", got)
	}
	slot := w.onlyConnection().Slot
	if w.ZeroOver(slot, clock.Nanos()) {
		t.Error("over at once")
	}
	w.connectionTable.At(slot).ZeroNanos -= uint64(ZeroGrant)
	w.grant(0) // said again, it does not begin again
	if got := w.hear(5000); got != testSegment {
		t.Errorf("window %d after %v, want one segment", got, ZeroGrant)
	}
	if !w.ZeroOver(slot, clock.Nanos()) {
		t.Error("not over")
	}
}

// say passes on what the agent says in the peer's name; true if it reaches the endpoint.
func (w *watchedConnection) say(origin Origin, window uint16) (seen uint16, passed bool) {
	w.t.Helper()
	frame := w.in
	frame.TCPFlags, frame.Acknowledgement, frame.Window = testnet.ACK, w.acknowledged, window
	result := w.run(w.objects.ToVm, frame.Build(), skbContext{Mark: uint32(origin)})
	if !frame.SegmentIntact(result.frame) {
		w.t.Error("a checksum is wrong")
	}
	return testnet.WindowOf(result.frame), result.verdict == verdictNext
}

func TestTheAgentsOwnAcknowledgements(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(0)
	w.data(1000)
	w.acknowledged = w.next
	w.grant(2 * testSegment)
	w.hear(30_000)
	before := w.Endpoint(endpointIndex).ReceivedPackets
	if window, passed := w.say(OriginUpdate, 30_000); passed {
		t.Errorf("an update to the same window %d passed", window)
	}
	w.grant(5 * testSegment)
	if window, passed := w.say(OriginUpdate, 30_000); !passed || window != 5*testSegment {
		t.Errorf("window %d, passed %v", window, passed)
	}
	w.grant(10 * testSegment)
	if window, passed := w.say(OriginRepeat, 30_000); !passed || window != 5*testSegment {
		t.Errorf("window %d of a duplicate, passed %v; want the last one's", window, passed)
	}
	w.SetGrant(w.onlyConnection().Slot, Grant{}, clock.Nanos())
	if window, passed := w.say(OriginUpdate, 30_000); !passed || window != 30_000 {
		t.Errorf("window %d after the release, passed %v", window, passed)
	}
	if now := w.Endpoint(endpointIndex).ReceivedPackets; now != before {
		t.Errorf("%d of them counted as received", now-before)
	}
	// A device stands before what others send: their mark means nothing.
	frame := w.in
	frame.TCPFlags, frame.Acknowledgement, frame.Window = testnet.ACK, w.acknowledged, 100
	result := w.run(w.objects.ToVm, frame.Build(), skbContext{Mark: uint32(OriginUpdate), IngressIfindex: uplinkIfindex})
	if result.verdict != verdictNext {
		t.Error("a marked packet from the network was taken for the agent's")
	}
}

func TestThePeersLastAcknowledgementIsKept(t *testing.T) {
	w := newFixture(t).watch()
	w.emit(syn, scaleOption(7), 0)
	slot := w.onlyConnection().Slot
	if _, known := w.Acknowledgement(slot); known {
		t.Error("there is none yet")
	}
	w.receive(synAck, scaleOption(7), w.next, 1000)
	for range 4 {
		w.data(1250)
	}
	send := func(sequence, acknowledgement uint32, payload int, options []byte) {
		frame := w.in
		frame.TCPFlags, frame.TCPOptions, frame.Window, frame.PayloadBytes = testnet.ACK, options, 99, payload
		frame.Sequence, frame.Acknowledgement = sequence, acknowledgement
		w.toVM(frame)
	}
	send(50, firstByte+2000, 8, []byte{1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8})
	send(40, firstByte+1000, 4, nil) // overtaken
	a, known := w.Acknowledgement(slot)
	if !known || a.Sequence != 58 || a.Length != 14+20+32 || a.Header[14+20+20+2] != 8 {
		t.Errorf("%v: sequence %d, %x", known, a.Sequence, a.Header[:a.Length])
	}
}

func TestGrantsForConnectionsToCome(t *testing.T) {
	exact := model.FlowID{Source: own4, SourcePort: 1000, Destination: peer4, DestinationPort: 80}
	keys := map[string]model.FlowID{"exact": exact, "any source port": exact, "any destination port": exact, "any ports": exact}
	for name, key := range keys {
		switch name {
		case "any source port":
			key.SourcePort = 0
		case "any destination port":
			key.DestinationPort = 0
		case "any ports":
			key.SourcePort, key.DestinationPort = 0, 0
		}
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			if err := w.ExpectGrant(key, 3*testSegment); err != nil {
				t.Fatal(err)
			}
			w.emit(syn, scaleOption(7), 0)
			if got := w.receive(synAck, scaleOption(7), w.next, 65535); got != 3*testSegment {
				t.Errorf("window %d, want %d", got, 3*testSegment)
			}
			if err := w.ForgetGrant(key); err != nil {
				t.Fatal(err)
			}
			w.out.SourcePort++
			w.in.Port++
			w.emit(syn, scaleOption(7), 0)
			if got := w.receive(synAck, scaleOption(7), w.next, 65535); got != 65535 {
				t.Errorf("window %d of another, want it left alone", got)
			}
		})
	}
}

func TestSlotsAreReused(t *testing.T) {
	f := newFixture(t)
	w := f.watch()
	for port := range uint16(MaxConnections) {
		w.out.SourcePort = 10_000 + port
		w.emit(syn, scaleOption(7), 0)
	}
	w.out.SourcePort = 9
	w.emit(syn, scaleOption(7), 0)
	if n := f.Totals().UnwatchedConnections; n != 1 {
		t.Errorf("%d found no slot, want 1", n)
	}
	now := clock.Nanos()
	count := 0
	for c := range f.Connections() {
		count++
		if err := f.RetireConnection(c.Slot, now); err != nil {
			t.Fatal(err)
		}
	}
	if count != MaxConnections {
		t.Errorf("%d connections", count)
	}
	if err := f.RecycleConnections(now + 2*time.Second.Nanoseconds()); err != nil {
		t.Fatal(err)
	}
	w.emit(syn, scaleOption(7), 0)
	if c := f.onlyConnection(); c.Flow.SourcePort != 9 {
		t.Errorf("%+v", c)
	}
}

func TestAnEndpointsConnectionsGoWithIt(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(7)
	if _, err := w.RemoveEndpoint(endpointIndex, testIfindex, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	for c := range w.Connections() {
		t.Errorf("%+v", c)
	}
}

// ---------------------------------------------------------------- SYN-ACKs that wait

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

var fromUplink = skbContext{IngressIfindex: uplinkIfindex}

func TestSynAcksWait(t *testing.T) {
	w := newFixture(t).watch()
	events, err := w.Events()
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
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
		event, err := events.Read()
		if err != nil {
			t.Fatal(err)
		}
		held = event.Handshake
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
			if got := w.hear(30_000); name == "nobody has answered" && got != 30_000 {
				t.Errorf("window %d after that, want the peer's", got)
			}
		})
	}
}

func TestSynAcksDoNotWait(t *testing.T) {
	for name, spoil := range map[string]func(*watchedConnection){
		"nobody is there": func(w *watchedConnection) { w.HoldHandshakes(0) },
		"not any more":    func(w *watchedConnection) { w.HoldHandshakes(clock.Nanos() - 1) },
		"lease over":      func(w *watchedConnection) { w.RenewLease(clock.Nanos() - 1) },
		"answered":        func(w *watchedConnection) { w.SetAnswered(w.onlyConnection().Slot) },
		"not watched":     func(w *watchedConnection) { _ = w.Watch(false, clock.Nanos()) },
		"held for long": func(w *watchedConnection) {
			w.connectionTable.At(w.onlyConnection().Slot).HeldNanos = uint64(clock.Nanos() - time.Second.Nanoseconds())
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

// FuzzEvents has anything read from the ring.
func FuzzEvents(f *testing.F) {
	for kind := range byte(6) {
		f.Add(append([]byte{0, 0, 0, 0, 0, 0, 0, 0, kind, 0, 0, 0, 4, 0, 0, 0}, make([]byte, 40)...))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		event, err := parseEvent(raw)
		if err != nil {
			return
		}
		if c := event.Connection; c != nil && (c.Slot < 0 || c.Slot >= MaxConnections) {
			t.Errorf("%+v", c)
		}
		if h := event.Handshake; h != nil && (h.Slot < 0 || h.Slot >= MaxConnections || len(h.Frame) > len(raw)) {
			t.Errorf("%+v", h)
		}
	})
}

// The side that was connected to sends as well.
func TestAcceptedConnectionsAreFollowed(t *testing.T) {
	w := newFixture(t).watch()
	w.receive(syn, scaleOption(4), 0, 65535)
	for c := range w.Connections() {
		t.Errorf("watched before the endpoint has answered: %+v", c)
	}
	w.emit(synAck, scaleOption(7), 0)
	if c := w.onlyConnection(); c.State != model.FlowOpened {
		t.Errorf("%+v", c)
	}
	w.grant(3 * testSegment)
	if got, want := w.hear(65535), scaled(3*testSegment, 4); got != want {
		t.Errorf("window %d, want %d", got, want)
	}
	w.data(700)
	w.acknowledged = w.next
	w.hear(65535)
	if c := w.onlyConnection(); c.State != model.FlowEstablished || c.DeliveredBytes != 700 || c.RoundTripNanos == 0 {
		t.Errorf("%+v", c)
	}
}
