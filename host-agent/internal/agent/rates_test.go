// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// What limits let through in Mbit/s is measured here, against bounds: benchmarks, since it depends on the machine.
// That the kernel has the limits, and that what exceeds them is dropped where it should be, are tests.

// rateAttempts: too much is wrong at once, too little may be the busy machine's doing.
const rateAttempts = 5

// expectRate checks a rate at the far side: not over it by more than a part of it, and not under by
// more than below. It is the median of many stretches, because a busy machine holds the sender up for
// longer than a bucket lasts now and then.
func (h *host) expectRate(what string, bitsPerSecond, over, below float64) {
	h.t.Helper()
	rates := make([]float64, 21)
	for range rateAttempts {
		for i := range rates {
			rates[i] = arriving(h.t, "far", 100*time.Millisecond)
		}
		slices.Sort(rates)
		rate := rates[len(rates)/2]
		h.t.Logf("%s: %.3f of %.1f Mbit/s", what, rate/1e6, bitsPerSecond/1e6)
		if rate > bitsPerSecond*(1+over) {
			break
		}
		if rate >= bitsPerSecond*(1-below) {
			return
		}
	}
	h.t.Errorf("%s: want %.1f Mbit/s", what, bitsPerSecond/1e6)
}

// uplinkRates are what the endpoints send, in Mbit/s.
func (h *host) uplinkRates(length time.Duration) []float64 {
	h.t.Helper()
	sent := func() (bytes []float64) {
		for _, e := range h.status().Endpoints {
			sum := uint64(0)
			for _, g := range e.Groups {
				sum += g.SentBytes
			}
			bytes = append(bytes, float64(sum))
		}
		return bytes
	}
	before, began := sent(), time.Now()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, ended := sent(), time.Now()
	for i := range after {
		after[i] = (after[i] - before[i]) * 8e-6 / ended.Sub(began).Seconds()
	}
	return after
}

// isDivided reports whether rates are as wanted, to a part of each.
func isDivided(got, want []float64, tolerance float64) bool {
	for i := range want {
		if math.Abs(got[i]-want[i]) > want[i]*tolerance {
			return false
		}
	}
	return true
}

// expectDivided waits until the endpoints send like that. A busy machine may leave queues empty in some
// measurements, but not in all.
func (h *host) expectDivided(what string, want ...float64) {
	h.t.Helper()
	testnet.Until(h.t, fmt.Sprintf("%s: %v Mbit/s within 5 %%", what, want), func() bool {
		got := h.uplinkRates(400 * time.Millisecond)
		h.t.Logf("%s: %.2f Mbit/s", what, got)
		return isDivided(got, want, 0.05)
	})
}

func BenchmarkPolicedUDP(b *testing.B) {
	h := newHost(b, policing).run()
	flood(b, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	for b.Loop() {
		for _, megabits := range []uint64{20, 5} { // changed live
			h.limit("vm0", megabits*1_000_000)
			h.expectRate("policed", float64(megabits)*1e6, 0.01, 0.01)
		}
	}
}

func BenchmarkResidual(b *testing.B) {
	for name, limiter := range map[string]string{"shape": config.LimiterShape, "police": config.LimiterPolice} {
		b.Run(name, func(b *testing.B) {
			h := newHost(b, func(c *config.Host) { c.Limiter = limiter; c.Uplink.CapacityMbps = 400 }).run()
			for b.Loop() {
				h.limit("vm0", 0)
				stop := flood(b, h.vm, toGroup(true))
				h.expectRate("unicast to a group's MAC, of 400 Mbit/s", 4e6, 0.05, 0.1)
				stop()
				h.limit("vm0", 20_000_000)
				stop = flood(b, h.vm, toGroup(false))
				h.expectRate("multicast, of 20 Mbit/s", 1e6, 0.05, 0.1)
				stop()
			}
		})
	}
}

func BenchmarkTheUplinkFollowsTenantsAndWeights(b *testing.B) {
	h, vms := newHostOf(b, 5, nil)
	h.run()
	h.flooded(vms)
	for b.Loop() {
		h.limit("vm4", 0)
		h.apply()
		for _, d := range divisions {
			d.decide(h)
			h.expectDivided(d.what, d.due...)
		}
	}
}

func BenchmarkIdleTenantsCapacity(b *testing.B) {
	h, vms := newHostWithSilentTenants(b)
	h.flooded(vms[:2])
	for b.Loop() {
		h.expectDivided("a's only endpoint and one of b's", 25, 25)
	}
}

// payloadPart of a frame of TCP with time stamps is payload, which is what its goodput counts.
const payloadPart = 1448.0 / 1514

// expectGoodput has connections push for so long each until one has a part of a limit; none may have more than it.
func (s *site) expectGoodput(megabits, least float64, length time.Duration) {
	s.t.Helper()
	var got transfer
	for range rateAttempts {
		connection := s.connect()
		s.push(connection, length/4) // it begins with a burst
		got = s.push(connection, length)
		s.abort(connection)
		if got.megabitsPerSecond >= least*megabits {
			break
		}
	}
	s.t.Logf("%+v of %.0f Mbit/s", got, megabits)
	if got.megabitsPerSecond < least*megabits || got.megabitsPerSecond > 1.02*megabits*payloadPart {
		s.t.Errorf("%.1f Mbit/s of %.0f", got.megabitsPerSecond, megabits)
	}
}

// TCP has no queue here: without the bucket's reserve it gets half of 20 Mbit/s and a seventh of 100.
func BenchmarkTCPBetweenNeighbours(b *testing.B) {
	s := newNeighbours(b)
	s.run()
	for b.Loop() {
		for _, megabits := range []uint64{20, 100} {
			s.limit("vm0", megabits*1_000_000)
			s.expectGoodput(float64(megabits), 0.9, 2*time.Second)
		}
	}
}

func BenchmarkACeilingForNeighboursAndUplink(b *testing.B) {
	h, near, afar := newFlooding(b)
	for b.Loop() {
		turnsOfNeighbours(h, near, afar, func(what string, neighbour, uplink float64) {
			testnet.Until(b, what, func() bool {
				gotNeighbour, gotUplink := h.neighbourRates()
				b.Logf("%s: %.2f Mbit/s to the neighbour, %.2f by the uplink", what, gotNeighbour/1e6, gotUplink/1e6)
				return gotNeighbour+gotUplink <= 1.02*(neighbour+uplink) && gotNeighbour >= 0.95*neighbour && gotUplink >= 0.95*uplink
			})
		})
		h.limit("vm0", 0)
	}
}

// neighbourRates are the medians of what arrives at a neighbour and beyond the uplink, bit/s.
func (h *host) neighbourRates() (neighbour, uplink float64) {
	h.t.Helper()
	var all [2][]float64
	for range 11 {
		before, began := h.received("inside1", "far"), time.Now()
		time.Sleep(100 * time.Millisecond) // the measurement's length, not a wait for something
		after, elapsed := h.received("inside1", "far"), time.Since(began).Seconds()
		for i := range all {
			all[i] = append(all[i], float64(after[i]-before[i])*8/elapsed)
		}
	}
	for i := range all {
		slices.Sort(all[i])
	}
	return all[0][5], all[1][5]
}
