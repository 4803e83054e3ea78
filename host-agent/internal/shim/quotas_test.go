// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const secondIndex = endpointIndex + 1

// rivals is a fixture with another endpoint, on the same device in turns: test runs know no other.
type rivals struct {
	*fixture
	mac net.HardwareAddr // of the one that sends
}

// rivalMACs are theirs: an endpoint sends from its own alone.
var rivalMACs = map[int]net.HardwareAddr{endpointIndex: {2, 0, 0, 0, 0, 0x51}, secondIndex: {2, 0, 0, 0, 0, 0x52}}

func newRivals(t testing.TB) *rivals {
	t.Helper()
	f := newFixture(t)
	r := &rivals{fixture: f}
	if err := f.AddEndpoint(secondIndex, model.Place{Ifindex: testIfindex}, []netip.Addr{other4}, EndpointOptions{AntiSpoof: true, PreserveECN: true}); err != nil {
		t.Fatal(err)
	}
	if err := f.GiveFlows(secondIndex); err != nil {
		t.Fatal(err)
	}
	for index, mac := range rivalMACs {
		f.setMAC(index, mac)
	}
	return r
}

// fromVM is a frame from the one whose turn it is.
func (r *rivals) fromVM(frame testnet.Frame) outcome {
	r.t.Helper()
	built := frame.Build()
	copy(built[6:], r.mac)
	return r.run(r.objects.FromVm, built, skbContext{})
}

// as has an endpoint send what follows.
func (r *rivals) as(index int) {
	r.t.Helper()
	r.mac = rivalMACs[index]
	if err := r.occupy(index, model.Place{Ifindex: testIfindex}); err != nil {
		r.t.Fatal(err)
	}
}

func numbered(index int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(1 + index>>16), byte(index >> 8), byte(index)})
}

// sendTo sends a datagram to each of so many destinations.
func (r *rivals) sendTo(source netip.Addr, first, count int) {
	r.t.Helper()
	frame := udpOut()
	frame.Source = source
	for i := first; i < first+count; i++ {
		frame.Destination = numbered(i)
		r.fromVM(frame)
	}
}

func (r *rivals) hasPair(source, destination netip.Addr) bool {
	for pair := range r.Pairs() {
		if address := r.Address(pair.Slot); address.Source == source && address.Destination == destination {
			return true
		}
	}
	return false
}

// relieve is what the agent does every 100 ms, at a time after all that was evicted before may be used again.
func (r *rivals) relieve(nowNanos int64) {
	r.t.Helper()
	if err := r.Recycle(nowNanos); err != nil {
		r.t.Fatal(err)
	}
	if err := r.RecycleConnections(nowNanos); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.EvictPairs(nowNanos); err != nil {
		r.t.Fatal(err)
	}
	if err := r.EvictConnections(nowNanos); err != nil {
		r.t.Fatal(err)
	}
}

func TestAFloodOfPairsUsesTheEndpointsOwnQuota(t *testing.T) {
	r := newRivals(t)
	now := clock.Nanos()
	later := func() int64 { now += 2 * time.Second.Nanoseconds(); return now }
	r.as(endpointIndex)
	r.sendTo(own4, 0, 20_000)
	flooder := r.Tables(endpointIndex).SentPairs
	if flooder.Used != flooder.Most || flooder.Refused == 0 {
		t.Errorf("%+v: want all that it may have, and refusals", flooder)
	}
	r.as(secondIndex)
	r.sendTo(other4, 0, ownEntries)
	if own := r.Tables(secondIndex).SentPairs; own.Used != ownEntries || own.Refused != 0 {
		t.Errorf("%+v: want %d entries of its own", own, ownEntries)
	}
	r.sendTo(other4, ownEntries, 300)
	r.relieve(later())
	r.relieve(later())
	r.sendTo(other4, ownEntries, 300)
	if more := r.Tables(secondIndex).SentPairs; more.Used != ownEntries+300 {
		t.Errorf("%+v: want its part of what the other had taken, %d entries", more, ownEntries+300)
	}
	if flooder := r.Tables(endpointIndex).SentPairs; flooder.Evicted == 0 || flooder.Used > flooder.Most {
		t.Errorf("%+v: want its own oldest evicted", flooder)
	}

	// What the flooder itself uses stays, and what it has used last.
	r.as(endpointIndex)
	for round := range 4 {
		r.sendTo(own4, 99_999, 1)
		r.sendTo(own4, 30_000+10_000*round, 9_000)
		r.sendTo(own4, 99_999, 1)
		r.relieve(later())
	}
	if !r.hasPair(own4, numbered(99_999)) {
		t.Error("the pair that it uses all the time was evicted")
	}
	for i := range ownEntries + 300 {
		if !r.hasPair(other4, numbered(i)) {
			t.Fatalf("the other lost its pair to %v", numbered(i))
		}
	}
}

// What comes from outside counts apart: whoever sends to an endpoint takes none of what it needs to send.
func TestReceivedPairsUseNoQuotaOfSentPairs(t *testing.T) {
	r := newRivals(t)
	r.as(endpointIndex)
	frame := testnet.Frame{Destination: own4, Protocol: testnet.UDP, SourcePort: 1, Port: 2}
	for i := range 10_000 {
		frame.Source = numbered(i)
		r.toVM(frame)
	}
	if arrived := r.Tables(endpointIndex).ReceivedPairs; arrived.Refused == 0 {
		t.Errorf("%+v: want refusals", arrived)
	}
	r.sendTo(own4, 20_000, 1000)
	if sent := r.Tables(endpointIndex).SentPairs; sent.Used != 1000 || sent.Refused != 0 {
		t.Errorf("%+v: want 1000 entries", sent)
	}
}

func TestAFloodOfConnectionsUsesTheEndpointsOwnQuota(t *testing.T) {
	r := newRivals(t)
	if err := r.Watch(true, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	open := func(source netip.Addr, first, count int) {
		t.Helper()
		frame := tcpOut(testnet.SYN)
		frame.Source = source
		for i := first; i < first+count; i++ {
			frame.SourcePort, frame.Destination = uint16(1+i%60_000), numbered(i/60_000)
			r.fromVM(frame)
		}
	}
	r.as(endpointIndex)
	open(own4, 0, 6000)
	r.as(secondIndex)
	open(other4, 0, ownEntries)
	if own := r.Tables(secondIndex).Connections; own.Used != ownEntries || own.Refused != 0 {
		t.Errorf("%+v: want %d connections watched", own, ownEntries)
	}
	open(other4, ownEntries, 200)
	r.relieve(clock.Nanos())
	r.relieve(clock.Nanos() + 2*time.Second.Nanoseconds())
	open(other4, ownEntries, 200)
	if more := r.Tables(secondIndex).Connections; more.Used != ownEntries+200 {
		t.Errorf("%+v: want %d connections watched", more, ownEntries+200)
	}
}

// A connection's agreement on ECN is kept in its flow.
func TestAFloodOfFlowsEvictsNoFlowOfOthers(t *testing.T) {
	r := newRivals(t)
	r.as(secondIndex)
	syn := tcpOut(testnet.SYN | testnet.ECE | testnet.CWR)
	syn.Source = other4
	r.fromVM(syn)
	answer := tcpIn(testnet.SYN|testnet.ACK|testnet.ECE, testnet.NotECT)
	answer.Destination = other4
	r.toVM(answer)
	r.as(endpointIndex)
	frame := udpOut()
	for i := range 150_000 {
		frame.SourcePort, frame.Port = uint16(i), uint16(1+i>>16)
		r.fromVM(frame)
	}
	r.as(secondIndex)
	data := tcpIn(testnet.ACK, testnet.CE)
	data.Destination = other4
	if ecn := testnet.ECNOf(r.toVM(data).frame); ecn != testnet.CE {
		t.Errorf("ECN %d, want the mark: the flow was forgotten", ecn)
	}
}

func TestARemovedEndpointsEntriesAreNotCountedForTheNext(t *testing.T) {
	r := newRivals(t)
	r.as(endpointIndex)
	r.sendTo(own4, 0, 100)
	now := clock.Nanos()
	if _, err := r.RemoveEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, now); err != nil {
		t.Fatal(err)
	}
	if err := r.AddEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, []netip.Addr{own4}, EndpointOptions{AntiSpoof: true}); err != nil {
		t.Fatal(err)
	}
	r.setMAC(endpointIndex, rivalMACs[endpointIndex])
	r.sendTo(own4, 0, 10)
	r.relieve(now + 2*time.Second.Nanoseconds())
	if use := r.Tables(endpointIndex).SentPairs; use.Used != 10 {
		t.Errorf("%+v, want 10 entries", use)
	}
}
