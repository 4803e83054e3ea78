// SPDX-License-Identifier: Apache-2.0

package port

import (
	"net/netip"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	firstDSCP = 16
	lastDSCP  = 0
	otherDSCP = 46 // of no level
)

func twoLevels(p *config.Port) { p.Levels = &config.PortLevels{DSCP: []int{firstDSCP, lastDSCP}} }

// levelled is a frame of 1000 bytes.
func levelled(dscp uint8) []byte {
	return testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.UDP, DSCP: dscp, ECN: testnet.ECT0, PayloadBytes: 958,
	}.Build()
}

// queued sends frames at once and waits until they have come to the queue.
func (w *wire) queued(count int, frame []byte) Status {
	w.t.Helper()
	before := w.status().ArrivedPackets
	sender := testnet.NewSender(w.t, w.left)
	for range count {
		sender.Send(frame)
	}
	var s Status
	testnet.Until(w.t, "all have come", func() bool {
		s = w.status()
		return s.ArrivedPackets == before+uint64(count)
	})
	return s
}

func (w *wire) emptied() Status {
	w.t.Helper()
	var s Status
	testnet.Until(w.t, "the queue is empty again", func() bool {
		s = w.status()
		return s.BacklogPackets == 0
	})
	return s
}

// What is queued in the first level leaves before all that waits in the last, but for the packet on its way.
func TestTheFirstLevelIsServedFirst(t *testing.T) {
	w := newWire(t, twoLevels)
	capture := testnet.NewCapture(t, w.right)
	const first = 5
	w.queued(testBuffer, levelled(lastDSCP))
	s := w.queued(first, levelled(firstDSCP))
	earlier := s.Levels[1].SentPackets // at the latest
	if s.Levels[1].BacklogPackets < testBuffer/2 {
		t.Fatalf("only %d packets wait in the last level: the machine is too slow for this", s.Levels[1].BacklogPackets)
	}
	w.emptied()
	seen, before := 0, uint64(0)
	for _, frame := range capture.Waiting(testnet.IPProtocol(testnet.UDP)) {
		switch {
		case testnet.DSCPOf(frame) == firstDSCP:
			seen++
		case seen < first:
			before++
		}
	}
	if seen != first || before > earlier+1 {
		t.Errorf("%d of the first level's %d came, behind %d of the last level's; want at most the %d that had left, and one",
			seen, first, before, earlier)
	}
}

// Every level has room and a threshold of its own, and what the port reports is their sum.
func TestLevelsHaveTheirOwnBuffersAndThresholds(t *testing.T) {
	w := newWire(t, twoLevels)
	link := &recordedReports{}
	w.report(link)
	capture := testnet.NewCapture(t, w.right)
	const ofLast, ofFirst = 3 * testBuffer, testBuffer
	s := w.queued(ofLast, levelled(otherDSCP))
	if s.Levels[1].DroppedFullPackets == 0 {
		t.Errorf("%+v: nothing of %d was dropped with room for %d", s.Levels[1], ofLast, testBuffer)
	}
	s = w.queued(testThreshold, levelled(firstDSCP))
	if s.Levels[0].MarkedPackets != 0 || s.Levels[0].DroppedPackets != 0 {
		t.Errorf("%+v: a full last level has packets of the first marked or dropped", s.Levels[0])
	}
	w.queued(ofFirst-testThreshold, levelled(firstDSCP))
	s = w.emptied()
	first, last := s.Levels[0], s.Levels[1]
	if first.DSCP != firstDSCP || last.DSCP != lastDSCP {
		t.Errorf("DSCPs %d, %d", first.DSCP, last.DSCP)
	}
	if first.SentPackets != ofFirst || first.DroppedPackets != 0 || last.SentPackets+last.DroppedPackets != ofLast {
		t.Errorf("of %d and %d came %+v and %+v", ofFirst, ofLast, first, last)
	}
	marked := map[uint8]uint64{}
	for _, frame := range capture.Waiting(ceOnly) {
		if !testnet.HeaderIntact(frame) {
			t.Error("a header checksum is wrong")
		}
		marked[testnet.DSCPOf(frame)]++
	}
	if marked[firstDSCP] != first.MarkedPackets || marked[otherDSCP] != last.MarkedPackets ||
		first.MarkedPackets == 0 || last.MarkedPackets == 0 {
		t.Errorf("%v marked frames came out, the levels report %d and %d", marked, first.MarkedPackets, last.MarkedPackets)
	}
	sum := QueueCounters{
		SentPackets: s.SentPackets, SentBytes: s.SentBytes, MarkedPackets: s.MarkedPackets,
		OverThresholdPackets: s.OverThresholdPackets, DroppedPackets: s.DroppedPackets,
		DroppedFullPackets: s.DroppedFullPackets, DroppedNotEctPackets: s.DroppedNotEctPackets,
	}
	if sum != sumOf([]LevelStatus{first, last}) {
		t.Errorf("%+v is not the sum of %+v and %+v", sum, first, last)
	}
	var reported model.PortQueueSample
	testnet.Until(t, "all is reported", func() bool {
		_, reported = link.sums()
		return reported.SentPackets == s.SentPackets && reported.DroppedPackets == s.DroppedPackets
	})
	if reported.SentBytes != s.SentBytes || reported.MarkedPackets != s.MarkedPackets ||
		reported.OverThresholdPackets != s.OverThresholdPackets {
		t.Errorf("reported %+v, counted %+v", reported, sum)
	}
}

func TestLevelsOfPackets(t *testing.T) {
	w := newWire(t, func(p *config.Port) { p.Levels = &config.PortLevels{DSCP: []int{48, firstDSCP, 8, lastDSCP}} })
	v4, v4b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.5")
	v6, v6b := netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5")
	for _, c := range []struct {
		name  string
		frame []byte
		level int
	}{
		{"IPv4, first", testnet.Frame{Source: v4, Destination: v4b, Protocol: testnet.UDP, DSCP: 48}.Build(), 0},
		{"IPv4, second", testnet.Frame{Source: v4, Destination: v4b, Protocol: testnet.UDP, DSCP: firstDSCP, ECN: testnet.CE}.Build(), 1},
		{"IPv6, second", testnet.Frame{Source: v6, Destination: v6b, Protocol: testnet.UDP, DSCP: firstDSCP, ECN: testnet.CE}.Build(), 1},
		{"IPv6, third", testnet.Frame{Source: v6, Destination: v6b, Protocol: testnet.UDP, DSCP: 8}.Build(), 2},
		{"tagged", testnet.Tagged(levelled(8), 7), 2},
		{"the last one's", levelled(lastDSCP), 3},
		{"of no level", levelled(otherDSCP), 3},
		{"not IP", testnet.ARP([6]byte{2, 0, 0, 0, 0, 1}, v4, v4b), 3},
	} {
		before := w.status()
		w.queued(1, c.frame)
		after := w.emptied()
		for level := range after.Levels {
			want := uint64(0)
			if level == c.level {
				want = 1
			}
			if got := after.Levels[level].SentPackets - before.Levels[level].SentPackets; got != want {
				t.Errorf("%s: level %d sent %d, want %d", c.name, level, got, want)
			}
		}
		if got := w.port.levelOf(c.frame); got != c.level && c.name != "tagged" { // tags are not in frames here
			t.Errorf("%s: sent again it counts for level %d, want %d", c.name, got, c.level)
		}
	}
}

// What was lost of the first level is reported, and need not wait for room in the last.
func TestLossesOfLevels(t *testing.T) {
	w := newWire(t, func(p *config.Port) {
		twoLevels(p)
		p.CapacityMbps = 1
	})
	link := &recordedReports{}
	r := w.report(link)
	(&listener{r}).ApplySettings("node", model.HostSettings{ControlPeriodNanos: 5 * ms, ReportLosses: true})
	segment := func(sourcePort uint16, dscp uint8) []byte {
		return testnet.Frame{
			Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
			Protocol: testnet.TCP, SourcePort: sourcePort, Port: 5001, TCPFlags: testnet.ACK,
			DSCP: dscp, ECN: testnet.ECT0, PayloadBytes: 946,
		}.Build()
	}
	w.queued(2*testBuffer, segment(1000, firstDSCP))
	s := w.emptied()
	dropped := s.Levels[0].DroppedFullPackets
	testnet.Until(t, "all is reported that was dropped", func() bool { return uint64(len(link.lost())) == dropped })
	if dropped == 0 || s.Levels[1].DroppedPackets != 0 {
		t.Fatalf("%+v", s.Levels)
	}
	w.queued(testBuffer, segment(9999, lastDSCP))
	(&listener{r}).ApplyResends("node", []model.Resend{{Port: lossPort, Kept: link.lost()[0].Kept}})
	testnet.Until(t, "it is sent again", func() bool {
		s = w.status()
		return s.Levels[0].SentPackets+s.Levels[0].BacklogPackets == 2*testBuffer-dropped+1
	})
	if s.Levels[1].BacklogPackets <= testThreshold {
		t.Errorf("only %d packets of the last level were left then", s.Levels[1].BacklogPackets)
	}
	w.emptied()
}

// kinds of qdiscs on the queue's device.
func (w *wire) kinds() map[string]int {
	w.t.Helper()
	qdiscs, err := netlink.QdiscList(testnet.Link(w.t, "out"))
	if err != nil {
		w.t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, qdisc := range qdiscs {
		kinds[qdisc.Type()]++
	}
	return kinds
}

func TestLevelsAreRemoved(t *testing.T) {
	w := newWire(t, twoLevels)
	if kinds := w.kinds(); kinds["htb"] != 1 || kinds["pfifo"] != 2 {
		t.Errorf("%v, want a FIFO for each level", kinds)
	}
	// Killed: the kernel closes what it had open, pins and queues stay.
	for _, attached := range w.port.links {
		_ = attached.Close()
	}
	_ = w.port.objects.Close()
	if err := w.port.lock.Release(); err != nil {
		t.Fatal(err)
	}
	w.port, w.settings.Levels = nil, nil
	next, err := start(w.settings, programs)
	if err != nil {
		t.Fatalf("it cannot be started after it was killed: %v", err)
	}
	w.port = next
	if kinds := w.kinds(); kinds["htb"] != 1 || kinds["pfifo"] != 1 {
		t.Errorf("%v, want one queue without levels", kinds)
	}
	if s := w.burst(3, testnet.ECT0); s.SentPackets != 3 || s.Levels != nil {
		t.Errorf("%+v", s)
	}
	if err := w.port.Stop(); err != nil {
		t.Fatal(err)
	}
	w.settings.Levels = &config.PortLevels{DSCP: []int{firstDSCP, lastDSCP}}
	if w.port, err = start(w.settings, programs); err != nil {
		t.Fatal(err)
	}
	if err := w.port.Stop(); err != nil {
		t.Fatal(err)
	}
	w.port = nil
	if kinds := w.kinds(); kinds["htb"]+kinds["pfifo"] != 0 {
		t.Errorf("%v are still there", kinds)
	}
}

func BenchmarkMarkByLevel(b *testing.B) {
	objects, state := loaded(b)
	setLevels(state, []uint8{firstDSCP, lastDSCP})
	state.BufferPackets, state.ThresholdPackets, state.Marks = 100, testThreshold, 1
	state.FirstBackgroundClass = htb.FirstBackgroundClass
	if err := objects.Destinations.Put(behindA.As16(), bpfDestination{Queue: 7}); err != nil {
		b.Fatal(err)
	}
	for name, has := range map[string]uint32{"levels alone": 0, "background queues": 1} {
		b.Run(name, func(b *testing.B) {
			state.HasBackground = has
			const repetitions = 100_000
			var nanos, runs float64
			for b.Loop() {
				_, duration, err := objects.MarkByLevel.Benchmark(toward(behindA, lastDSCP), repetitions, nil)
				if err != nil {
					b.Fatal(err)
				}
				nanos += float64(duration.Nanoseconds())
				runs++
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(nanos/runs, "ns/packet")
		})
	}
}
