// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"math"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// reflecting is a fixture with a TCP connection of which so many packets have arrived marked.
func reflecting(t *testing.T, how Reflecting, marks int) *fixture {
	t.Helper()
	f := newFixture(t)
	f.Reflect(how)
	f.toVM(tcpIn(testnet.SYN, testnet.NotECT))
	f.fromVM(tcpOut(testnet.SYN | testnet.ACK))
	for range marks {
		f.toVM(tcpIn(testnet.ACK, testnet.CE))
	}
	return f
}

// inwardPair are the counters of what comes from the peer.
func (f *fixture) inwardPair() PairCounters {
	f.t.Helper()
	for pair := range f.Pairs() {
		if f.Address(pair.Slot) == (model.Pair{Source: peer4, Destination: own4}) {
			return pair
		}
	}
	f.t.Fatal("nothing of the peer's has been counted")
	return PairCounters{}
}

func hasReservedBit(frame []byte) bool { return frame[testnet.EthernetBytes+6]&0x80 != 0 }

func TestEveryMarkIsReturnedInOneReservedBit(t *testing.T) {
	f := reflecting(t, ReflectingBits, 2)
	for i, want := range []bool{true, true, false} {
		left := f.fromVM(tcpOut(testnet.ACK)).frame
		if hasReservedBit(left) != want || !testnet.HeaderIntact(left) {
			t.Errorf("packet %d: bit %v, header intact %v", i, hasReservedBit(left), testnet.HeaderIntact(left))
		}
	}
	if waiting := f.inwardPair().WaitingMarks; waiting != 0 {
		t.Errorf("%d marks wait", waiting)
	}
}

// A device copies the bit into all segments.
func TestASuperPacketReturnsAMarkForEachSegment(t *testing.T) {
	f := reflecting(t, ReflectingBits, 3)
	long := tcpOut(testnet.ACK)
	long.PayloadBytes = 2896
	two := skbContext{GSOSegments: 2, GSOSize: 1448}
	if !hasReservedBit(f.run(f.objects.FromVm, long.Build(), two).frame) {
		t.Error("three marks, two segments: no bit")
	}
	if hasReservedBit(f.run(f.objects.FromVm, long.Build(), two).frame) {
		t.Error("one mark, two segments: a bit")
	}
	if waiting := f.inwardPair().WaitingMarks; waiting != 1 {
		t.Errorf("%d marks wait, want 1", waiting)
	}
}

func TestMarksReturnedInAMessageAreNotReturnedAgain(t *testing.T) {
	for _, how := range []Reflecting{ReflectingMessages, ReflectingBits} {
		f := reflecting(t, how, 5)
		slot := f.inwardPair().Slot
		if taken := f.TakeMarks(slot); taken != 5 {
			t.Errorf("took %d marks, want 5", taken)
		}
		if taken := f.TakeMarks(slot); taken != 0 {
			t.Errorf("took %d marks of none", taken)
		}
		if hasReservedBit(f.fromVM(tcpOut(testnet.ACK)).frame) {
			t.Error("a mark went back twice")
		}
	}
}

func TestMarksArePendingOnlyIfTheyAreReturned(t *testing.T) {
	f := reflecting(t, ReflectingNothing, 3)
	if waiting := f.inwardPair().WaitingMarks; waiting != 0 {
		t.Errorf("%d marks wait", waiting)
	}
	f = reflecting(t, ReflectingMessages, 3)
	if hasReservedBit(f.fromVM(tcpOut(testnet.ACK)).frame) {
		t.Error("a bit, though messages alone take marks")
	}
}

// What comes back is for the agent: the VM sees no bit.
func TestReturnedMarksAreCountedAndHidden(t *testing.T) {
	f := reflecting(t, ReflectingBits, 0)
	frame := tcpIn(testnet.ACK, testnet.NotECT)
	frame.ReservedBit = true
	arrived := f.toVM(frame).frame
	if hasReservedBit(arrived) || !testnet.HeaderIntact(arrived) {
		t.Errorf("bit %v, header intact %v", hasReservedBit(arrived), testnet.HeaderIntact(arrived))
	}
	if marks := f.inwardPair().ReflectedMarks; marks != 1 {
		t.Errorf("%d marks came back, want 1", marks)
	}
}

// IPv6 has no such bit, and a UDP flow that nothing has come of brings nothing back.
func TestMarksOfPacketsWithoutReservedBitStayForMessages(t *testing.T) {
	f := newFixture(t)
	f.Reflect(ReflectingBits)
	six := tcpIn(testnet.SYN, testnet.NotECT)
	six.Source, six.Destination = peer6, own6
	f.toVM(six)
	six.TCPFlags, six.ECN = testnet.ACK, testnet.CE
	f.toVM(six)
	back := tcpOut(testnet.ACK)
	back.Source, back.Destination = own6, peer6
	f.fromVM(back)
	for pair := range f.Pairs() {
		if addresses := f.Address(pair.Slot); addresses.Source == peer6 && pair.WaitingMarks != 1 {
			t.Errorf("%d marks wait, want 1", pair.WaitingMarks)
		}
	}
}

// outwardSlot is that of the pair towards the peer.
func (f *fixture) outwardSlot() int {
	f.t.Helper()
	for pair := range f.Pairs() {
		if f.Address(pair.Slot) == (model.Pair{Source: own4, Destination: peer4}) {
			return pair.Slot
		}
	}
	f.t.Fatal("nothing has been sent to the peer")
	return 0
}

// No connection begins towards a destination that is refused; those that there are go on, and others begin.
func TestSYNsOfRefusedConnectionsAreDropped(t *testing.T) {
	f := newFixture(t)
	f.fromVM(tcpOut(testnet.SYN))
	f.RefuseConnections(f.outwardSlot(), true)
	for name, flags := range map[string]uint8{
		"data": testnet.ACK, "the other's connection": testnet.SYN | testnet.ACK, "an end": testnet.FIN | testnet.ACK,
		"a reset": testnet.RST,
	} {
		if f.fromVM(tcpOut(flags)).verdict != verdictNext {
			t.Errorf("%s was dropped", name)
		}
	}
	for range 2 {
		if f.fromVM(tcpOut(testnet.SYN)).verdict != verdictDrop {
			t.Error("a connection begins")
		}
	}
	elsewhere := tcpOut(testnet.SYN)
	elsewhere.Destination = other4
	datagram := testnet.Frame{Source: own4, Destination: peer4, Protocol: testnet.UDP, SourcePort: 1, Port: 2}
	if f.fromVM(elsewhere).verdict != verdictNext || f.fromVM(datagram).verdict != verdictNext {
		t.Error("what is no connection to there was dropped")
	}
	if refused := f.Endpoint(endpointIndex).RefusedConnections; refused != 2 {
		t.Errorf("%d refused, want 2", refused)
	}
	f.RefuseConnections(f.outwardSlot(), false)
	if f.fromVM(tcpOut(testnet.SYN)).verdict != verdictNext {
		t.Error("refused still")
	}
}

// Whoever would end the refusal has died, or limits are off.
func TestNoConnectionIsRefusedWithoutAnAgent(t *testing.T) {
	f := newFixture(t)
	f.SetAfterLease(true)
	f.fromVM(tcpOut(testnet.SYN))
	f.RefuseConnections(f.outwardSlot(), true)
	f.RenewLease(1)
	if f.fromVM(tcpOut(testnet.SYN)).verdict != verdictNext {
		t.Error("refused after the lease")
	}
	f.RenewLease(math.MaxInt64)
	f.SetEnforcing(false)
	if f.fromVM(tcpOut(testnet.SYN)).verdict != verdictNext {
		t.Error("refused without enforcement")
	}
}
