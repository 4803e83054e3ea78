// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testSegment = 1460 // what scaleOption has
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

// acknowledge sends the endpoint an acknowledgement and returns the window that it sees.
func (w *watchedConnection) acknowledge(window uint16) uint16 {
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

// onlyConnection is the one that is watched.
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

func TestConnectionsAreTracked(t *testing.T) {
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
	w.acknowledge(100)
	if c = w.onlyConnection(); c.DeliveredBytes != 1000 {
		t.Errorf("%d delivered, want 1000", c.DeliveredBytes)
	}
	w.acknowledge(100) // a duplicate
	w.acknowledged += 5000
	w.acknowledge(100) // of what was never sent
	w.acknowledged -= 5000
	if c = w.onlyConnection(); c.DeliveredBytes != 1000 {
		t.Errorf("%d delivered, want 1000 still", c.DeliveredBytes)
	}
	w.emit(testnet.ACK|testnet.FIN, nil, 10)
	if c = w.onlyConnection(); c.State != model.FlowEstablished {
		t.Errorf("ended with a FIN that nobody has acknowledged: %+v", c)
	}
	w.acknowledged += 511 // the FIN included
	w.acknowledge(100)
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

// A super-packet may be longer than its IP header can say, which says 0 then (BIG TCP).
func TestTheLengthOfSuperPacketsMayBeZero(t *testing.T) {
	const payload = 2920
	unsaid := func(offset int, extensions ...byte) func([]byte) []byte {
		return func(frame []byte) []byte {
			frame = behind(frame, extensions...)
			frame[offset], frame[offset+1] = 0, 0
			return frame
		}
	}
	for name, c := range map[string]struct {
		of      func(*fixture) *connection
		rewrite func([]byte) []byte
	}{
		"IPv4":                        {(*fixture).connection, unsaid(testnet.EthernetBytes + 2)},
		"IPv6":                        {(*fixture).connection6, unsaid(testnet.EthernetBytes + 4)},
		"IPv6, with the jumbo option": {(*fixture).connection6, unsaid(testnet.EthernetBytes+4, hopByHop)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.watch()
			w.connection = c.of(f)
			w.establish(7)
			frame := w.out
			frame.TCPFlags, frame.Sequence, frame.PayloadBytes = testnet.ACK, w.next, payload
			w.run(w.objects.FromVm, c.rewrite(frame.Build()), skbContext{GSOSize: testSegment})
			w.acknowledged += payload
			w.acknowledge(100)
			if c := w.onlyConnection(); c.DeliveredBytes != payload {
				t.Errorf("%d bytes delivered, want %d", c.DeliveredBytes, payload)
			}
		})
	}
}

// Progress has the time of the acknowledgement that brought it, whatever passes after that.
func TestProgressIsTimedByItsAcknowledgement(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(7)
	if c := w.onlyConnection(); c.ProgressNanos != 0 {
		t.Errorf("progress at %d without data", c.ProgressNanos)
	}
	w.data(1000)
	w.data(500)
	w.acknowledged += 1000
	w.acknowledge(100)
	c := w.onlyConnection()
	if c.ProgressNanos != c.LastNanos || c.ProgressNanos == 0 {
		t.Errorf("progress at %d, want the acknowledgement's %d", c.ProgressNanos, c.LastNanos)
	}
	first := c.ProgressNanos
	w.acknowledge(100) // a duplicate
	w.acknowledged += 5000
	w.acknowledge(100) // of what was never sent
	w.acknowledged -= 5000
	w.data(10)
	if c = w.onlyConnection(); c.ProgressNanos != first || c.LastNanos <= first {
		t.Errorf("progress at %d, the last packet at %d, want %d and later", c.ProgressNanos, c.LastNanos, first)
	}
	w.acknowledged = w.next
	w.acknowledge(100)
	if c = w.onlyConnection(); c.ProgressNanos != c.LastNanos {
		t.Errorf("progress at %d, want %d", c.ProgressNanos, c.LastNanos)
	}
	last := c.ProgressNanos
	w.emit(testnet.ACK|testnet.FIN, nil, 0)
	w.acknowledged = w.next
	w.acknowledge(100) // of the FIN alone
	if c = w.onlyConnection(); c.State != model.FlowClosed || c.ProgressNanos != last {
		t.Errorf("%+v, want it closed and its progress at %d", c, last)
	}
	w.next, w.acknowledged = 70_000, 70_000
	w.emit(syn, scaleOption(7), 0)
	if c = w.onlyConnection(); c.ProgressNanos != 0 {
		t.Errorf("progress at %d of one that begins anew", c.ProgressNanos)
	}
}

func TestConnectionsAreTrackedOnlyIfEnabled(t *testing.T) {
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
	// Enabled later, what it has sent counts all the same.
	w.data(100_000 % 1400)
	f.watch()
	w.data(10)
	w.acknowledged = w.next
	w.acknowledge(100)
	if c := f.onlyConnection(); c.DeliveredBytes != uint64(w.next-firstByte) || c.ScaleUnknown ||
		c.ProgressNanos != c.LastNanos {
		t.Errorf("%+v, want %d delivered with the last packet", c, w.next-firstByte)
	}
	if err := f.Watch(false, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	for c := range f.Connections() {
		t.Errorf("still watched: %+v", c)
	}
}

func TestResetsCloseConnections(t *testing.T) {
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
func TestConnectionsOlderThanTracking(t *testing.T) {
	w := newFixture(t).watch()
	w.emit(testnet.ACK, nil, 0) // what comes after an end looks like that
	for c := range w.Connections() {
		t.Errorf("%+v", c)
	}
	w.data(1000)
	w.grant(0)
	w.acknowledged = w.next
	if got := w.acknowledge(5000); got != 5000 {
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
		// As if 2^30 bytes had been sent: the last packet shows how far.
		w.next += step - 100
		w.data(100)
		sent += step
		w.acknowledged = w.next
		w.acknowledge(100)
	}
	if c := w.onlyConnection(); c.DeliveredBytes != sent {
		t.Errorf("%d delivered, want %d", c.DeliveredBytes, sent)
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

func TestARemovedEndpointsConnectionsAreRemoved(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(7)
	if _, err := w.RemoveEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	for c := range w.Connections() {
		t.Errorf("%+v", c)
	}
}

var fromUplink = skbContext{IngressIfindex: uplinkIfindex}

// FuzzEvents has anything read from the ring.
func FuzzEvents(f *testing.F) {
	for kind := range byte(7) {
		for _, size := range []byte{4, flowKeyBytes} {
			f.Add(append([]byte{0, 0, 0, 0, 0, 0, 0, 0, kind, 0, 0, 0, size, 0, 0, 0}, make([]byte, flowKeyBytes)...))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		event, err := parseEvent(raw)
		if err != nil {
			return
		}
		if c := event.Connection; c != nil && (c.Slot < 0 || c.Slot >= MaxConnections) {
			t.Errorf("%+v", c)
		}
		if l := event.Large; l != nil && (l.Endpoint() >= MaxEndpoints || !l.Flow().Source.IsValid()) {
			t.Errorf("%+v", l)
		}
		if h := event.Handshake; h != nil && (h.Slot < 0 || h.Slot >= MaxConnections || len(h.Frame) > len(raw)) {
			t.Errorf("%+v", h)
		}
	})
}

// The side that was connected to sends as well.
func TestAcceptedConnectionsAreTracked(t *testing.T) {
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
	if got, want := w.acknowledge(65535), scaled(3*testSegment, 4); got != want {
		t.Errorf("window %d, want %d", got, want)
	}
	w.data(700)
	w.acknowledged = w.next
	w.acknowledge(65535)
	if c := w.onlyConnection(); c.State != model.FlowEstablished || c.DeliveredBytes != 700 || c.RoundTripNanos == 0 {
		t.Errorf("%+v", c)
	}
}

// The flows' table forgets what it has no room for; what is known of a connection stays.
func TestRoundTripsOutliveTheirFlow(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(0)
	w.data(700)
	w.acknowledged = w.next
	w.acknowledge(65535)
	before := w.onlyConnection()
	key, _ := w.flow()
	if err := w.flowTableOf(endpointIndex).Delete(key); err != nil {
		t.Fatal(err)
	}
	w.data(700)
	w.acknowledge(65535) // acknowledges nothing new
	after := w.onlyConnection()
	if before.RoundTripNanos == 0 || after.RoundTripNanos != before.RoundTripNanos || after.LeastRoundTripMicros != before.LeastRoundTripMicros {
		t.Errorf("round trip %d, least %d us; before %d, %d", after.RoundTripNanos, after.LeastRoundTripMicros, before.RoundTripNanos, before.LeastRoundTripMicros)
	}
}
