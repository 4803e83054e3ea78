// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// portNotices are notices of what the port itself counts.
type portNotices struct {
	periodNanos int64 // T_i
	delayNanos  int64 // from the end of T_i to the shim; up to half a T_i is added at random
	// without is how many senders, the first ones, have receivers without an agent; the others
	// get feedback as well.
	without int
}

// pendingNotices is what the port counted since the last notice, and the notices under way.
type pendingNotices struct {
	next    int64
	marks   float64
	packets map[int]float64
	waiting []waitingNotice
}

func (s *pendingNotices) count(packet queued) {
	if s.packets == nil {
		s.packets = map[int]float64{}
	}
	s.packets[packet.sender]++
	if packet.ce {
		s.marks++
	}
}

// distribute divides the port's marks among its senders by packets, after every T_i with any.
func (r *run) distribute(now int64) {
	state := &r.pending
	for len(state.waiting) > 0 && state.waiting[0].atNanos <= now {
		arrived := state.waiting[0]
		state.waiting = state.waiting[1:]
		s := r.senders[arrived.sender]
		s.law.Notify(now, arrived.notice)
		// A notice is answered at once, as the agent does, but not more than twice a T_i.
		if s.stepped && now-s.lastStep >= r.portNotices.periodNanos/2 {
			s.nextStep = now
		}
	}
	if now < state.next {
		return
	}
	state.next = now + r.portNotices.periodNanos
	total := 0.0
	for _, packets := range state.packets {
		total += packets
	}
	if state.marks > 0 {
		at := now + r.portNotices.delayNanos + r.random.Int63n(r.portNotices.periodNanos/2)
		for i, packets := range state.packets {
			state.waiting = append(state.waiting, waitingNotice{at, i, model.Notice{
				Marks: state.marks * packets / total, Packets: packets, PeriodNanos: r.portNotices.periodNanos,
			}})
		}
	}
	state.marks = 0
	clear(state.packets)
}

// byNotices is a network whose senders get notices of marks every T_i, from the controller. The first so
// many get no other report.
func (n network) byNotices(sources []source, without int, delayNanos int64) bottleneck {
	b := n.with(sources, n.delays[0], 1)
	b.portNotices = &portNotices{periodNanos: controlPeriodNanos, delayNanos: delayNanos, without: without}
	if without == len(sources) {
		b.tauNanos = controlPeriodNanos
	}
	return b
}

// Notices alone: everyone is at its share, and the port used, within a second, although what is
// reported is up to two T_i old.
func TestNoticesAlone(t *testing.T) {
	for _, n := range []network{networks[0], networks[2]} {
		for _, weights := range [][]float64{{1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {2, 1, 1, 1}} {
			for _, delay := range []int64{500_000, 5_000_000} {
				for _, batch := range []int{0, 4} {
					name := fmt.Sprintf("%s/%v/%dus/batch %d", n.name, weights, delay/1000, batch)
					t.Run(name, func(t *testing.T) {
						b := n.byNotices(greedy(weights...), len(weights), delay)
						b.batchSlots = batch
						r := b.start()
						r.until(second)
						got := r.until(4 * second)
						t.Logf("rates %.3g, utilisation %.3f, p99 %d, dropped %d", got.rates, got.utilisation, got.queueP99, got.dropped)
						checkShares(t, got, n.capacity, weights, 0.95, 1.05)
						if got.utilisation < 0.95 {
							t.Errorf("utilisation %.3f, want at least 0.95", got.utilisation)
						}
						if got.queueP99 > n.threshold {
							t.Errorf("p99 of the queue is %d packets, want at most %d", got.queueP99, n.threshold)
						}
						if got.dropped*1000 > int(got.utilisation*n.capacity*3/frameBits) {
							t.Errorf("%d packets dropped, more than one in a thousand", got.dropped)
						}
					})
				}
			}
		}
	}
}

// A newcomer, others that leave, and rates that are far from the shares: how long notices take.
func TestNoticesConverge(t *testing.T) {
	for _, c := range []struct {
		network network
		within  int64
	}{{networks[0], second / 5}, {networks[2], second / 5}} {
		t.Run(c.network.name+"/newcomer", func(t *testing.T) {
			sources := equal(4)
			sources[3].startNanos = 2 * second
			r := c.network.byNotices(sources, 4, 2_000_000).start()
			r.until(2 * second)
			took := r.converge(2*second, []float64{1, 1, 1, 1})
			t.Logf("within 5 %% after %d ms", took/1e6)
			if took > c.within {
				t.Errorf("after %d ms, want %d", took/1e6, c.within/1e6)
			}
		})
		t.Run(c.network.name+"/last one", func(t *testing.T) {
			sources := equal(4)
			for i := range sources[1:] {
				sources[1+i].stopNanos = 2 * second
			}
			r := c.network.byNotices(sources, 4, 2_000_000).start()
			r.until(2 * second)
			took := r.converge(2*second, []float64{1, 0, 0, 0})
			t.Logf("within 5 %% after %d ms", took/1e6)
			if took > c.within {
				t.Errorf("after %d ms, want %d", took/1e6, c.within/1e6)
			}
		})
		t.Run(c.network.name+"/far from the shares", func(t *testing.T) {
			r := c.network.byNotices(equal(4), 4, 2_000_000).start()
			r.until(100_000_000)
			for i, s := range r.senders {
				s.law.(*TwoTimeScale).factor = []float64{1, 0.7, 0.2, 0.04}[i]
			}
			took := r.converge(100_000_000, []float64{1, 1, 1, 1})
			t.Logf("within 5 %% after %d ms", took/1e6)
			if took > c.within {
				t.Errorf("after %d ms, want %d", took/1e6, c.within/1e6)
			}
		})
	}
}

// converge runs until all are within 5 % of their shares, over 100 ms and over the next 400 ms too,
// and returns how long that took.
func (r *run) converge(from int64, weights []float64) int64 {
	const interval = 100_000_000
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	good, took := 0, int64(0)
	for at := from; at < from+10*second && good < 5; at += interval {
		got := r.until(at + interval)
		ok := true
		for i, w := range weights {
			part := got.rates[i] / (r.capacity * w / sum)
			ok = ok && (w == 0 || part >= 0.95 && part <= 1.05)
		}
		if !ok {
			good = 0
			continue
		}
		if good == 0 {
			took = at + interval - from
		}
		good++
	}
	if good < 5 {
		return 10 * second
	}
	return took
}

// Some receivers have no agent: their senders' notices and the others' feedback, at one port.
func TestNoticesBesideFeedback(t *testing.T) {
	for _, n := range []network{networks[0], networks[2]} {
		for without := 1; without <= 3; without++ {
			weights := []float64{1, 1, 1, 1}
			r := n.byNotices(greedy(weights...), without, 2_000_000).start()
			r.until(second)
			got := r.until(4 * second)
			t.Logf("%s, %d without: rates %.3g, utilisation %.3f, p99 %d", n.name, without, got.rates, got.utilisation, got.queueP99)
			checkShares(t, got, n.capacity, weights, 0.90, 1.10)
			if got.utilisation < 0.95 {
				t.Errorf("utilisation %.3f, want at least 0.95", got.utilisation)
			}
		}
	}
}
