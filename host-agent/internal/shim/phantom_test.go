// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// arriving is a frame of 1000 bytes for the endpoint.
func arriving(ecn uint8) testnet.Frame {
	return testnet.Frame{
		Source: peer4, Destination: own4, Protocol: testnet.UDP, SourcePort: 2000, Port: 1000, ECN: ecn,
		PayloadBytes: 1000 - testnet.EthernetBytes - 20 - 8,
	}
}

// hardlyDrained is a queue that loses a byte in a millisecond: next to nothing while a test runs, but for a
// frame in a second.
func hardlyDrained(thresholdBytes uint64) Phantom {
	return Phantom{BytesPerSecond: 1000, ThresholdBytes: thresholdBytes}
}

func TestPhantomQueueCountsArrivalsOverTheThreshold(t *testing.T) {
	f := newFixture(t)
	// The n-th frame finds n - 1 before it, less what has drained: the seventh is the first to find more than
	// five and a half.
	f.SetEndpointPhantom(endpointIndex, hardlyDrained(5500))
	for range 10 {
		if result := f.toVM(arriving(testnet.ECT0)); result.verdict != verdictNext {
			t.Fatalf("verdict %d: a phantom queue drops nothing", result.verdict)
		}
	}
	counters := f.EndpointPhantom(endpointIndex, clock.Nanos())
	if counters.ArrivedPackets != 10 || counters.ArrivedBytes != 10_000 || counters.OverThresholdPackets != 4 {
		t.Errorf("%+v, want 10 packets, 10000 bytes, 4 over the threshold", counters)
	}
	pair := f.onlyPair()
	if pair.PhantomCEPackets != 4 || pair.CEPackets != 0 || pair.MarkedPackets() != 4 {
		t.Errorf("%d and %d marks of the pair, want 4 of the phantom queue's", pair.PhantomCEPackets, pair.CEPackets)
	}
	if marked := f.Endpoint(endpointIndex).CEPackets; marked != 0 {
		t.Errorf("%d packets came with CE, want none", marked)
	}
}

func TestPhantomQueueChangesNothingThatTheVMReceives(t *testing.T) {
	for _, preserve := range []bool{false, true} {
		f := newFixture(t)
		f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, PreserveECN: preserve})
		f.fromVM(tcpOut(testnet.SYN | testnet.ECE | testnet.CWR))
		f.toVM(tcpIn(testnet.SYN|testnet.ACK|testnet.ECE, testnet.ECT0))
		f.SetEndpointPhantom(endpointIndex, hardlyDrained(1))
		f.toVM(arriving(testnet.ECT0))
		result := f.toVM(tcpIn(testnet.ACK, testnet.ECT0))
		if over := f.EndpointPhantom(endpointIndex, clock.Nanos()).OverThresholdPackets; over != 1 {
			t.Fatalf("%d packets over the threshold, want the second", over)
		}
		if ecn := testnet.ECNOf(result.frame); ecn != testnet.ECT0 || !testnet.HeaderIntact(result.frame) {
			t.Errorf("preserve %v: the VM sees ECN %d, want what was sent", preserve, ecn)
		}
	}
}

func TestPacketsAreMarkedOnce(t *testing.T) {
	f := newFixture(t)
	f.SetEndpointPhantom(endpointIndex, hardlyDrained(500))
	for range 3 {
		f.toVM(arriving(testnet.CE))
	}
	pair := f.onlyPair()
	if pair.CEPackets != 3 || pair.PhantomCEPackets != 0 || pair.MarkedPackets() != 3 {
		t.Errorf("%d by the network and %d by the phantom queue, want 3 and none", pair.CEPackets, pair.PhantomCEPackets)
	}
	// The queue reports all that exceeds it, whoever marked it before.
	if over := f.EndpointPhantom(endpointIndex, clock.Nanos()).OverThresholdPackets; over != 2 {
		t.Errorf("%d over the threshold, want 2", over)
	}
}

func TestPhantomQueueIsCappedAtTwiceItsThreshold(t *testing.T) {
	f := newFixture(t)
	f.SetEndpointPhantom(endpointIndex, hardlyDrained(5500))
	for range 50 {
		f.toVM(arriving(testnet.ECT0))
	}
	if backlog := f.EndpointPhantom(endpointIndex, clock.Nanos()).BacklogBytes; backlog > 11_000 || backlog < 9000 {
		t.Errorf("%d bytes wait, want at most 11000", backlog)
	}
	// A packet that finds less is never counted short, however large.
	fresh := newFixture(t)
	fresh.SetEndpointPhantom(endpointIndex, hardlyDrained(500))
	frame := tcpIn(testnet.ACK, testnet.ECT0)
	frame.PayloadBytes = 2896
	raw := frame.Build()
	fresh.run(fresh.objects.ToVm, raw, skbContext{IngressIfindex: uplinkIfindex, GSOSegments: 2, GSOSize: 1448})
	want := uint64(len(raw) + 54)
	if backlog := fresh.EndpointPhantom(endpointIndex, clock.Nanos()).BacklogBytes; backlog > want || backlog < want-1000 {
		t.Errorf("%d bytes wait, want the %d of one super-packet on the wire", backlog, want)
	}
}

func TestPhantomQueueDrains(t *testing.T) {
	f := newFixture(t)
	// So fast that a frame is gone long before the next.
	f.SetEndpointPhantom(endpointIndex, Phantom{BytesPerSecond: 1e12, ThresholdBytes: 1})
	for range 20 {
		f.toVM(arriving(testnet.ECT0))
	}
	if over := f.EndpointPhantom(endpointIndex, clock.Nanos()).OverThresholdPackets; over != 0 {
		t.Errorf("%d over the threshold of a queue that is always empty", over)
	}
	f.SetEndpointPhantom(endpointIndex, Phantom{})
	before := f.EndpointPhantom(endpointIndex, clock.Nanos())
	f.toVM(arriving(testnet.ECT0))
	if after := f.EndpointPhantom(endpointIndex, clock.Nanos()); after != before {
		t.Errorf("%+v without a ceiling, want %+v", after, before)
	}
}

func TestPhantomQueueCountsArrivalsFromTheNetworkOnly(t *testing.T) {
	f := newFixture(t)
	f.SetEndpointPhantom(endpointIndex, hardlyDrained(1))
	f.run(f.objects.ToVm, arriving(testnet.ECT0).Build(), skbContext{IngressIfindex: 5}) // a neighbour's
	flooded := arriving(testnet.ECT0)
	flooded.Destination = other4
	f.toVM(flooded) // not meant for it
	if counters := f.EndpointPhantom(endpointIndex, clock.Nanos()); counters != (PhantomCounters{}) {
		t.Errorf("%+v, want nothing", counters)
	}
}

// fromNetwork is a frame that the uplink brings, and that goes on to the endpoint.
func (f *fixture) fromNetwork(frame []byte, context skbContext) {
	f.t.Helper()
	if verdict := f.run(f.objects.UplinkIn, frame, context).verdict; verdict != verdictNext {
		f.t.Fatalf("verdict %d at the uplink", verdict)
	}
	context.IngressIfindex = uplinkIfindex
	f.run(f.objects.ToVm, frame, context)
}

func TestUplinkPhantomQueueMarksForEveryPair(t *testing.T) {
	f := newFixture(t)
	f.SetUplinkPhantom(hardlyDrained(5500))
	// What is for nobody here arrives as well.
	for range 4 {
		f.run(f.objects.UplinkIn, arriving(testnet.ECT0).Build(), skbContext{})
	}
	for range 4 {
		f.fromNetwork(arriving(testnet.ECT0).Build(), skbContext{})
	}
	counters := f.UplinkPhantom(clock.Nanos())
	if counters.ArrivedPackets != 8 || counters.ArrivedBytes != 8000 || counters.OverThresholdPackets != 2 {
		t.Errorf("%+v, want 8 packets, 8000 bytes, 2 over the threshold", counters)
	}
	if pair := f.onlyPair(); pair.ReceivedPackets != 4 || pair.PhantomCEPackets != 2 {
		t.Errorf("%d packets of the pair, %d marked, want 4 and 2", pair.ReceivedPackets, pair.PhantomCEPackets)
	}
}

func TestUplinkPhantomQueueMarksSuperPackets(t *testing.T) {
	f := newFixture(t)
	f.SetUplinkPhantom(hardlyDrained(1000))
	frame := tcpIn(testnet.ACK, testnet.ECT0)
	frame.PayloadBytes = 2896
	raw := frame.Build()
	for range 5 {
		f.fromNetwork(raw, skbContext{GSOSegments: 2, GSOSize: 1448})
	}
	counters := f.UplinkPhantom(clock.Nanos())
	if counters.ArrivedPackets != 10 || counters.ArrivedBytes != uint64(5*(len(raw)+54)) {
		t.Errorf("%+v, want 10 packets with the headers of each", counters)
	}
	// All but the first, which found nothing: held down as the backlog is, it stands above each of them.
	if pair := f.onlyPair(); counters.OverThresholdPackets != 8 || pair.PhantomCEPackets != 8 {
		t.Errorf("%d over the threshold, %d of the pair, want 8", counters.OverThresholdPackets, pair.PhantomCEPackets)
	}
}

func TestPhantomQueuesFirstMarkIsReported(t *testing.T) {
	f := newFixture(t)
	events := openedEvents(f)
	f.SetEndpointPhantom(endpointIndex, hardlyDrained(1))
	f.toVM(arriving(testnet.ECT0))
	f.toVM(arriving(testnet.ECT0))
	if event := read(t, events); event.FirstCE == nil || event.FirstCE.Pair.Source != peer4 {
		t.Errorf("%+v, want the first mark of %v", event, peer4)
	}
}

func TestPhantomQueueOfAReceiveCeiling(t *testing.T) {
	for _, c := range []struct {
		ceiling uint64
		want    Phantom
	}{
		{0, Phantom{}},
		// 196 Mbit/s; 2 ms of it are 32 packets, of which 20 count.
		{200_000_000, Phantom{BytesPerSecond: 24_500_000, ThresholdBytes: 20 * FrameBytes}},
		{50_000_000, Phantom{BytesPerSecond: 6_125_000, ThresholdBytes: 8 * FrameBytes}},
		{1_000_000, Phantom{BytesPerSecond: 122_500, ThresholdBytes: 4 * FrameBytes}},
		{1, Phantom{BytesPerSecond: 1000, ThresholdBytes: 4 * FrameBytes}},
	} {
		if got := PhantomOf(c.ceiling); got != c.want {
			t.Errorf("%d bit/s: %+v, want %+v", c.ceiling, got, c.want)
		}
	}
}

// What finds room in a flooded queue is what it drains, and what stands below its threshold.
func TestPhantomQueueDrainsAtItsRate(t *testing.T) {
	f := newFixture(t)
	const bytesPerSecond = 400_000
	f.SetEndpointPhantom(endpointIndex, Phantom{BytesPerSecond: bytesPerSecond, ThresholdBytes: 5500})
	began := clock.Nanos()
	for clock.Nanos()-began < (200 * time.Millisecond).Nanoseconds() {
		f.toVM(arriving(testnet.ECT0))
	}
	counters := f.EndpointPhantom(endpointIndex, clock.Nanos())
	elapsed := float64(clock.Nanos()-began) / 1e9
	within := counters.ArrivedBytes - 1000*counters.OverThresholdPackets
	if most := uint64(bytesPerSecond*elapsed) + 6500; within > most {
		t.Errorf("%d bytes found room in %.3f s, want at most %d", within, elapsed, most)
	}
	if counters.OverThresholdPackets == 0 {
		t.Error("a flood marked nothing")
	}
}
