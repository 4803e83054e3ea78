// SPDX-License-Identifier: Apache-2.0

package port

import (
	"bytes"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	capRate  = 4_000_000
	forHours = 10 * time.Second // the longest hold
)

func newCappedWire(t *testing.T) *backgroundWire {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps, p.BufferPackets = 20, 100 })
	w.decide(queueFor(downA, behindA), queueFor(downB, behindB))
	return w
}

// offer sends a packet every millisecond, 8 Mbit/s.
func (w *backgroundWire) offer(frame []byte) (stop func()) {
	sender := testnet.NewSender(w.t, w.left)
	return testnet.Paced(w.t, time.Millisecond, func() { sender.Send(frame) })
}

// rateOf is what a queue sends for so long, bit/s.
func (w *backgroundWire) rateOf(downstream model.Port, within time.Duration) float64 {
	w.t.Helper()
	first, began := w.background(downstream), clock.Nanos()
	var bits float64
	testnet.Until(w.t, within.String()+" are over", func() bool {
		now, nanos := w.background(downstream), clock.Nanos()-began
		bits = float64(now.SentBytes-first.SentBytes) * 8 * 1e9 / float64(nanos)
		return nanos > within.Nanoseconds()
	})
	return bits
}

// A capped queue sends at its cap, and in place: what waits goes on to wait.
func TestACapLimitsItsQueue(t *testing.T) {
	w := newCappedWire(t)
	w.cap(downA, capRate, forHours)
	w.capped(downA, capRate)
	stop := w.offer(toward(behindA, lastDSCP))
	testnet.Until(t, "the queue is full", func() bool { return w.background(downA).DroppedFullPackets > 0 })
	// On a busy machine the kernel's timers may be later than a burst.
	rate := w.rateOf(downA, time.Second)
	for attempt := 0; rate < 0.97*capRate && attempt < 4; attempt++ {
		rate = w.rateOf(downA, time.Second)
	}
	if rate < 0.97*capRate || rate > 1.03*capRate {
		t.Errorf("%.2f Mbit/s, want %.2f", rate/1e6, capRate/1e6)
	}
	// A later one replaces it, and its end lets out what waits.
	w.cap(downA, 2*capRate, forHours)
	w.capped(downA, 2*capRate)
	stop()
	w.cap(downA, 0, 0)
	w.capped(downA, 0)
	s := w.emptied()
	if s.SentPackets+s.DroppedPackets != s.ArrivedPackets || s.Background.ExpiredCaps != 0 {
		t.Errorf("%d sent, %d dropped of %d; %d caps expired", s.SentPackets, s.DroppedPackets, s.ArrivedPackets, s.Background.ExpiredCaps)
	}
}

// Beside a full queue that is held to a sixteenth of the port, another's packets and the first level's leave at once.
func TestACapLimitsNoOtherQueue(t *testing.T) {
	for name, frame := range map[string][]byte{
		"another queue": toward(behindB, lastDSCP), "the level's own": toward(elsewhere, lastDSCP), "the first level": toward(elsewhere, firstDSCP),
	} {
		t.Run(name, func(t *testing.T) {
			w := newCappedWire(t)
			w.cap(downA, 1, forHours)
			w.capped(downA, 1_211_200)
			stop := w.offer(toward(behindA, lastDSCP))
			testnet.Until(t, "the queue is full", func() bool { return w.background(downA).DroppedFullPackets > 0 })
			capture := testnet.NewCapture(t, w.right)
			const count = 60
			sender := testnet.NewSender(t, w.left)
			for range count {
				sender.Send(frame)
			}
			others, between := 0, 0
			testnet.Until(t, "all have come out", func() bool {
				for _, got := range capture.Waiting(testnet.IPProtocol(testnet.UDP)) {
					switch {
					case !bytes.Equal(got[30:34], behindA.AsSlice()):
						others++
					case others > 0 && others < count:
						between++
					}
				}
				return others == count
			})
			stop()
			// The 60 take 24 ms, in which the capped queue sends 4, and the 3 of a burst.
			if between > count/3 {
				t.Errorf("%d packets of the capped queue came between %d others", between, count)
			}
		})
	}
}

// A cap that nobody renews ends by the agent's own clock, and the queue sends as it did before.
func TestACapExpires(t *testing.T) {
	const hold, late = 100 * time.Millisecond, 10 * time.Millisecond
	w := newCappedWire(t)
	// A reading of the status takes time: the cap was there when the last that showed it began, and had
	// ended when the first that did not came back.
	expires := func() (there, gone time.Duration) {
		began := clock.Nanos()
		since := func() time.Duration { return time.Duration(clock.Nanos() - began) }
		before := w.status().Background.ExpiredCaps
		w.cap(downA, capRate, hold/2)
		w.cap(downA, capRate, hold) // renewed: the first hold does not end it
		w.capped(downA, capRate)
		w.queued(90, toward(behindA, lastDSCP))
		testnet.Until(t, "it has ended", func() bool {
			asked := since()
			ended := w.status().Background.ExpiredCaps == before+1
			if !ended {
				there = asked
			}
			gone = since()
			return ended
		})
		if a := w.background(downA); a.CapBitsPerSecond != 0 || a.CapEndsInMillis != 0 {
			t.Errorf("%+v", a)
		}
		w.emptied()
		if gone < hold {
			t.Errorf("it had ended after %v, before its %v were over", gone, hold)
		}
		return there, gone
	}
	there, gone := expires()
	for attempt := 0; there > hold+late && attempt < 4; attempt++ { // a busy machine ends it late
		there, gone = expires()
	}
	if there > hold+late {
		t.Errorf("it was still there after %v, and gone after %v, want %v and a few ms", there, gone, hold)
	}
}

func TestInvalidCapsAreRefused(t *testing.T) {
	w := newCappedWire(t)
	w.listener.ApplyRateCaps([]model.RateCap{
		{Port: lossPort, Downstream: "of:0000000000000002/9", BitsPerSecond: capRate, HoldNanos: 1000 * ms},
		{Port: "of:0000000000000009/5", Downstream: downA, BitsPerSecond: capRate, HoldNanos: 1000 * ms},
		{Port: lossPort, Downstream: downB, BitsPerSecond: capRate, HoldNanos: 1000 * ms},
	})
	w.capped(downB, capRate)
	if s := w.status(); s.Background.RefusedCaps != 2 || backgroundIn(s, downA).CapBitsPerSecond != 0 {
		t.Errorf("%+v", s.Background)
	}
	// The value in force is reported, not the one requested.
	w.cap(downA, 1, forHours)
	w.capped(downA, 1_211_200) // a frame of 1514 bytes in 10 ms
	w.cap(downB, 1<<40, forHours)
	w.capped(downB, 20_000_000)
	w.queued(1, toward(behindA, lastDSCP))
	testnet.Until(t, "it is reported", func() bool {
		_, total := w.link.sums()
		return len(total.Background) == 2 && total.Background[0].CapBitsPerSecond == 1_211_200 &&
			total.Background[1].CapBitsPerSecond == 20_000_000
	})
}

// What a cap makes a queue drop is not the network's loss: no controller receives it.
func TestLossesOfCappedQueuesAreNotReported(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) { p.CapacityMbps = 20 })
	w.listener.ApplySettings("node", model.HostSettings{ControlPeriodNanos: 5 * ms, ReportLosses: true})
	w.decide(queueFor(downA, behindA), queueFor(downB, behindB))
	w.cap(downA, capRate, forHours)
	w.capped(downA, capRate)
	segment := func(toA bool) []byte {
		f := testnet.Frame{
			Source: sourceV4, Destination: behindB, Protocol: testnet.TCP, SourcePort: 7, Port: 5001,
			TCPFlags: testnet.ACK, ECN: testnet.ECT0, PayloadBytes: 946,
		}
		if toA {
			f.Destination = behindA
		}
		return f.Build()
	}
	w.queued(5*testBuffer, segment(true))
	s := w.emptied()
	if a := backgroundIn(s, downA); a.DroppedFullPackets == 0 || s.ReportedLosses+s.UnreportedLosses != 0 || len(w.link.lost()) != 0 {
		t.Errorf("%+v, reported %d", a, len(w.link.lost()))
	}
	// Another queue's are, and its packets are sent again when there is room in it, whatever waits in the capped one.
	w.queued(5*testBuffer, segment(false))
	before := s.DroppedFullPackets
	s = w.emptied()
	dropped := s.DroppedFullPackets - before
	testnet.Until(t, "all is reported", func() bool { return uint64(len(w.link.lost())) == dropped })
	if dropped == 0 {
		t.Fatal("nothing was dropped")
	}
	stop := w.offer(segment(true))
	testnet.Until(t, "the capped queue is full", func() bool {
		return backgroundIn(w.status(), downA).DroppedFullPackets > backgroundIn(s, downA).DroppedFullPackets
	})
	w.listener.ApplyResends("node", []model.Resend{{Port: lossPort, Kept: w.link.lost()[0].Kept}})
	testnet.Until(t, "it is sent again", func() bool {
		s := w.status()
		return s.ResentPackets == 1 && backgroundIn(s, downB).BacklogPackets == 0
	})
	stop()
	w.emptied()
}
