// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// neighbourMAC is where frames go as they are built.
var neighbourMAC = net.HardwareAddr{2, 0, 0, 0, 0, 2}

// neighbourIfindex is a device that the test runs do not use.
const neighbourIfindex = 78

// withNeighbour adds another endpoint with an address and a MAC.
func withNeighbour(t testing.TB, mac net.HardwareAddr) *fixture {
	t.Helper()
	f := newFixture(t)
	f.addNeighbour(other4, mac)
	return f
}

func (f *fixture) addNeighbour(address netip.Addr, mac net.HardwareAddr) {
	f.t.Helper()
	if err := f.AddEndpoint(otherEndpoint, model.Place{Ifindex: neighbourIfindex}, []netip.Addr{address}, EndpointOptions{}); err != nil {
		f.t.Fatal(err)
	}
	f.setMAC(otherEndpoint, mac)
}

func (f *fixture) setMAC(endpoint int, mac net.HardwareAddr) {
	f.t.Helper()
	if err := f.SetMAC(endpoint, mac); err != nil {
		f.t.Fatal(err)
	}
}

func toNeighbour() testnet.Frame {
	frame := kilobyte()
	frame.Destination = other4
	return frame
}

// neighbourBucket holds so many kilobytes, and is hardly refilled.
func neighbourBucket(burst, reserve, credit int) htb.Reserving {
	kilobytes := func(count int) time.Duration { return time.Duration(count) * 1000 * time.Second / trickle }
	return htb.Reserving{
		BytesPerSecond: trickle, Burst: kilobytes(burst), Reserve: kilobytes(reserve), Credit: kilobytes(credit),
	}
}

func TestNeighboursAreIdentifiedByIPAndMAC(t *testing.T) {
	for _, c := range []struct {
		name        string
		destination netip.Addr
		mac         net.HardwareAddr
		want        uint64
	}{
		{"its address, its MAC", other4, neighbourMAC, 1},
		{"its address, a router's MAC", other4, net.HardwareAddr{2, 0, 0, 0, 0, 9}, 0},
		{"another address, its MAC", peer4, neighbourMAC, 0},
		{"the endpoint's own", own4, neighbourMAC, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := withNeighbour(t, c.mac)
			f.setMAC(endpointIndex, neighbourMAC)
			frame := toNeighbour()
			frame.Destination = c.destination
			raw := frame.Build()
			copy(raw[6:], neighbourMAC)
			f.run(f.objects.FromVm, raw, skbContext{})
			if got := f.Neighbours(endpointIndex); got.Packets != c.want || got.Bytes != c.want*1000 {
				t.Errorf("%+v, want %d packets of 1000 bytes", got, c.want)
			}
			if pair := f.onlyPair(); pair.SentPackets != 1 || pair.SentBytes != 1000 {
				t.Errorf("%+v, want one packet for the pair", pair)
			}
			if e := f.Endpoint(endpointIndex); e.SentPackets != 1 {
				t.Errorf("%d packets, want one for the endpoint", e.SentPackets)
			}
		})
	}
}

func TestNeighboursAreAddedAndRemoved(t *testing.T) {
	f := newFixture(t)
	sent := func() uint64 {
		before := f.Neighbours(endpointIndex).Packets
		f.fromVM(toNeighbour())
		return f.Neighbours(endpointIndex).Packets - before
	}
	if sent() != 0 {
		t.Error("a neighbour before there is one")
	}
	f.addNeighbour(other4, neighbourMAC)
	if sent() != 1 {
		t.Error("a neighbour that came after the pair's first packet is not noticed")
	}
	if err := f.ForgetAddress(otherEndpoint, other4); err != nil {
		t.Fatal(err)
	}
	if sent() != 0 {
		t.Error("a neighbour that gave up its address is still one")
	}
	f.addNeighbour(other4, neighbourMAC)
	if _, err := f.RemoveEndpoint(otherEndpoint, model.Place{Ifindex: neighbourIfindex}, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	if sent() != 0 {
		t.Error("a neighbour that has gone is still one")
	}
}

func TestALearnedAddressMakesANeighbour(t *testing.T) {
	f := newFixture(t)
	f.fromVM(toNeighbour())
	options := EndpointOptions{AntiSpoof: true, Learn: true}
	// It learns on the device of the test runs, which is the sender's again afterwards.
	if err := f.AddEndpoint(otherEndpoint, model.Place{Ifindex: testIfindex}, nil, options); err != nil {
		t.Fatal(err)
	}
	claim := testnet.ARP([6]byte(neighbourMAC), other4, peer4)
	copy(claim[6:], neighbourMAC)
	if f.dropped(claim) {
		t.Fatal("it cannot claim its address")
	}
	if err := f.occupy(endpointIndex, model.Place{Ifindex: testIfindex}); err != nil {
		t.Fatal(err)
	}
	f.fromVM(toNeighbour())
	if got := f.Neighbours(endpointIndex).Packets; got != 1 {
		t.Errorf("%d packets to a neighbour, want 1", got)
	}
}

func TestNeighboursAreLimited(t *testing.T) {
	f := withNeighbour(t, neighbourMAC)
	if passed := f.passing(toNeighbour(), 20); passed != 20 {
		t.Fatalf("%d of 20 passed without a limit", passed)
	}
	f.LimitNeighbours(endpointIndex, neighbourBucket(7, 3, 30), htb.Sparse{})
	if passed := f.passing(toNeighbour(), 20); passed != 7 {
		t.Errorf("%d frames passed, want the burst of 7", passed)
	}
	if dropped := f.Neighbours(endpointIndex).DroppedPackets; dropped != 13 {
		t.Errorf("%d drops counted, want 13", dropped)
	}
	if passed := f.passing(kilobyte(), 20); passed != 20 {
		t.Errorf("%d of 20 passed towards the uplink: another limit's", passed)
	}
	f.LimitNeighbours(endpointIndex, htb.Reserving{}, htb.Sparse{})
	if passed := f.passing(toNeighbour(), 20); passed != 20 {
		t.Errorf("%d of 20 passed without the limit", passed)
	}
	f.LimitNeighbours(endpointIndex, neighbourBucket(7, 3, 30), htb.Sparse{})
	f.SetEnforcing(false)
	if passed := f.passing(toNeighbour(), 20); passed != 20 {
		t.Errorf("%d of 20 passed without enforcement", passed)
	}
}

func TestRetransmissionsAndSparseSegmentsHaveAReserve(t *testing.T) {
	f := withNeighbour(t, neighbourMAC)
	segment := testnet.Frame{
		Source: own4, Destination: other4, Protocol: testnet.TCP, SourcePort: 1000, Port: 80,
		TCPFlags: testnet.ACK, PayloadBytes: 1000 - testnet.EthernetBytes - 20 - 20,
	}
	f.LimitNeighbours(endpointIndex, neighbourBucket(2, 3, 30), htb.Sparse{})
	next := func(length int) testnet.Frame {
		frame := segment
		segment.Sequence += uint32(length)
		return frame
	}
	payload := segment.PayloadBytes
	first := next(payload)
	for i, want := range []struct {
		frame testnet.Frame
		pass  bool
	}{
		{first, true}, {next(payload), true}, {next(payload), false}, {first, true}, {first, true}, {next(payload), false},
		{first, true}, {first, false},
	} {
		if passed := f.fromVM(want.frame).verdict == verdictNext; passed != want.pass {
			t.Errorf("segment %d passed: %v, want %v", i, passed, want.pass)
		}
	}

	// A kilobyte makes a flow bulk at once, a few small frames do not.
	f.LimitNeighbours(endpointIndex, neighbourBucket(5, 5, 30), htb.Sparse{
		BytesPerSecond: 1e6, DepthBytes: 1 << 20, FlowBytes: 500,
	})
	if passed := f.passing(toNeighbour(), 5); passed == 5 {
		t.Fatal("the bucket is not empty")
	}
	sparse := toNeighbour()
	sparse.Port, sparse.PayloadBytes = sparse.Port+1, 100
	if passed := f.passing(sparse, 3); passed != 3 {
		t.Errorf("%d of 3 sparse frames passed beside bulk that is dropped", passed)
	}
}

// A pause after a drop gathers more than a burst; any other does not.
func TestAPauseAfterADropAccumulatesMoreCredit(t *testing.T) {
	f := withNeighbour(t, neighbourMAC)
	f.LimitNeighbours(endpointIndex, neighbourBucket(5, 1, 20), htb.Sparse{})
	g := f.groups.At(endpointIndex*groupSlots + neighbours)
	idle := func() { g.Bucket.FullTicks = 0 } // for long
	if passed := f.passing(toNeighbour(), 30); passed != 5 {
		t.Errorf("%d frames passed after a pause, want a burst of 5", passed)
	}
	idle()
	g.LastDropNanos = uint64(clock.Nanos())
	if passed := f.passing(toNeighbour(), 30); passed != 20 {
		t.Errorf("%d frames passed after a pause that a drop began, want 20", passed)
	}
}

func TestNeighboursCountForAPolicingLimiterToo(t *testing.T) {
	f := withNeighbour(t, neighbourMAC)
	f.PoliceEndpoint(endpointIndex, bucketOf(7))
	if passed := f.passing(toNeighbour(), 5) + f.passing(kilobyte(), 5); passed != 7 {
		t.Errorf("%d frames passed, want 7 in all", passed)
	}
}
