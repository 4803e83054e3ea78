// SPDX-License-Identifier: Apache-2.0

package uplink

// claimant is one of several that share a rate: what it is to have at a level, in bit/s, which does not fall
// as the level rises. Of weight w it is w times the level, but for its bounds.
type claimant interface {
	at(level float64) float64
}

// demand is an endpoint's claim; rates in bit/s, floor <= cap.
type demand struct {
	weight     float64 // relative to the largest: in [leastRelativeWeight, 1]
	floor, cap float64
}

func (d demand) at(level float64) float64 { return min(max(d.weight*level, d.floor), d.cap) }

// leastRelativeWeight: one that is smaller counts for so much; what it got would be less than the kernel's
// rates can say.
const leastRelativeWeight = 1e-9

// halvings of the levels that are possible, of which the most is 1e9 times the rate, leave an error far
// below a bit per second.
const halvings = 110

// divide is weighted max-min: the level at which all that claimants have comes to the rate. What no claimant may
// have is left over. At level 0 they must not have more than the rate.
func divide[T claimant](rate float64, claimants []T) []float64 {
	parts := make([]float64, len(claimants))
	sum := func(level float64) (sum float64) {
		for i, c := range claimants {
			parts[i] = c.at(level)
			sum += parts[i]
		}
		return sum
	}
	low, high := 0.0, rate/leastRelativeWeight
	if sum(high) <= rate {
		return parts
	}
	for range halvings {
		if middle := (low + high) / 2; sum(middle) <= rate {
			low = middle
		} else {
			high = middle
		}
	}
	sum(low)
	return parts
}
