// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// sent reads what endpoints have sent so far.
func (b *bench) sent(endpoints int) []float64 {
	b.t.Helper()
	bytes := make([]float64, endpoints)
	for i := range bytes {
		stats, err := b.tree.Group(i+1, 0)
		b.must(err)
		bytes[i] = float64(stats.Total().SentBytes)
	}
	return bytes
}

// rates measures what endpoints 1, 2, ... send, in Mbit/s.
func (b *bench) rates(endpoints int, length time.Duration) []float64 {
	b.t.Helper()
	before, began := b.sent(endpoints), time.Now()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, ended := b.sent(endpoints), time.Now()
	for i := range after {
		after[i] = (after[i] - before[i]) * 8 / megabit / ended.Sub(began).Seconds()
	}
	return after
}

// within reports whether rates are as wanted, to a part; a wanted rate of 0 is not checked.
func within(got, want []float64, tolerance float64) bool {
	for i := range want {
		if want[i] > 0 && math.Abs(got[i]-want[i]) > want[i]*tolerance {
			return false
		}
	}
	return true
}

// holds checks rates to 5 %.
func (b *bench) holds(want ...float64) {
	b.t.Helper()
	b.holdsWithin(0.05, want...)
}

// holdsWithin checks rates over some windows: a busy machine may spoil one of them, not all.
func (b *bench) holdsWithin(tolerance float64, want ...float64) {
	b.t.Helper()
	const windows = 6
	length := 400 * time.Millisecond
	for _, megabits := range want {
		if megabits > 0 { // two frames more or less are within the tolerance
			length = max(length, time.Duration(2*testFrame*8/(megabits*tolerance)*1e3))
		}
	}
	var all []string
	for range windows {
		got := b.rates(len(want), length)
		all = append(all, fmt.Sprintf("%.2f", got))
		if within(got, want, tolerance) {
			b.t.Logf("%v Mbit/s, want %v", all, want)
			return
		}
	}
	b.t.Errorf("%v Mbit/s, want %v within %.0f %%", all, want, tolerance*100)
}

// What endpoints that flood the uplink get of it: what their classes own, and their part of what others leave, to 5 %.
func BenchmarkRates(b *testing.B) {
	for name, d := range divisions {
		b.Run(name, func(b *testing.B) {
			u := newBench(b)
			u.divided(&d)
			u.flood(d.floods...)
			u.waitUntilBacklogged(d.floods...)
			for b.Loop() {
				u.holds(d.sends...)
			}
		})
	}
}

// settleWithin is how long weights may take to hold after a change.
const settleWithin = 200 * time.Millisecond

// settles reports how long after a change to these weights the two tenants' rates hold them, and whether that
// was in time.
func (b *bench) settles(first, second float64) (time.Duration, bool) {
	b.t.Helper()
	const window = 40 * time.Millisecond // 50 frames of the lesser rate: 2 % are one of them
	changed := time.Now()
	b.claim(Claim{Tenant: "a", Weight: first}, Claim{Tenant: "b", Weight: second})
	want := []float64{50 * first / (first + second), 50 * second / (first + second)}
	for !within(b.rates(2, window), want, 0.07) {
		if time.Since(changed) > settleWithin {
			return 0, false
		}
	}
	return time.Since(changed), true
}

func BenchmarkWeightsThatChange(b *testing.B) {
	u := newBench(b)
	u.claim(Claim{Tenant: "a", Weight: 4}, Claim{Tenant: "b", Weight: 1})
	u.flood(1, 2)
	u.waitUntilBacklogged(1, 2)
	u.holds(40, 10)
	var slowest time.Duration
	for b.Loop() {
		for _, weights := range [][2]float64{{1, 4}, {1, 1}, {3, 2}} {
			const attempts = 5 // a busy machine may leave queues empty in some
			took, inTime := u.settles(weights[0], weights[1])
			for range attempts - 1 {
				if !inTime {
					u.settles(weights[1]+1, weights[0])
					took, inTime = u.settles(weights[0], weights[1])
				}
			}
			if !inTime {
				b.Errorf("weights %v do not hold within %v", weights, settleWithin)
			}
			slowest = max(slowest, took)
		}
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
	u.holds(30, 20)
}

// A limit is exact to 1 %, whether bulk alone uses it, or sparse flows beside.
func BenchmarkLimits(b *testing.B) {
	for _, megabits := range limits {
		b.Run(fmt.Sprint(megabits), func(b *testing.B) {
			u := newBench(b)
			u.limit(megabits)
			u.flood(1)
			u.waitUntilBacklogged(1)
			for b.Loop() {
				u.holdsWithin(0.01, float64(megabits))
			}
		})
	}
	b.Run("8 with sparse flows", func(b *testing.B) {
		u := newBench(b)
		u.limit(8)
		u.flood(1)
		u.waitUntilBacklogged(1)
		sender := testnet.NewSender(b, u.device)
		sender.Priority(leafClass(1, sparse))
		// 2 Mbit/s, a quarter of the limit: what the shim lets into the leaf.
		testnet.Paced(b, 4*time.Millisecond, func() { sender.Send(make([]byte, 1000)) })
		for b.Loop() {
			u.holdsWithin(0.01, 8)
		}
		if stats, err := u.tree.Group(1, 0); err != nil || stats.Sparse.SentBytes == 0 || stats.Sparse.BacklogPackets > 1 {
			b.Errorf("%+v, %v: the sparse frames wait", stats.Sparse, err)
		}
	})
}

// Endpoints that pass all they send off as sparse flows have their turns, no more: those who send bulk keep what
// they own, and their turn of what others leave.
func BenchmarkBulkBesideSparse(b *testing.B) {
	even := Claim{Tenant: "a", Weight: 1}
	for name, c := range map[string]struct {
		claims []Claim
		least  float64
	}{
		"owned": {[]Claim{even, even, even, even, even}, 0.9 * 10},
		// What a silent sixth leaves, half of the uplink, is lent.
		"lent": {[]Claim{even, even, even, even, even, {Tenant: "a", Weight: 5}}, 0.8 * 10},
	} {
		b.Run(name, func(b *testing.B) {
			u := newBench(b)
			u.claim(c.claims...)
			u.floodLeaves(sparse, 2, 3, 4, 5)
			u.floodLeaves(bulk, 1)
			u.waitUntilBacklogged(1)
			for b.Loop() {
				if got := u.rates(5, time.Second); got[0] < c.least {
					b.Errorf("%.1f Mbit/s: want the bulk of one of five to have %.1f of 50", got, c.least)
				}
			}
		})
	}
}
