// SPDX-License-Identifier: Apache-2.0

package port

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	downA model.Port = "of:0000000000000002/3"
	downB model.Port = "of:0000000000000002/4"
)

var (
	sourceV4, sourceV6 = netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")
	behindA, behindA6  = netip.MustParseAddr("10.0.1.5"), netip.MustParseAddr("fd00::1:5")
	behindB            = netip.MustParseAddr("10.0.2.5")
	elsewhere          = netip.MustParseAddr("10.0.3.5")
)

// toward is a frame of 1000 bytes.
func toward(destination netip.Addr, dscp uint8) []byte {
	f := testnet.Frame{
		Source: sourceV4, Destination: destination, Protocol: testnet.UDP, DSCP: dscp, ECN: testnet.ECT0, PayloadBytes: 958,
	}
	if destination.Is6() {
		f.Source, f.PayloadBytes = sourceV6, 938
	}
	return f.Build()
}

func queueFor(downstream model.Port, destinations ...netip.Addr) model.BackgroundQueue {
	return model.BackgroundQueue{Downstream: downstream, Destinations: destinations}
}

// backgroundWire is a wire of two levels whose controller is the test.
type backgroundWire struct {
	*wire
	link     *recordedReports
	listener *listener
}

func newBackgroundWire(t *testing.T, change func(*config.Port)) *backgroundWire {
	w := &backgroundWire{link: &recordedReports{}}
	w.wire = newWire(t, func(p *config.Port) {
		twoLevels(p)
		if change != nil {
			change(p)
		}
	})
	w.listener = &listener{w.report(w.link)}
	return w
}

// decide sets the queues of the port, and waits until they are there.
func (w *backgroundWire) decide(queues ...model.BackgroundQueue) {
	w.t.Helper()
	w.listener.ApplyBackgroundQueues(model.BackgroundQueues{Port: lossPort, Queues: queues})
	testnet.Until(w.t, "the queues are there", func() bool {
		s, set := w.status(), 0
		for _, q := range s.Background.Queues {
			if !q.Draining {
				set++
			}
		}
		return set == len(queues) && !slices.ContainsFunc(queues, func(want model.BackgroundQueue) bool {
			got := backgroundIn(s, want.Downstream)
			return got.Downstream == "" || got.Draining || got.Destinations != len(want.Destinations)
		})
	})
}

// cap holds a queue to a rate.
func (w *backgroundWire) cap(downstream model.Port, bitsPerSecond uint64, hold time.Duration) {
	w.listener.ApplyRateCaps([]model.RateCap{
		{Port: lossPort, Downstream: downstream, BitsPerSecond: bitsPerSecond, HoldNanos: hold.Nanoseconds()},
	})
}

// capped waits until a queue's cap is of such a rate, 0: there is none.
func (w *backgroundWire) capped(downstream model.Port, bitsPerSecond uint64) {
	w.t.Helper()
	testnet.Until(w.t, fmt.Sprintf("%s is held to %d bit/s", downstream, bitsPerSecond), func() bool {
		return w.background(downstream).CapBitsPerSecond == bitsPerSecond
	})
}

// background is a queue's status; without a name: it is not there.
func (w *backgroundWire) background(downstream model.Port) BackgroundQueueStatus {
	w.t.Helper()
	return backgroundIn(w.status(), downstream)
}

func backgroundIn(s Status, downstream model.Port) BackgroundQueueStatus {
	for _, q := range s.Background.Queues {
		if q.Downstream == string(downstream) {
			return q
		}
	}
	return BackgroundQueueStatus{}
}

// The program chooses the class by level and destination.
func TestClassificationOfPackets(t *testing.T) {
	objects, state := loaded(t)
	setLevels(state, []uint8{firstDSCP, 8, lastDSCP})
	state.BufferPackets, state.ThresholdPackets = 100, 5
	state.FirstBackgroundClass, state.HasBackground = htb.FirstBackgroundClass, 1
	put := func(address netip.Addr, entry bpfDestination) {
		if err := objects.Destinations.Put(address.As16(), entry); err != nil {
			t.Fatal(err)
		}
	}
	soon := uint64(clock.Nanos()) + uint64(time.Hour)
	put(behindA, bpfDestination{Queue: 7})
	put(behindA6, bpfDestination{Queue: 63})
	put(behindB, bpfDestination{Queue: ownQueue, Former: 5})
	// The former queue holds nothing, so these have moved.
	moving, leaving := netip.MustParseAddr("10.0.4.1"), netip.MustParseAddr("fd00::4:1")
	put(moving, bpfDestination{Queue: 9, Former: 3, UntilNanos: soon})
	put(leaving, bpfDestination{Queue: ownQueue, Former: 3, UntilNanos: soon})
	// A cap that no agent has ended holds nobody for longer than a second.
	capped, outlived := netip.MustParseAddr("10.0.5.1"), netip.MustParseAddr("10.0.5.2")
	put(capped, bpfDestination{Queue: 11})
	put(outlived, bpfDestination{Queue: 12})
	state.Background[11].CappedUntilNanos = uint64(clock.Nanos() + 1000*ms)
	state.Background[12].CappedUntilNanos = uint64(clock.Nanos() - 1001*ms)
	const own, background = htb.FirstLevelClass + 2, htb.FirstBackgroundClass
	for _, c := range []struct {
		name  string
		frame []byte
		off   bool
		class uint32
	}{
		{"IPv4", toward(behindA, lastDSCP), false, background + 7},
		{"IPv6", toward(behindA6, lastDSCP), false, background + 63},
		{"IPv4, a DSCP of no level", toward(behindA, otherDSCP), false, background + 7},
		{"back in the level's own", toward(behindB, lastDSCP), false, own},
		{"unknown destination", toward(elsewhere, lastDSCP), false, own},
		{"IPv4, first level", toward(behindA, firstDSCP), false, htb.FirstLevelClass},
		{"IPv6, first level", toward(behindA6, firstDSCP), false, htb.FirstLevelClass},
		{"second level", toward(behindA, 8), false, htb.FirstLevelClass + 1},
		{"moved", toward(moving, lastDSCP), false, background + 9},
		{"moved back", toward(leaving, lastDSCP), false, own},
		{"capped", toward(capped, lastDSCP), false, background + 11},
		{"capped by an agent that is gone", toward(outlived, lastDSCP), false, own},
		{"not IP", testnet.ARP([6]byte{2, 0, 0, 0, 0, 1}, sourceV4, behindA), false, own},
		{"IPv4's address in IPv6", toward(netip.AddrFrom16(behindA.As16()), lastDSCP), false, own},
		{"no queues", toward(behindA, lastDSCP), true, own},
	} {
		state.HasBackground = 1
		if c.off {
			state.HasBackground = 0
		}
		if _, got, _ := runWithContext(t, objects.MarkByLevel, c.frame); got != c.class {
			t.Errorf("%s: class %x, want %x", c.name, got, c.class)
		}
	}
	for _, address := range []netip.Addr{moving, leaving} {
		var entry bpfDestination
		if err := objects.Destinations.Lookup(address.As16(), &entry); err != nil || entry.UntilNanos != 0 {
			t.Errorf("%v: %+v, %v: it has moved, its former queue is not read again", address, entry, err)
		}
	}
}

// runWithContext runs a program on a frame, and returns the priority that it gives it.
func runWithContext(t *testing.T, program *ebpf.Program, frame []byte) (verdict, class uint32, after []byte) {
	t.Helper()
	const contextBytes, priority = 192, 32 // of struct __sk_buff
	context := make([]byte, contextBytes)
	options := ebpf.RunOptions{
		Data: frame, DataOut: make([]byte, len(frame)+64), Context: make([]byte, contextBytes), ContextOut: context,
	}
	verdict, err := program.Run(&options)
	if err != nil {
		t.Fatalf("%v: %x", err, frame)
	}
	return verdict, binary.NativeEndian.Uint32(context[priority:]), options.DataOut
}

// Every queue has room and a threshold of its own; what it does is the last level's, too, in status and reports.
func TestBackgroundQueuesHaveTheirOwnBuffersAndThresholds(t *testing.T) {
	w := newBackgroundWire(t, nil)
	w.decide(queueFor(downA, behindA, behindA6), queueFor(downB, behindB))
	w.queued(3*testBuffer, toward(behindA, otherDSCP))
	s := w.queued(testThreshold, toward(behindB, lastDSCP))
	if b := backgroundIn(s, downB); b.MarkedPackets+b.DroppedPackets+s.Levels[0].SentPackets != 0 {
		t.Errorf("%+v: a full queue has another's packets marked or dropped", b)
	}
	w.queued(2, toward(behindA6, lastDSCP))
	w.queued(1, testnet.Tagged(toward(behindB, lastDSCP), 7))
	w.queued(3, toward(elsewhere, lastDSCP))
	w.queued(4, toward(behindA, firstDSCP))
	w.queued(testBuffer, toward(behindB, lastDSCP))
	s = w.emptied()
	a, b := backgroundIn(s, downA), backgroundIn(s, downB)
	const toA, toB, own, first = 3*testBuffer + 2, testBuffer + testThreshold + 1, 3, 4
	if a.SentPackets+a.DroppedPackets != toA || b.SentPackets+b.DroppedPackets != toB || a.DroppedFullPackets == 0 ||
		a.MarkedPackets == 0 || b.MarkedPackets == 0 {
		t.Errorf("of %d and %d came %+v and %+v", toA, toB, a, b)
	}
	if s.Levels[0].SentPackets != first || s.Levels[0].DroppedPackets != 0 {
		t.Errorf("first level %+v, want %d sent", s.Levels[0], first)
	}
	sum := a.QueueCounters
	sum.add(b.QueueCounters)
	sum.SentPackets += own
	sum.SentBytes += own * 1000
	if last := s.Levels[1].QueueCounters; last != sum {
		t.Errorf("last level %+v, want %+v", last, sum)
	}
	var reported model.PortQueueSample
	testnet.Until(t, "all is reported", func() bool {
		_, reported = w.link.sums()
		return reported.SentPackets == s.SentPackets && reported.DroppedPackets == s.DroppedPackets
	})
	if reported.BufferPackets != testBuffer || len(reported.Levels) != 2 || len(reported.Background) != 2 {
		t.Fatalf("reported %+v", reported)
	}
	for i, level := range reported.Levels {
		want := model.LevelQueueSample{
			SentPackets: s.Levels[i].SentPackets, SentBytes: s.Levels[i].SentBytes, DroppedPackets: s.Levels[i].DroppedPackets,
		}
		if level != want {
			t.Errorf("level %d: reported %+v, want %+v", i, level, want)
		}
	}
	for i, q := range []BackgroundQueueStatus{a, b} {
		want := model.BackgroundQueueSample{Downstream: model.Port(q.Downstream), SentBytes: q.SentBytes, DroppedPackets: q.DroppedPackets}
		if reported.Background[i] != want {
			t.Errorf("reported %+v, want %+v", reported.Background[i], want)
		}
	}
}

// They take turns with each other and with the level's own queue; the first level goes before all of them.
func TestBackgroundQueuesAreServedRoundRobin(t *testing.T) {
	w := newBackgroundWire(t, nil)
	w.decide(queueFor(downA, behindA), queueFor(downB, behindB))
	capture := testnet.NewCapture(t, w.right)
	for _, destination := range []netip.Addr{behindA, behindB, elsewhere} {
		w.queued(testBuffer, toward(destination, lastDSCP))
	}
	s := w.queued(3, toward(behindA, firstDSCP))
	if waiting := s.Levels[1].BacklogPackets; waiting < 2*testBuffer {
		t.Fatalf("only %d packets wait in the last level: the machine is too slow for this", waiting)
	}
	earlier := int(s.SentPackets - s.Levels[0].SentPackets) // of the last level, at the latest
	w.emptied()
	frames := capture.Waiting(testnet.IPProtocol(testnet.UDP))
	const alone = 4 * testBuffer / 3 // while they came one queue after the other, some was sent of the first alone
	sent := map[netip.Addr]int{}
	ahead, first := 0, 0
	for i, frame := range frames {
		if testnet.DSCPOf(frame) == firstDSCP {
			first++
			continue
		}
		if first < 3 {
			ahead++
		}
		if i >= earlier+3 && i < len(frames)-alone {
			sent[netip.AddrFrom4([4]byte(frame[30:34]))]++
		}
	}
	// The first packet of a queue is sent by what the queue owns; a turn is of two full frames.
	if first != 3 || ahead > earlier+4 {
		t.Errorf("the first level's %d came behind %d, of which %d had left", first, ahead, earlier)
	}
	for destination, count := range sent {
		if fair := (len(frames) - alone - earlier - 3) / 3; count < fair-6 || count > fair+6 {
			t.Errorf("%v sent %d, want about %d: %v", destination, count, fair, sent)
		}
	}
	if len(sent) != 3 {
		t.Errorf("%v", sent)
	}
}

// The program finds the length of every queue that there may be.
func TestTheMaximumOfBackgroundQueuesIsMeasured(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps = 100 })
	many := func(of byte) []model.BackgroundQueue {
		var queues []model.BackgroundQueue
		for i := range byte(htb.MaxBackgroundQueues) {
			queues = append(queues, queueFor(model.Port(fmt.Sprintf("of:%016x/%d", of, i)), netip.AddrFrom4([4]byte{10, of, i, 5})))
		}
		return queues
	}
	queues := many(1)
	w.decide(queues...)
	sender := testnet.NewSender(t, w.left)
	for _, q := range queues {
		w.cap(q.Downstream, 1, 10*time.Second) // the least there is
	}
	for _, q := range queues {
		testnet.Until(t, "it is capped", func() bool { return w.background(q.Downstream).CapBitsPerSecond > 0 })
		for range testBuffer {
			sender.Send(toward(q.Destinations[0], lastDSCP))
		}
	}
	s := w.status()
	for _, q := range queues {
		if got := backgroundIn(s, q.Downstream); got.MarkedPackets == 0 {
			t.Errorf("%s: %+v, want marks", q.Downstream, got)
		}
	}
	// All numbers are taken until the first is empty. Nothing is lost meanwhile.
	next := many(2)
	w.listener.ApplyBackgroundQueues(model.BackgroundQueues{Port: lossPort, Queues: next})
	testnet.Until(t, "they are missing", func() bool { return w.status().Background.MissingQueues > 0 })
	w.queued(1, toward(next[0].Destinations[0], lastDSCP))
	for _, q := range queues {
		w.cap(q.Downstream, 0, 0) // they are of the set no longer
	}
	testnet.Until(t, "there is room for the next", func() bool {
		s := w.status()
		return s.Background.MissingQueues == 0 && len(s.Background.Queues) == len(next)
	})
	s = w.emptied()
	if s.SentPackets+s.DroppedPackets != s.ArrivedPackets || s.Background.RefusedCaps != uint64(len(queues)) {
		t.Errorf("%d sent, %d dropped of %d; %d caps refused", s.SentPackets, s.DroppedPackets, s.ArrivedPackets, s.Background.RefusedCaps)
	}
}
