// SPDX-License-Identifier: Apache-2.0

package port

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const lossPort = model.Port("of:0000000000000001/5")

// data is a TCP segment of 1000 bytes in all.
func data(sourcePort uint16, sequence uint32, protocol uint8) []byte {
	frame := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: protocol, SourcePort: sourcePort, Port: 5001, TCPFlags: testnet.ACK, Sequence: sequence,
		ECN: testnet.ECT0, PayloadBytes: 946,
	}.Build()
	binary.BigEndian.PutUint32(frame[len(frame)-4:], sequence) // distinguished by what they carry
	return frame
}

func ofTCP(frame []byte) bool { return testnet.IPProtocol(testnet.TCP)(frame) }

// overflow sends so many segments of four flows at once and returns what was lost of them.
func (w *wire) overflow(link *recordedReports, count int) []model.Loss {
	w.t.Helper()
	before := w.status()
	sender := testnet.NewSender(w.t, w.left)
	for i := range uint32(count) {
		sender.Send(data(uint16(1000+i%4), i*946, testnet.TCP))
	}
	testnet.Until(w.t, "the queue is empty again", func() bool {
		s := w.status()
		return s.ArrivedPackets == before.ArrivedPackets+uint64(count) && s.BacklogPackets == 0
	})
	dropped := w.status().DroppedFullPackets - before.DroppedFullPackets
	testnet.Until(w.t, "all is reported that was dropped", func() bool { return uint64(len(link.lost())) == dropped })
	return link.lost()
}

func newLossyWire(t *testing.T) (*wire, *recordedReports, *Reporter) {
	t.Helper()
	return newLossyWireOf(t, 10)
}

// newLossyWireOf is one of another capacity: at 1 Mbit/s a segment takes 8 ms, and none leaves while some are sent.
func newLossyWireOf(t *testing.T, capacityMbps float64) (*wire, *recordedReports, *Reporter) {
	t.Helper()
	w := newWire(t, func(p *config.Port) { p.CapacityMbps = capacityMbps })
	link := &recordedReports{}
	r := w.report(link)
	(&listener{r}).ApplySettings("node", model.HostSettings{ControlPeriodNanos: 5 * ms, ReportLosses: true})
	return w, link, r
}

// What finds the queue full is reported, kept, and sent again as it was.
func TestLostPacketsAreReportedAndRetransmitted(t *testing.T) {
	w, link, r := newLossyWire(t)
	capture := testnet.NewCapture(t, w.right)
	const count = 60
	losses := w.overflow(link, count)
	if len(losses) == 0 || len(losses) > count-testBuffer {
		t.Fatalf("%d of %d lost with room for %d", len(losses), count, testBuffer)
	}
	arrived := capture.Waiting(ofTCP)
	if len(arrived)+len(losses) != count {
		t.Errorf("%d arrived, %d lost of %d", len(arrived), len(losses), count)
	}
	seen := map[uint64]bool{}
	for _, l := range losses {
		number := l.Sequence / 946
		if l.Port != lossPort || l.PayloadBytes != 946 || l.Flow.SourcePort != uint16(1000+number%4) ||
			l.Flow.DestinationPort != 5001 || l.Kept == 0 || seen[l.Kept] {
			t.Errorf("%+v", l)
		}
		seen[l.Kept] = true
	}
	again := losses[:3]
	(&listener{r}).ApplyResends("node", []model.Resend{
		{Port: lossPort, Kept: again[0].Kept}, {Port: lossPort, Kept: again[1].Kept}, {Port: lossPort, Kept: again[2].Kept},
		{Port: lossPort, Kept: again[0].Kept}, {Port: lossPort, Kept: 1 << 40}, {Port: "of:0000000000000009/5", Kept: losses[3].Kept},
	})
	testnet.Until(t, "three are sent again", func() bool { return w.status().ResentPackets == 3 })
	(&listener{r}).ApplyResends("node", []model.Resend{{Port: lossPort, Kept: again[0].Kept}}) // it is gone
	var resent [][]byte
	testnet.Until(t, "they arrive", func() bool {
		resent = append(resent, capture.Waiting(ofTCP)...)
		return len(resent) >= 3
	})
	for i, frame := range resent {
		if want := data(again[i].Flow.SourcePort, again[i].Sequence, testnet.TCP); !bytes.Equal(frame, want) {
			t.Errorf("sent again %x, want %x", frame, want)
		}
	}
	if s := w.status(); s.ResentPackets != 3 || s.ReportedLosses != uint64(len(losses)) {
		t.Errorf("the port reports %+v", s.LossStatus)
	}
}

// A controller that sends lost packets itself gets them whole.
func TestLostFramesAreReportedIfRequested(t *testing.T) {
	w, link, r := newLossyWire(t)
	for _, l := range w.overflow(link, 60) {
		if l.Frame != nil {
			t.Fatal("reported whole without a request")
		}
	}
	settings := model.HostSettings{ControlPeriodNanos: 5 * ms, ReportLosses: true, SendLostFrames: true}
	(&listener{r}).ApplySettings("node", settings)
	before := len(link.lost())
	sender := testnet.NewSender(t, w.left)
	for i := range uint32(60) {
		sender.Send(data(1000, i*946, testnet.TCP))
	}
	testnet.Until(t, "some are lost", func() bool { return len(link.lost()) > before })
	lost := link.lost()[before]
	if want := data(1000, lost.Sequence, testnet.TCP); !bytes.Equal(lost.Frame, want) {
		t.Errorf("reported %x, want %x", lost.Frame, want)
	}
}

// What is sent again waits until the queue is below its threshold.
func TestResendsWaitUntilTheQueueIsBelowItsThreshold(t *testing.T) {
	w, link, r := newLossyWire(t)
	losses := w.overflow(link, 60)
	capture := testnet.NewCapture(t, w.right)
	sender := testnet.NewSender(t, w.left)
	for range testBuffer - 1 {
		sender.Send(data(9999, 0, testnet.TCP))
	}
	(&listener{r}).ApplyResends("node", []model.Resend{{Port: lossPort, Kept: losses[0].Kept}})
	behind := 0
	testnet.Until(t, "it has come", func() bool {
		for _, frame := range capture.Waiting(ofTCP) {
			if binary.BigEndian.Uint16(frame[34:]) == losses[0].Flow.SourcePort {
				return true
			}
			behind++
		}
		return false
	})
	if least := testBuffer - 1 - testThreshold - 2; behind < least {
		t.Errorf("it came behind %d of %d, want %d at least", behind, testBuffer-1, least)
	}
}

// Where senders keep the queue above the threshold it would else never come: what it waited behind has gone.
func TestDelayedResendsNeedOnlyBufferSpace(t *testing.T) {
	w, link, _ := newLossyWire(t)
	losses := w.overflow(link, 60)
	port := w.port.losses
	now := clock.Nanos()
	port.mu.Lock()
	for i := range 2 {
		port.due = append(port.due, dueFrame{losses[4*i].Kept, now})
	}
	flow := [2]model.FlowID{port.kept[losses[0].Kept].flow, port.kept[losses[4].Kept].flow}
	port.mu.Unlock()
	if flow[0] != flow[1] {
		t.Fatalf("lost were %v, want two of one flow", flow)
	}
	patience := w.port.resendPatience().Nanoseconds()
	keepLong := func() {
		for w.status().BacklogPackets <= testThreshold+2 {
			testnet.NewSender(t, w.left).Send(data(9999, 0, testnet.UDP))
		}
	}
	keepLong()
	if left := port.sendDue(now + patience - 1); left != 2 {
		t.Errorf("%d wait above the threshold, want 2", left)
	}
	keepLong()
	if left := port.sendDue(now + patience); left != 1 {
		t.Errorf("%d wait, want the second of the flow", left)
	}
	keepLong()
	if left := port.sendDue(now + 2*patience - 1); left != 1 {
		t.Errorf("%d wait, want the second until as much has gone again", left)
	}
	keepLong()
	if left := port.sendDue(now + 2*patience); left != 0 {
		t.Errorf("%d wait, want none", left)
	}
}

func TestLossesThatAreNotReported(t *testing.T) {
	w, link, r := newLossyWire(t)
	sender := testnet.NewSender(t, w.left)
	udp := data(1, 1, testnet.UDP)
	acknowledgement := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.TCP, TCPFlags: testnet.ACK,
	}.Build()
	for range 100 {
		sender.Send(udp)
		sender.Send(acknowledgement)
	}
	testnet.Until(t, "some are dropped", func() bool { return w.status().DroppedFullPackets > 20 })
	w.overflow(&recordedReports{}, 0)
	if losses := link.lost(); len(losses) != 0 {
		t.Errorf("%+v", losses[0])
	}
	// What the ring had no room for is counted by the program.
	w.port.state.At(0).UnreportedLosses = 3
	if n := w.status().UnreportedLosses; n != 3 {
		t.Errorf("%d unreported, want 3", n)
	}
	// Without a request the queue itself drops, and nothing is reported.
	(&listener{r}).ApplySettings("node", model.HostSettings{ControlPeriodNanos: 5 * ms})
	before := w.status()
	for i := range uint32(60) {
		sender.Send(data(1000, i, testnet.TCP))
	}
	testnet.Until(t, "some are dropped", func() bool {
		s := w.status()
		return s.ArrivedPackets == before.ArrivedPackets+60 && s.BacklogPackets == 0
	})
	if s := w.status(); s.DroppedFullPackets == before.DroppedFullPackets || len(link.lost()) != 0 || s.ReportedLosses != 0 {
		t.Errorf("%d reported, %d dropped", len(link.lost()), s.DroppedFullPackets-before.DroppedFullPackets)
	}
}

// What opens a connection is sent again by itself, and not reported.
func TestLostSYNsAreRetransmitted(t *testing.T) {
	w, link, _ := newLossyWireOf(t, 1)
	capture := testnet.NewCapture(t, w.right)
	sender := testnet.NewSender(t, w.left)
	for range 3 * testBuffer {
		sender.Send(data(9999, 0, testnet.UDP))
	}
	open := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.TCP, SourcePort: 7, Port: 5001, TCPFlags: testnet.SYN, TCPOptions: []byte{2, 4, 5, 0xb4},
	}.Build()
	sender.Send(open)
	if frame := capture.Next(10*time.Second, ofTCP); !bytes.Equal(frame, open) {
		t.Errorf("%x, want %x", frame, open)
	}
	if s := w.status(); s.ResentPackets != 1 || s.ReportedLosses != 0 || len(link.lost()) != 0 {
		t.Errorf("the port reports %+v", s.LossStatus)
	}
}

func TestKeptPacketsAreBoundedInNumberAndAge(t *testing.T) {
	l := &losses{port: &Port{config: config.Port{Port: string(lossPort)}}, kept: map[uint64]keptFrame{}}
	take := func(nanos int64, frame []byte, bytes int) (model.Loss, bool) {
		raw := binary.NativeEndian.AppendUint64(nil, uint64(nanos))
		raw = binary.NativeEndian.AppendUint32(raw, uint32(bytes))
		raw = binary.NativeEndian.AppendUint32(raw, uint32(len(frame)))
		return l.take(append(raw, frame...))
	}
	frame := data(1, 1, testnet.TCP)
	now := clock.Nanos()
	if loss, ok := take(now, frame, len(frame)+1); !ok || loss.Kept != 0 {
		t.Errorf("a part of a frame: %+v, %v", loss, ok)
	}
	for range maxKept + 10 {
		if loss, ok := take(now, frame, len(frame)); !ok || loss.Kept == 0 {
			t.Fatalf("%+v, %v", loss, ok)
		}
	}
	if len(l.kept) != maxKept || len(l.order) != maxKept {
		t.Errorf("%d kept", len(l.kept))
	}
	l.forget(now + time.Second.Nanoseconds())
	if len(l.kept) != 0 || len(l.order) != 0 {
		t.Errorf("%d kept after a second", len(l.kept))
	}
	for _, raw := range [][]byte{nil, make([]byte, 16), append(bytes.Repeat([]byte{255}, 16), frame...)} {
		if loss, ok := l.take(raw); ok {
			t.Errorf("%x: %+v", raw, loss)
		}
	}
}
