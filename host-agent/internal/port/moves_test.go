// SPDX-License-Identifier: Apache-2.0

package port

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// numbered is a frame behind A that says which it is.
func numbered(number uint32) []byte {
	frame := toward(behindA, lastDSCP)
	binary.BigEndian.PutUint32(frame[len(frame)-4:], number)
	return frame
}

func numberOf(frame []byte) uint32 { return binary.BigEndian.Uint32(frame[len(frame)-4:]) }

// arrivals are the numbers of UDP frames that have come out.
func arrivals(capture *testnet.Capture) []uint32 {
	var numbers []uint32
	for _, frame := range capture.Waiting(testnet.IPProtocol(testnet.UDP)) {
		numbers = append(numbers, numberOf(frame))
	}
	return numbers
}

// Packets stand in queues for up to 30 ms while their destination moves from queue to queue and back: none is overtaken.
func TestPacketsOfADestinationThatMovesStayInOrder(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps, p.BufferPackets = 4, 100 })
	capture := testnet.NewCapture(t, w.right)
	sender := testnet.NewSender(t, w.left)
	// A packet takes 2 ms. Of 60 ms the queue is empty for the last 18.
	number, ticks := uint32(0), 0
	stop := testnet.Paced(t, 2*time.Millisecond, func() {
		count := 0
		switch at := ticks % 30; {
		case at == 0:
			count = 15
		case at <= 6:
			count = 1
		}
		for range count {
			sender.Send(numbered(number))
			number++
		}
		ticks++
	})
	sets := [][]model.BackgroundQueue{
		{queueFor(downA, behindA), queueFor(downB)},
		{queueFor(downA), queueFor(downB, behindA)},
		{queueFor(downB)},
		nil,
		{queueFor(downB, behindA)},
		{queueFor(downA, behindA)},
		nil,
	}
	for _, set := range append(sets, sets...) {
		testnet.Until(t, "some wait", func() bool { return w.status().BacklogPackets > 10 })
		w.decide(set...)
		before := w.status().ArrivedPackets
		testnet.Until(t, "the next burst has come", func() bool { return w.status().ArrivedPackets >= before+20 })
	}
	stop()
	s := w.emptied()
	numbers := arrivals(capture)
	if uint32(len(numbers)) != number || s.DroppedPackets != 0 {
		t.Errorf("%d of %d came out, %d dropped", len(numbers), number, s.DroppedPackets)
	}
	for i, got := range numbers {
		if got != uint32(i) {
			t.Fatalf("at place %d came number %d", i, got)
		}
	}
	w.gone()
}

// gone waits until no background queue is left.
func (w *backgroundWire) gone() {
	w.t.Helper()
	testnet.Until(w.t, "the queues are gone", func() bool { return len(w.status().Background.Queues) == 0 })
	if kinds := w.kinds(); kinds["htb"] != 1 || kinds["pfifo"] != 2 {
		w.t.Errorf("%v, want a FIFO for each level", kinds)
	}
	if has := w.port.state.At(0).HasBackground; has != 0 {
		w.t.Error("the program still looks up destinations")
	}
}

// Where the former queue does not empty, what comes later than moveNanos overtakes what it holds, once.
func TestReorderingByAMoveIsBounded(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps, p.BufferPackets = 20, 100 })
	w.decide(queueFor(downA, behindA), queueFor(downB))
	w.cap(downA, 1, forHours)
	w.capped(downA, 1_211_200)
	capture := testnet.NewCapture(t, w.right)
	sender := testnet.NewSender(t, w.left)
	number := uint32(0)
	stop := testnet.Paced(t, time.Millisecond, func() {
		sender.Send(numbered(number))
		number++
	})
	testnet.Until(t, "the queue is full", func() bool { return w.background(downA).DroppedFullPackets > 0 })
	w.decide(queueFor(downB, behindA))
	testnet.Until(t, "it has moved", func() bool { return w.background(downB).SentPackets > 50 })
	stop()
	s := w.emptied()
	if s.SentPackets+s.DroppedPackets != s.ArrivedPackets {
		t.Errorf("%d sent, %d dropped of %d", s.SentPackets, s.DroppedPackets, s.ArrivedPackets)
	}
	// Each that comes after a later one was overtaken.
	overtaken, latest := 0, uint32(0)
	for _, got := range arrivals(capture) {
		if got < latest {
			overtaken++
		}
		latest = max(latest, got)
	}
	if overtaken == 0 || overtaken > 100 {
		t.Errorf("%d packets were overtaken, want some and at most the 100 that the former queue holds", overtaken)
	}
}

// What a queue holds that is in the set no longer is sent, and what it did stays in the sums.
func TestARemovedQueueIsDrainedFirst(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps = 20 })
	w.decide(queueFor(downA, behindA))
	w.cap(downA, 1, forHours)
	w.capped(downA, 1_211_200)
	w.queued(3*testBuffer, toward(behindA, lastDSCP))
	w.decide()
	if a := w.background(downA); !a.Draining || a.Destinations != 0 {
		t.Errorf("%+v", a)
	}
	levels := w.status().Levels[1]
	testnet.Until(t, "it is gone", func() bool {
		s := w.status()
		last := s.Levels[1]
		if last.SentPackets < levels.SentPackets || last.MarkedPackets < levels.MarkedPackets || last.DroppedPackets < levels.DroppedPackets {
			t.Fatalf("%+v after %+v", last, levels)
		}
		levels = last
		return len(s.Background.Queues) == 0
	})
	w.gone()
	s := w.emptied()
	if s.SentPackets+s.DroppedPackets != 3*testBuffer || s.Levels[1].SentPackets != s.SentPackets || s.MarkedPackets == 0 {
		t.Errorf("%+v", s.Levels)
	}
	testnet.Until(t, "all is reported", func() bool {
		_, total := w.link.sums()
		return total.SentPackets == s.SentPackets && total.DroppedPackets == s.DroppedPackets &&
			total.Levels[1].SentPackets == s.SentPackets && total.Levels[1].DroppedPackets == s.DroppedPackets
	})
	// It comes back with counters of its own.
	w.decide(queueFor(downA, behindA))
	if a := w.background(downA); a.SentPackets+a.MarkedPackets+a.DroppedPackets != 0 || a.CapBitsPerSecond != 0 {
		t.Errorf("%+v", a)
	}
}

// A set that comes back before its queue is empty finds it as it was.
func TestAQueueAddedAgainBeforeItIsEmptyKeepsItsState(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps = 20 })
	w.decide(queueFor(downA, behindA))
	w.cap(downA, 1, forHours)
	w.capped(downA, 1_211_200)
	w.queued(testBuffer, toward(behindA, lastDSCP))
	w.decide()
	w.decide(queueFor(downA, behindA))
	a := w.background(downA)
	if a.Draining || a.CapBitsPerSecond == 0 || a.BacklogPackets == 0 {
		t.Errorf("%+v", a)
	}
	w.queued(1, toward(behindA, lastDSCP))
	if s := w.emptied(); backgroundIn(s, downA).SentPackets+backgroundIn(s, downA).DroppedPackets != testBuffer+1 {
		t.Errorf("%+v", s.Background)
	}
}

func TestInvalidSetsOfQueuesAreRefused(t *testing.T) {
	w := newBackgroundWire(t, nil)
	w.decide(queueFor(downA, behindA))
	w.listener.ApplyBackgroundQueues(model.BackgroundQueues{Port: "of:0000000000000009/5"})
	w.listener.ApplyBackgroundQueues(model.BackgroundQueues{Port: lossPort, Queues: []model.BackgroundQueue{queueFor(downB)}})
	testnet.Until(t, "the second is in force", func() bool { return w.background(downB).Downstream != "" })
	w.goneFrom(downA)
	// Without levels there are none.
	plain := newWire(t, nil)
	l := &listener{plain.report(&recordedReports{})}
	l.ApplyBackgroundQueues(model.BackgroundQueues{Port: lossPort, Queues: []model.BackgroundQueue{queueFor(downA, behindA)}})
	l.ApplyRateCaps([]model.RateCap{{Port: lossPort, Downstream: downA, BitsPerSecond: 8, HoldNanos: 1}})
	if s := plain.burst(3, testnet.ECT0); s.Background != nil || s.SentPackets != 3 {
		t.Errorf("%+v", s)
	}
}

// goneFrom waits until a queue is gone.
func (w *backgroundWire) goneFrom(downstream model.Port) {
	w.t.Helper()
	testnet.Until(w.t, "it is gone", func() bool { return w.background(downstream).Downstream == "" })
}

func TestBackgroundQueuesAreRemoved(t *testing.T) {
	w := newWire(t, twoLevels)
	b := w.port.background
	b.inbox.put(queueDecision{queues: &model.BackgroundQueues{Port: lossPort, Queues: []model.BackgroundQueue{
		queueFor(downA, behindA), queueFor(downB, behindB),
	}}})
	b.inbox.put(queueDecision{caps: []model.RateCap{{Port: lossPort, Downstream: downA, BitsPerSecond: 1, HoldNanos: int64(forHours)}}})
	b.turn(1)
	if kinds := w.kinds(); kinds["htb"] != 1 || kinds["pfifo"] != 4 || w.status().Background.Queues[0].CapBitsPerSecond == 0 {
		t.Errorf("%v, want a FIFO for each level and queue", kinds)
	}
	// Killed: the kernel closes what it had open, pins and queues stay.
	for _, attached := range w.port.links {
		_ = attached.Close()
	}
	_ = w.port.objects.Close()
	if err := w.port.lock.Release(); err != nil {
		t.Fatal(err)
	}
	w.port = nil
	next, err := start(w.settings, programs)
	if err != nil {
		t.Fatalf("it cannot be started after it was killed: %v", err)
	}
	w.port = next
	if kinds := w.kinds(); kinds["htb"] != 1 || kinds["pfifo"] != 2 || len(w.status().Background.Queues) != 0 {
		t.Errorf("%v, want a FIFO for each level", kinds)
	}
	if err := w.port.change(func(q *htb.Queue) error { return q.AddBackground(0) }); err != nil {
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

// As many destinations as there may be change queues and go, and leave no entry behind. No turn keeps caps waiting for all
// of them.
func TestAFullSetOfDestinationsIsAddedMovedAndRemoved(t *testing.T) {
	w := newWire(t, twoLevels)
	b := w.port.background
	full := func(of byte) *model.BackgroundQueues {
		set := &model.BackgroundQueues{Port: lossPort}
		const each = model.MaxBackgroundDestinations / model.MaxBackgroundQueues
		for i := range model.MaxBackgroundQueues {
			q := queueFor(model.Port(fmt.Sprint(i)))
			for j := range each {
				q.Destinations = append(q.Destinations, netip.AddrFrom4([4]byte{10, of, byte(i), byte(j)}))
			}
			set.Queues = append(set.Queues, q)
		}
		return set
	}
	entries := func() (count int) {
		var key [16]byte
		var value bpfDestination
		for all := w.port.objects.Destinations.Iterate(); all.Next(&key, &value); {
			count++
		}
		return count
	}
	now := clock.Nanos()
	decide := func(set *model.BackgroundQueues, want int) {
		t.Helper()
		b.inbox.put(queueDecision{queues: set})
		turns := 1
		for ; b.turn(now) == now; turns++ {
		}
		if turns < want/maxMoves || len(b.destinations.queues) != want || b.missing != 0 {
			t.Errorf("after %d turns %d destinations, %d queues missing; want %d", turns, len(b.destinations.queues), b.missing, want)
		}
	}
	decide(full(1), model.MaxBackgroundDestinations)
	turned := full(1)
	for i := range turned.Queues {
		turned.Queues[i].Downstream = model.Port(fmt.Sprint(model.MaxBackgroundQueues - 1 - i))
	}
	decide(turned, model.MaxBackgroundDestinations)
	decide(full(2), model.MaxBackgroundDestinations) // none of the former
	decide(full(3), model.MaxBackgroundDestinations)
	if count := entries(); count > maxEntries || count < model.MaxBackgroundDestinations {
		t.Errorf("%d entries", count)
	}
	decide(&model.BackgroundQueues{Port: lossPort}, 0)
	testnet.Until(t, "all have gone", func() bool {
		now += moveNanos
		b.turn(now)
		return len(w.status().Background.Queues) == 0
	})
	if count := entries(); count != 0 || b.turn(now) != 0 {
		t.Errorf("%d entries are left, and something to do at %d", count, b.turn(now)-now)
	}
}

func TestPendingDecisionsAreBounded(t *testing.T) {
	inbox := newQueueInbox()
	cap := queueDecision{caps: make([]model.RateCap, 3), receivedNanos: 7}
	set := func(port model.Port) queueDecision { return queueDecision{queues: &model.BackgroundQueues{Port: port}} }
	inbox.put(set("1"))
	inbox.put(set("2"))
	inbox.put(cap)
	inbox.put(set("3"))
	waiting, refused := inbox.take()
	if len(waiting) != 3 || refused != 0 || waiting[0].queues.Port != "2" || len(waiting[1].caps) != 3 || waiting[2].queues.Port != "3" {
		t.Errorf("%+v, %d", waiting, refused)
	}
	for range maxWaitingDecisions + 2 {
		inbox.put(cap)
	}
	inbox.put(set("4"))
	waiting, refused = inbox.take()
	if len(waiting) != maxWaitingDecisions+1 || refused != 6 || waiting[maxWaitingDecisions].queues.Port != "4" {
		t.Errorf("%d wait, %d refused", len(waiting), refused)
	}
	if waiting, refused = inbox.take(); len(waiting) != 0 || refused != 0 {
		t.Errorf("%+v, %d", waiting, refused)
	}
}
