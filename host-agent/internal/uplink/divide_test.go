// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"math"
	"math/rand/v2"
	"testing"
)

const unlimited = 1e12

func TestDivideByHand(t *testing.T) {
	for _, c := range []struct {
		what    string
		demands []demand
		want    []float64
	}{
		{"nobody", nil, nil},
		{"alone", []demand{{1, 0, unlimited}}, []float64{90}},
		{"by weight", []demand{{1, 0, unlimited}, {0.5, 0, unlimited}}, []float64{60, 30}},
		{"a floor above the weight's part", []demand{{1, 50, unlimited}, {1, 0, unlimited}, {1, 0, unlimited}}, []float64{50, 20, 20}},
		{"a floor below it", []demand{{1, 10, unlimited}, {1, 0, unlimited}, {1, 0, unlimited}}, []float64{30, 30, 30}},
		{"a cap", []demand{{1, 0, 10}, {1, 0, unlimited}, {1, 0, unlimited}}, []float64{10, 40, 40}},
		{"caps alone", []demand{{1, 0, 10}, {1, 0, 20}}, []float64{10, 20}},
		// With the floor 40 are left for two: 13.3 and 26.7; the second's cap leaves the first 25.
		{"a floor and a cap", []demand{{1, 50, unlimited}, {0.5, 0, unlimited}, {1, 0, 15}}, []float64{50, 25, 15}},
		{"a floor that a cap makes needless", []demand{{1, 35, unlimited}, {1, 0, 10}, {1, 0, unlimited}}, []float64{40, 10, 40}},
	} {
		got := divide(90, c.demands)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.what, got, c.want)
				break
			}
		}
	}
}

// What makes a division weighted max-min: nobody is outside its bounds, nothing is left that somebody could
// use, and whoever is at neither bound has the same rate per weight, of which floors have more and caps less.
func TestDivideIsWeightedMaxMin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		const rate = 1e9
		demands := make([]demand, 1+random.IntN(8))
		room, caps := rate*floorsPart, 0.0
		for i := range demands {
			d := demand{weight: math.Pow(10, -4*random.Float64()), cap: rate * random.Float64()}
			if random.IntN(2) == 0 {
				d.floor = min(room, d.cap) * random.Float64()
				room -= d.floor
			}
			demands[i], caps = d, caps+d.cap
		}
		parts := divide(rate, demands)
		const precision = 1e-9
		sum, low, high := 0.0, 0.0, math.Inf(1)
		for i, d := range demands {
			sum += parts[i]
			level := parts[i] / d.weight
			if parts[i] < d.floor || parts[i] > d.cap {
				t.Fatalf("%v of %v is outside its bounds", parts[i], d)
			}
			if parts[i] > d.floor { // not raised: at the level, or below it at its cap
				low = max(low, level)
			}
			if parts[i] < d.cap { // not lowered: at the level, or above it at its floor
				high = min(high, level)
			}
		}
		if want := min(rate, caps); math.Abs(sum-want) > want*precision {
			t.Fatalf("%v: %v in sum, want %v", demands, sum, want)
		}
		if low > high*(1+precision) {
			t.Fatalf("%v: %v; somebody has %v per weight without need, while another has %v", demands, parts, low, high)
		}
	}
}
