// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"testing"
)

const second int64 = 1_000_000_000

func always(int64) bool { return true }

func constant(weight float64) func(int64) float64 {
	return func(int64) float64 { return weight }
}

func greedy(weights ...float64) []source {
	var sources []source
	for _, w := range weights {
		sources = append(sources, source{weight: constant(w)})
	}
	return sources
}

func equal(n int) []source {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	return greedy(weights...)
}

// network is one of the two settings that the constants have to serve alike.
type network struct {
	name      string
	capacity  float64
	tauNanos  int64
	threshold int
	delays    []int64
}

var networks = []network{
	{"50 Mbit/s K=8", 50e6, 2_500_000, 8, []int64{300_000, 2_500_000}},
	{"50 Mbit/s K=16", 50e6, 2_500_000, 16, []int64{300_000, 2_500_000}},
	{"1 Gbit/s K=20", 1e9, 500_000, 20, []int64{60_000, 500_000}},
}

func (n network) with(sources []source, delay, seed int64) bottleneck {
	return bottleneck{capacity: n.capacity, tauNanos: n.tauNanos, threshold: n.threshold, delayNanos: delay,
		jitter: 0.3, seed: seed, senders: sources, publishes: always, parameters: DefaultTwoTimeScaleParameters()}
}

func checkShares(t *testing.T, got outcome, capacity float64, weights []float64, low, high float64) {
	t.Helper()
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i, rate := range got.rates {
		if weights[i] == 0 {
			continue
		}
		part := rate / (capacity * weights[i] / sum)
		if part < low || part > high {
			t.Errorf("sender %d has %.3f of its share, want %.2f to %.2f", i, part, low, high)
		}
	}
}

// Everyone gets at least 0.95 of its share and the port is used to 0.95, over any three seconds.
func TestSharesHoldInClosedLoop(t *testing.T) {
	mixes := map[string][]float64{"2:1:1:1": {2, 1, 1, 1}}
	for n := 2; n <= 8; n++ {
		mixes[fmt.Sprintf("%d equal", n)] = make([]float64, n)
		for i := range n {
			mixes[fmt.Sprintf("%d equal", n)][i] = 1
		}
	}
	for _, n := range networks {
		for mix, weights := range mixes {
			for _, delay := range n.delays {
				t.Run(fmt.Sprintf("%s/%s/%dus", n.name, mix, delay/1000), func(t *testing.T) {
					r := n.with(greedy(weights...), delay, 1).start()
					r.until(second / 2)
					got := r.until(second/2 + 3*second)
					checkShares(t, got, n.capacity, weights, 0.95, 1.05)
					if got.utilisation < 0.97 {
						t.Errorf("utilisation %.3f, want at least 0.97", got.utilisation)
					}
					if got.queueP99 > n.threshold {
						t.Errorf("p99 of the queue is %d packets, want at most %d", got.queueP99, n.threshold)
					}
					if got.dropped > 0 {
						t.Errorf("%d packets dropped", got.dropped)
					}
				})
			}
		}
	}
}

// Packets that always arrive in the same order within a batch are not marked alike: at rest nobody is
// marked, so it makes no difference.
func TestSharesHoldWithAFixedOrderOfArrival(t *testing.T) {
	for _, n := range networks {
		for mix, weights := range map[string][]float64{"4 equal": {1, 1, 1, 1}, "2:1:1:1": {2, 1, 1, 1}} {
			b := n.with(greedy(weights...), n.tauNanos, 6)
			b.batchSlots = 4
			r := b.start()
			r.until(second / 2)
			got := r.until(second/2 + 3*second)
			t.Logf("%s, %s: rates %.3g, utilisation %.3f", n.name, mix, got.rates, got.utilisation)
			checkShares(t, got, n.capacity, weights, 0.95, 1.05)
		}
	}
}

// spread is how far apart the best and the worst served are, per weight, as a part of the worst.
func spread(rates, weights []float64) float64 {
	low, high := rates[0]/weights[0], rates[0]/weights[0]
	for i, rate := range rates {
		low, high = min(low, rate/weights[i]), max(high, rate/weights[i])
	}
	return high/low - 1
}

// A unit share that is too high by two (twice as many senders as the controller knew of when it
// went) is held in check by marks.
func TestMarksLimitAShareThatIsTooHigh(t *testing.T) {
	for _, n := range networks {
		sources := equal(8)
		for i := range sources[4:] {
			sources[4+i].startNanos = second
		}
		b := n.with(sources, n.delays[0], 7)
		b.publishes = func(now int64) bool { return now < second/2 }
		r := b.start()
		r.until(2 * second)
		got := r.until(4 * second)
		checkShares(t, got, n.capacity, []float64{1, 1, 1, 1, 1, 1, 1, 1}, 0.93, 1.07)
		t.Logf("%s: utilisation %.3f, p99 %d, dropped %d", n.name, got.utilisation, got.queueP99, got.dropped)
		if float64(got.dropped) > 1e-4*n.capacity*2/frameBits {
			t.Errorf("%s: %d packets dropped, more than one in ten thousand", n.name, got.dropped)
		}
	}
}

// New weights hold within a second of their publication.
func TestWeightsChangeAtRunTime(t *testing.T) {
	for _, n := range networks {
		sources := equal(4)
		sources[0].weight = func(now int64) float64 {
			if now < second {
				return 1
			}
			return 2
		}
		r := n.with(sources, n.delays[0], 2).start()
		r.until(2 * second)
		got := r.until(4 * second)
		t.Logf("%s: %.2f utilisation %.3f", n.name, got.rates, got.utilisation)
		checkShares(t, got, n.capacity, []float64{2, 1, 1, 1}, 0.95, 1.05)
	}
}

// When all others stop, the one that is left has the port as soon as the controller says so.
func TestARemainingSenderTakesAReleasedPort(t *testing.T) {
	for _, n := range networks {
		sources := equal(4)
		for i := range sources[1:] {
			sources[1+i].stopNanos = second
		}
		r := n.with(sources, n.delays[0], 3).start()
		r.until(second + second/50)
		got := r.until(2 * second)
		t.Logf("%s: utilisation %.3f, p99 %d, dropped %d", n.name, got.utilisation, got.queueP99, got.dropped)
		if got.utilisation < 0.97 {
			t.Errorf("%s: utilisation %.3f, want at least 0.97", n.name, got.utilisation)
		}
	}
}

// Of four that are due a quarter each, two send nothing: the others borrow what is theirs, alike, and give
// it back as soon as they send.
func TestWhatOthersDoNotSendIsLent(t *testing.T) {
	for _, n := range networks {
		for _, delay := range n.delays {
			t.Run(fmt.Sprintf("%s/%dus", n.name, delay/1000), func(t *testing.T) {
				sources := equal(4)
				sources[2].idleUntil, sources[3].idleUntil = 3*second, 3*second
				r := n.with(sources, delay, 8).start()
				r.until(second)
				got := r.until(3 * second)
				t.Logf("rates %.3g, utilisation %.3f, p99 %d, dropped %d", got.rates, got.utilisation, got.queueP99, got.dropped)
				checkShares(t, got, n.capacity, []float64{1, 1, 0, 0}, 0.85, 1.05)
				if got.utilisation < 0.87 || got.dropped > 0 {
					t.Errorf("utilisation %.3f, %d dropped", got.utilisation, got.dropped)
				}
				if got.queueP99 > 3*n.threshold {
					t.Errorf("p99 of the queue is %d packets, want at most %d", got.queueP99, 3*n.threshold)
				}
				r.until(3*second + second/10)
				checkShares(t, r.until(4*second), n.capacity, []float64{1, 1, 1, 1}, 0.95, 1.05)
			})
		}
	}
}

// A newcomer starts beside the others, and all are at their shares soon after.
func TestANewSenderReachesItsShare(t *testing.T) {
	for _, n := range networks {
		sources := equal(4)
		sources[3].startNanos = second
		r := n.with(sources, n.delays[0], 4).start()
		r.until(second)
		r.until(second + 200*n.tauNanos)
		got := r.until(3 * second)
		checkShares(t, got, n.capacity, []float64{1, 1, 1, 1}, 0.95, 1.05)
	}
}

// With the controller gone its last shares stay, whoever leaves.
func TestWithoutTheControllerSharesStay(t *testing.T) {
	for _, n := range networks {
		sources := equal(8)
		for i := range sources[4:] {
			sources[4+i].stopNanos = second
		}
		b := n.with(sources, n.delays[0], 5)
		b.publishes = func(now int64) bool { return now < second/2 }
		r := b.start()
		r.until(2 * second)
		got := r.until(6 * second)
		got.rates = got.rates[:4]
		checkShares(t, got, n.capacity/2, []float64{1, 1, 1, 1}, 0.95, 1.05)
	}
}
