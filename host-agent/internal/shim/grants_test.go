// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"fmt"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func (w *watchedConnection) grant(bytes uint32) {
	w.t.Helper()
	w.SetGrant(w.onlyConnection().Slot, Grant{true, bytes}, clock.Nanos())
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
				if got := w.acknowledge(65535); got != want {
					t.Errorf("window %d, want %d", got, want)
				}
				if got := w.acknowledge(0); got != 0 {
					t.Errorf("window %d, but the peer has closed its own", got)
				}
			})
		}
	}
}

func TestGrantsNeedALease(t *testing.T) {
	for name, spoil := range map[string]func(*fixture){
		"lease over": func(f *fixture) { f.RenewLease(clock.Nanos() - 1) },
		// Limits hold then, but nobody widens a window.
		"lease over, limits hold": func(f *fixture) { f.SetAfterLease(true); f.RenewLease(clock.Nanos() - 1) },
		"enforcement off":         func(f *fixture) { f.SetEnforcing(false) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.establish(7)
			w.grant(0)
			spoil(w.fixture)
			if got := w.acknowledge(500); got != 500 {
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
	}{{"class", testAllowed + testSegment, testAllowed}, {"grant", 2 * testSegment, 2 * testSegment}} {
		t.Run(c.name, func(t *testing.T) {
			w := newFixture(t).watch()
			w.establish(0)
			w.data(1000)
			w.fixRoundTrip()
			w.acknowledged = w.next
			w.limit()
			w.grant(uint32(c.grant))
			if got := w.acknowledge(65535); int(got) != c.want {
				t.Errorf("window %d, want %d", got, c.want)
			}
		})
	}
}

// A window comes down only as data are acknowledged, also where sequence numbers wrap.
func TestAGrantDoesNotMoveTheRightEdgeLeft(t *testing.T) {
	const scale = 7
	w := newFixture(t).watch()
	w.next, w.acknowledged = 0xffffc000, 0xffffc000
	w.establish(scale)
	w.acknowledge(500) // 64000 bytes
	edge := w.acknowledged + 500<<scale
	w.grant(0)
	for w.acknowledged != edge {
		step := min(edge-w.acknowledged, 2*testSegment)
		w.data(int(step))
		w.acknowledged += step
		want := scaled(int(edge-w.acknowledged), scale)
		if got := w.acknowledge(500); got != want {
			t.Fatalf("window %d with %d bytes left to the edge, want %d", got, edge-w.acknowledged, want)
		}
		edge = w.acknowledged + uint32(want)<<scale // rounded up to the scale
	}
	if got := w.acknowledge(500); got != 0 {
		t.Errorf("window %d behind the edge, want 0", got)
	}
}

func TestAZeroGrantExpires(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(0)
	w.data(1000)
	w.acknowledged = w.next
	w.grant(0)
	if got := w.acknowledge(5000); got != 0 {
		t.Errorf("window %d, want 0", got)
	}
	slot := w.onlyConnection().Slot
	if w.ZeroOver(slot, clock.Nanos()) {
		t.Error("over at once")
	}
	holds := zeroGrant(w.onlyConnection().Flow.SourcePort)
	w.connections.At(slot).ZeroNanos -= uint64(holds)
	w.grant(0) // repeated, it does not begin again
	if !w.ZeroOver(slot, clock.Nanos()) {
		t.Error("not over")
	}
	if got := w.acknowledge(5000); got != testSegment {
		t.Errorf("window %d after %v, want one segment", got, holds)
	}
	// Of many that wait each would else send a segment in every round trip.
	if w.ZeroOver(slot, clock.Nanos()) {
		t.Error("over again at once")
	}
	w.data(testSegment)
	w.acknowledged = w.next
	if got := w.acknowledge(5000); got != 0 {
		t.Errorf("window %d after a segment went, want 0", got)
	}
}

// inject sends what the agent sends in the peer's name; true if it reaches the endpoint.
func (w *watchedConnection) inject(origin Origin, window uint16) (seen uint16, passed bool) {
	w.t.Helper()
	frame := w.in
	frame.TCPFlags, frame.Acknowledgement, frame.Window = testnet.ACK, w.acknowledged, window
	result := w.run(w.objects.ToVm, frame.Build(), skbContext{Mark: uint32(origin)})
	if !frame.SegmentIntact(result.frame) {
		w.t.Error("a checksum is wrong")
	}
	return testnet.WindowOf(result.frame), result.verdict == verdictNext
}

func TestAcknowledgementsThatTheAgentInjects(t *testing.T) {
	w := newFixture(t).watch()
	w.establish(0)
	w.data(1000)
	w.acknowledged = w.next
	w.grant(2 * testSegment)
	w.acknowledge(30_000)
	before := w.Endpoint(endpointIndex).ReceivedPackets
	if window, passed := w.inject(OriginUpdate, 30_000); passed {
		t.Errorf("an update to the same window %d passed", window)
	}
	w.grant(5 * testSegment)
	if window, passed := w.inject(OriginUpdate, 30_000); !passed || window != 5*testSegment {
		t.Errorf("window %d, passed %v", window, passed)
	}
	w.grant(10 * testSegment)
	if window, passed := w.inject(OriginRepeat, 30_000); !passed || window != 5*testSegment {
		t.Errorf("window %d of a duplicate, passed %v; want the last one's", window, passed)
	}
	w.SetGrant(w.onlyConnection().Slot, Grant{}, clock.Nanos())
	if window, passed := w.inject(OriginUpdate, 30_000); !passed || window != 30_000 {
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

func TestGrantsForFutureConnections(t *testing.T) {
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
