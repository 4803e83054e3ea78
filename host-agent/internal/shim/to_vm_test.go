// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func TestInwardECNIsRestored(t *testing.T) {
	agree := func(f *fixture) {
		f.fromVM(tcpOut(testnet.SYN | testnet.ECE | testnet.CWR))
		f.toVM(tcpIn(testnet.SYN|testnet.ACK|testnet.ECE, testnet.ECT0))
	}
	refuse := func(f *fixture) {
		f.fromVM(tcpOut(testnet.SYN | testnet.ECE | testnet.CWR))
		f.toVM(tcpIn(testnet.SYN|testnet.ACK, testnet.ECT0))
	}
	agreeFromOutside := func(f *fixture) {
		f.toVM(tcpIn(testnet.SYN|testnet.ECE|testnet.CWR, testnet.ECT0))
		f.fromVM(tcpOut(testnet.SYN | testnet.ACK | testnet.ECE))
	}
	for _, c := range []struct {
		name     string
		prepare  func(*fixture)
		preserve bool
		sent     uint8
		want     uint8
	}{
		{"unknown flow, ECT(0)", nil, false, testnet.ECT0, testnet.NotECT},
		{"unknown flow, CE", nil, false, testnet.CE, testnet.NotECT},
		{"unknown flow, CE, preserve", nil, true, testnet.CE, testnet.NotECT},
		{"offered but refused, CE", refuse, false, testnet.CE, testnet.NotECT},
		{"agreed, ECT(0)", agree, false, testnet.ECT0, testnet.ECT0},
		{"agreed, CE", agree, false, testnet.CE, testnet.ECT0},
		{"agreed, CE, preserve", agree, true, testnet.CE, testnet.CE},
		{"agreed, opened by the peer, CE", agreeFromOutside, false, testnet.CE, testnet.ECT0},
		{"agreed, Not-ECT", agree, false, testnet.NotECT, testnet.NotECT},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, PreserveECN: c.preserve})
			if c.prepare != nil {
				c.prepare(f)
			}
			before := f.Endpoint(endpointIndex).CEPackets
			result := f.toVM(tcpIn(testnet.ACK, c.sent))
			if ecn := testnet.ECNOf(result.frame); ecn != c.want {
				t.Errorf("the VM sees ECN %d, want %d", ecn, c.want)
			}
			if !testnet.HeaderIntact(result.frame) {
				t.Error("the header checksum is wrong")
			}
			counted := f.Endpoint(endpointIndex).CEPackets - before
			if marked := c.sent == testnet.CE; marked != (counted == 1) {
				t.Errorf("CE counted %d times", counted)
			}
		})
	}
}

// RFC 9768, table 2: a SYN that offers accurate ECN has AE, CWR and ECE; the SYN-ACK says how it arrived.
func TestAccurateECNIsAgreedOn(t *testing.T) {
	for name, c := range map[string]struct {
		accurate bool // AE of the SYN-ACK
		flags    uint8
		agreed   bool
	}{
		"the SYN arrived as Not-ECT": {false, testnet.CWR, true},
		"as ECT(1)":                  {false, testnet.CWR | testnet.ECE, true},
		"as ECT(0)":                  {true, 0, true},
		"as CE":                      {true, testnet.CWR, true},
		"RFC 3168 only":              {false, testnet.ECE, true},
		"the nonce only":             {true, testnet.ECE, true},
		"refused":                    {false, 0, false},
		"repeated":                   {true, testnet.CWR | testnet.ECE, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, PreserveECN: true})
			offer, answer := tcpOut(testnet.SYN|testnet.ECE|testnet.CWR), tcpIn(testnet.SYN|testnet.ACK|c.flags, testnet.ECT0)
			offer.AccurateECN, answer.AccurateECN = true, c.accurate
			f.fromVM(offer)
			f.toVM(answer)
			for sent, want := range map[uint8]uint8{testnet.CE: testnet.CE, testnet.ECT0: testnet.ECT0, testnet.ECT1: testnet.ECT1} {
				if !c.agreed {
					want = testnet.NotECT
				}
				if got := testnet.ECNOf(f.toVM(tcpIn(testnet.ACK, sent)).frame); got != want {
					t.Errorf("ECN %d arrives as %d, want %d", sent, got, want)
				}
			}
		})
	}
}

// Who has agreed on what inside QUIC cannot be seen: with preserve its ECN field stays.
func TestUDPKeepsItsECNFieldIfPreserved(t *testing.T) {
	f := newFixture(t)
	frame := testnet.Frame{Source: peer4, Destination: own4, Protocol: testnet.UDP, SourcePort: 443, Port: 1000, PayloadBytes: 30}
	for preserve, want := range map[bool]map[uint8]uint8{
		true:  {testnet.ECT0: testnet.ECT0, testnet.CE: testnet.CE, testnet.NotECT: testnet.NotECT},
		false: {testnet.ECT0: testnet.NotECT, testnet.CE: testnet.NotECT, testnet.NotECT: testnet.NotECT},
	} {
		f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, PreserveECN: preserve})
		for sent, want := range want {
			frame.ECN = sent
			if got := testnet.ECNOf(f.toVM(frame).frame); got != want {
				t.Errorf("preserve %v: ECN %d arrives as %d, want %d", preserve, sent, got, want)
			}
		}
	}
}

func TestInwardIPv6IsRestored(t *testing.T) {
	f := newFixture(t)
	frame := testnet.Frame{Source: peer6, Destination: own6, Protocol: testnet.UDP, ECN: testnet.CE, PayloadBytes: 30}
	if ecn := testnet.ECNOf(f.toVM(frame).frame); ecn != testnet.NotECT {
		t.Errorf("the VM sees ECN %d, want Not-ECT", ecn)
	}
	if pair := f.onlyPair(); pair.CEPackets != 1 {
		t.Errorf("CE counted %d times, want 1", pair.CEPackets)
	}
}

func TestPairsCountPacketsFromTheUplink(t *testing.T) {
	f := newFixture(t)
	frame := tcpIn(testnet.ACK, testnet.CE)
	frame.PayloadBytes = 2896
	sent := frame.Build()
	f.run(f.objects.ToVm, sent, skbContext{IngressIfindex: uplinkIfindex, GSOSegments: 2, GSOSize: 1448})
	f.run(f.objects.ToVm, sent, skbContext{IngressIfindex: 5}) // from a neighbour on this host

	pair := f.onlyPair()
	if want := (model.Pair{Source: peer4, Destination: own4}); f.Address(pair.Slot) != want {
		t.Errorf("pair %v, want %v", f.Address(pair.Slot), want)
	}
	if pair.ReceivedPackets != 2 || pair.CEPackets != 2 || pair.ReceivedBytes != uint64(len(sent)+54) {
		t.Errorf("%d packets, %d CE, %d bytes; want 2, 2 and %d",
			pair.ReceivedPackets, pair.CEPackets, pair.ReceivedBytes, len(sent)+54)
	}
	if want := (ReturnPath{[6]byte{2, 0, 0, 0, 0, 1}, 0, uplinkIfindex}); pair.From != want {
		t.Errorf("from %+v, want %+v", pair.From, want)
	}
	if !pair.Inward || pair.Outward || pair.Endpoint != endpointIndex {
		t.Errorf("%+v: want an inward pair of endpoint %d", pair, endpointIndex)
	}
}

// A bridge may have taken the tag out, so the VLAN comes with the packet. What a tunnel brings has had the tag of the
// packet around it.
func TestPairsKnowTheVLANOnTheWire(t *testing.T) {
	const inVLAN7 = 0x534c0000 | 7<<4
	for _, c := range []struct {
		name     string
		priority uint32
		vlan     uint16
	}{
		{"untagged", 0, 0},
		{"in VLAN 7", inVLAN7, 7},
		{"of another's class", 0x10000 | 7<<4, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.run(f.objects.ToVm, tcpIn(testnet.ACK, testnet.CE).Build(),
				skbContext{IngressIfindex: uplinkIfindex, Priority: c.priority})
			if vlan := f.onlyPair().From.VLAN; vlan != c.vlan {
				t.Errorf("VLAN %d, want %d", vlan, c.vlan)
			}
		})
	}
	f := newFixture(t)
	for _, c := range []struct{ before, after uint32 }{{inVLAN7, 0}, {6, 6}} {
		result := f.run(f.objects.UplinkIn, tcpIn(testnet.ACK, testnet.CE).Build(), skbContext{Priority: c.before})
		if result.context.Priority != c.after {
			t.Errorf("priority %#x becomes %#x on a device without the tag, want %#x", c.before, result.context.Priority, c.after)
		}
	}
}

func TestFirstMarkAfterAnIdlePeriodIsReportedOnce(t *testing.T) {
	f := newFixture(t)
	events := openedEvents(f)
	// Programs read the kernel's fast clock, which may be off the one we read by what was slewed since its last tick.
	const apart = int64(time.Millisecond)
	before := clock.Nanos() - apart
	f.toVM(tcpIn(testnet.ACK, testnet.CE))
	after := clock.Nanos() + apart
	f.toVM(tcpIn(testnet.ACK, testnet.CE))
	f.toVM(testnet.Frame{Source: other4, Destination: own4, Protocol: testnet.UDP, ECN: testnet.CE})

	for i, want := range []model.Pair{{Source: peer4, Destination: own4}, {Source: other4, Destination: own4}} {
		event := read(t, events)
		if event.FirstCE == nil || event.FirstCE.Pair != want {
			t.Fatalf("event %d: %+v, want the first mark of %v", i, event, want)
		}
		if i == 0 && (event.FirstCE.Nanos < before || event.FirstCE.Nanos > after) {
			t.Errorf("stamped %d, want between %d and %d", event.FirstCE.Nanos, before, after)
		}
	}
}

func TestPacketsFloodedToOtherEndpointsAreNotCounted(t *testing.T) {
	f := newFixture(t)
	flooded := tcpIn(testnet.ACK, testnet.CE)
	flooded.Destination = other4
	f.toVM(flooded)
	for range f.Pairs() {
		t.Fatal("a packet for somebody else was counted as a pair's")
	}
	f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: false})
	f.toVM(flooded) // it may have addresses that are not known
	if pair := f.onlyPair(); pair.CEPackets != 1 {
		t.Errorf("%+v, want it counted", pair)
	}
}

func TestControlPacketsAreConsumedAtTheUplink(t *testing.T) {
	f := newFixture(t)
	events := openedEvents(f)
	for _, frame := range []testnet.Frame{
		{Source: peer4, Destination: own4, Protocol: testProtocol, PayloadBytes: 64, PaddingBytes: 18},
		{Source: peer6, Destination: own6, Protocol: testProtocol, PayloadBytes: 64},
		{Source: peer4, Destination: own4, Protocol: testProtocol, PayloadBytes: 1400},
		// The shortest notice, padded and not, and the longest.
		{Source: peer4, Destination: own4, Protocol: testProtocol, PayloadBytes: 2},
		{Source: peer4, Destination: own4, Protocol: testProtocol, PayloadBytes: 2, PaddingBytes: 24},
		{Source: peer6, Destination: own6, Protocol: testProtocol, PayloadBytes: 2},
		{Source: peer6, Destination: own6, Protocol: testProtocol, PayloadBytes: 216},
	} {
		sent := frame.Build()
		if result := f.run(f.objects.UplinkIn, sent, skbContext{}); result.verdict != verdictDrop {
			t.Errorf("verdict %d, want drop", result.verdict)
		}
		want := sent[testnet.EthernetBytes : len(sent)-frame.PaddingBytes]
		want = want[:min(len(want), 256)]
		if event := read(t, events); event.Control == nil || !bytes.Equal(event.Control.Packet, want) {
			t.Errorf("%s: %d bytes expected, got %+v", frame.Source, len(want), event)
		}
	}
	if taken := f.Totals().ControlPackets; taken != 7 {
		t.Errorf("counted %d, want 7", taken)
	}
	if result := f.run(f.objects.UplinkIn, tcpIn(testnet.ACK, testnet.CE).Build(), skbContext{}); result.verdict != verdictNext {
		t.Errorf("a data packet: verdict %d, want next", result.verdict)
	}
	// Should one reach an endpoint some other way, the VM still never sees it.
	for _, bytes := range []int{2, 64, 92} {
		local := testnet.Frame{Source: other4, Destination: own4, Protocol: testProtocol, PayloadBytes: bytes}
		if result := f.toVM(local); result.verdict != verdictDrop {
			t.Errorf("a control packet of %d bytes towards the VM: verdict %d, want drop", bytes, result.verdict)
		}
	}
}

func TestRetiredSlotsAreReused(t *testing.T) {
	f := newFixture(t)
	f.fromVM(udpOut())
	f.fromVM(udpOut()) // its flow remembers the slot
	slot := f.onlyPair().Slot
	if err := f.Retire(slot, 1000); err != nil {
		t.Fatal(err)
	}
	for range f.Pairs() {
		t.Error("a retired pair is still listed")
	}
	f.fromVM(udpOut())
	if fresh := f.onlyPair(); fresh.Slot == slot || fresh.SentPackets != 1 {
		t.Errorf("%+v: want a packet in a slot other than %d, which was retired only just", fresh, slot)
	}
	if err := f.Recycle(1000 + retirementNanos); err != nil {
		t.Fatal(err)
	}
	next := udpOut()
	next.Destination = other4
	f.fromVM(next)
	for pair := range f.Pairs() {
		if pair.Slot == slot && pair.SentPackets == 1 && f.Address(slot).Destination == other4 {
			return
		}
	}
	t.Errorf("slot %d was not reused", slot)
}

// A slot that a flow remembers may be another pair's by now, and with it the pair that comes back.
func TestACachedSlotOfAnotherPairIsNotUsed(t *testing.T) {
	for name, c := range map[string]struct {
		known, other testnet.Frame
		pass         func(f *fixture, frame testnet.Frame)
		count        func(p PairCounters) uint64
	}{
		"outward": {
			known: tcpOut(testnet.ACK), other: testnet.Frame{Source: own4, Destination: other4, Protocol: testnet.UDP},
			pass:  func(f *fixture, frame testnet.Frame) { f.fromVM(frame) },
			count: func(p PairCounters) uint64 { return p.SentPackets },
		},
		"inward": {
			known: tcpIn(testnet.ACK, testnet.ECT0), other: testnet.Frame{Source: other4, Destination: own4, Protocol: testnet.UDP},
			pass:  func(f *fixture, frame testnet.Frame) { f.toVM(frame) },
			count: func(p PairCounters) uint64 { return p.ReceivedPackets },
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.toVM(tcpIn(testnet.SYN, testnet.ECT0)) // begins the flow
			for range 3 {
				c.pass(f, c.known)
			}
			now := int64(1000)
			for pair := range f.Pairs() {
				if err := f.Retire(pair.Slot, now); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Recycle(now + retirementNanos); err != nil {
				t.Fatal(err)
			}
			c.pass(f, c.other)
			c.pass(f, c.other)
			for range 3 {
				c.pass(f, c.known)
			}
			want := map[model.Pair]uint64{
				{Source: c.known.Source, Destination: c.known.Destination}: 3,
				{Source: c.other.Source, Destination: c.other.Destination}: 2,
			}
			for pair := range f.Pairs() {
				at := f.Address(pair.Slot)
				if c.count(pair) != want[at] {
					t.Errorf("%v: %d packets, want %d", at, c.count(pair), want[at])
				}
				delete(want, at)
			}
			if len(want) > 0 {
				t.Errorf("not counted at all: %v", want)
			}
		})
	}
}

// read gets the next event or fails.
func read(t *testing.T, events *Events) Event {
	t.Helper()
	event, some, err := events.Read()
	if err != nil || !some {
		t.Fatalf("%v, %v: want an event", some, err)
	}
	return event
}
