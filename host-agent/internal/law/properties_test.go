// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// anyInput does one arbitrary thing to a law and returns the bounds in force after it.
func anyInput(t *rapid.T, l model.Law, now *int64, bounds *model.Bounds) (stepped bool, limit uint64) {
	rate := rapid.Uint64Range(0, 100_000_000_000)
	switch rapid.IntRange(0, 3).Draw(t, "input") {
	case 0:
		*bounds = model.Bounds{
			CeilingBitsPerSecond:   rate.Draw(t, "ceiling"),
			GuaranteeBitsPerSecond: rate.Draw(t, "guarantee"),
			Weight:                 rapid.Float64Range(0.001, 1000).Draw(t, "weight"),
		}
		l.SetBounds(*bounds)
	case 1:
		l.SetShare(model.UnitShare{
			UnitShareBitsPerSecond: rate.Draw(t, "share"),
			CapacityBitsPerSecond:  rate.Draw(t, "capacity"),
			ActiveWeight:           rapid.Float64Range(0, 1e6).Draw(t, "activeWeight"),
			Expired:                rapid.IntRange(0, 9).Draw(t, "expired") == 0,
			EqualCost:              rapid.Bool().Draw(t, "equalCost"),
		})
	case 2:
		l.Notify(*now, model.Notice{
			Marks:                 rapid.Float64().Draw(t, "marks"),
			Packets:               rapid.Float64().Draw(t, "noticePackets"),
			PeriodNanos:           rapid.Int64Range(-1, 1_000_000_000).Draw(t, "period"),
			ShareBitsPerSecond:    rate.Draw(t, "noticeShare"),
			CapacityBitsPerSecond: rate.Draw(t, "noticeCapacity"),
		})
	default:
		elapsed := rapid.Int64Range(-1_000_000, 2_000_000_000).Draw(t, "elapsed")
		*now += elapsed
		packets := rapid.Uint64Range(0, 1000).Draw(t, "packets")
		return true, l.Step(model.Interval{
			NowNanos: *now, ElapsedNanos: elapsed, Packets: packets,
			CEPackets:         rapid.Uint64Range(0, packets).Draw(t, "ce"),
			SentBytes:         rapid.Uint64Range(0, 1<<40).Draw(t, "sent"),
			Backlogged:        rapid.Bool().Draw(t, "backlogged"),
			GovernedElsewhere: rapid.Bool().Draw(t, "governedElsewhere"),
			LentPart:          rapid.Float64Range(0, 1000).Draw(t, "lent"),
		})
	}
	return false, 0
}

// Whatever comes, in whatever order, the limit stays between guarantee and ceiling and is a number.
func TestLimitStaysWithinBounds(t *testing.T) {
	for _, kind := range []model.LawKind{model.TwoTimeScale, model.SdnGcc} {
		rapid.Check(t, func(t *rapid.T) {
			l := New(kind, Host{NICBitsPerSecond: ceiling}).(measurable)
			bounds := model.Bounds{CeilingBitsPerSecond: 1_000_000_000, Weight: 1}
			l.SetBounds(bounds)
			now := int64(0)
			for range rapid.IntRange(1, 60).Draw(t, "inputs") {
				stepped, limit := anyInput(t, l, &now, &bounds)
				exact := l.LimitBitsPerSecond()
				floor := min(bounds.GuaranteeBitsPerSecond, bounds.CeilingBitsPerSecond)
				if math.IsNaN(exact) || exact < float64(floor) || exact > float64(bounds.CeilingBitsPerSecond) {
					t.Fatalf("limit %v is outside %d..%d", exact, floor, bounds.CeilingBitsPerSecond)
				}
				if stepped && float64(limit) != math.Round(exact) {
					t.Fatalf("step returned %d, the limit is %v", limit, exact)
				}
			}
		})
	}
}

// Two sources that see the same marks keep their rates in proportion to their weights.
func TestSameMarksKeepProportions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(0.1, 10).Draw(t, "ratio")
		one, other := NewTwoTimeScale(DefaultTwoTimeScaleParameters()), NewTwoTimeScale(DefaultTwoTimeScaleParameters())
		weights := []float64{1, ratio}
		share := model.UnitShare{UnitShareBitsPerSecond: 1_000_000, CapacityBitsPerSecond: 1_000_000_000, ActiveWeight: 1000,
			EqualCost: rapid.Bool().Draw(t, "equalCost")}
		for i, l := range []*TwoTimeScale{one, other} {
			l.SetBounds(model.Bounds{CeilingBitsPerSecond: math.MaxUint32 * 1000, Weight: weights[i]})
			l.SetShare(share)
		}
		for n := range rapid.IntRange(1, 50).Draw(t, "steps") {
			ce := rapid.Uint64Range(0, 10).Draw(t, "ce")
			lent := rapid.Float64Range(0, 1).Draw(t, "lent")
			for _, l := range []*TwoTimeScale{one, other} {
				l.Step(model.Interval{NowNanos: int64(n+1) * tau, ElapsedNanos: tau, Packets: 10, CEPackets: ce,
					SentBytes: 1 << 30, Backlogged: true, LentPart: lent})
			}
			got := other.LimitBitsPerSecond() / one.LimitBitsPerSecond()
			if math.Abs(got-ratio) > 1e-6*ratio {
				t.Fatalf("after %d steps the rates stand %v to 1, the weights %v", n+1, got, ratio)
			}
		}
	})
}

// More marks never leave more, and where any step cuts they leave less.
func TestMoreMarksGiveALowerRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint64Range(0, 99).Draw(t, "low")
		high := rapid.Uint64Range(low+1, 100).Draw(t, "high")
		factor := rapid.Float64Range(0.1, 3).Draw(t, "factor")
		share := shareOf("a/1", 12_500_000, 3)
		share.EqualCost = rapid.Bool().Draw(t, "equalCost")
		limits := [2]float64{}
		for i, ce := range []uint64{low, high} {
			l := NewTwoTimeScale(DefaultTwoTimeScaleParameters())
			l.SetBounds(model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
			l.SetShare(share)
			l.factor = factor
			l.Step(model.Interval{NowNanos: tau, ElapsedNanos: tau, Packets: 100, CEPackets: ce, Backlogged: true, LentPart: 1})
			limits[i] = l.LimitBitsPerSecond()
		}
		cuts := factor < 1 && factor*(1-0.2*float64(low)/100)+0.06 < 1
		if limits[1] > limits[0] || cuts && limits[1] == limits[0] {
			t.Fatalf("F = %d %% leaves %v, F = %d %% leaves %v", low, limits[0], high, limits[1])
		}
	})
}

// However a second's marks are reported, by feedback, by notices or by both at once, F is the same at its
// end: nobody's marks count twice.
func TestTheSourceOfMarkReportsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets := rapid.Uint64Range(1, 50).Draw(t, "packets")
		ce := rapid.Uint64Range(0, packets).Draw(t, "ce")
		shares := [3]float64{}
		for i, by := range []struct{ feedback, notices bool }{{true, false}, {false, true}, {true, true}} {
			l := NewTwoTimeScale(DefaultTwoTimeScaleParameters())
			l.SetBounds(model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
			l.SetShare(shareOf("a/1", 12_500_000, 3))
			for step := int64(1); step <= 400; step++ {
				interval := model.Interval{NowNanos: step * tau, ElapsedNanos: tau, Backlogged: true}
				if by.feedback {
					interval.Packets, interval.CEPackets = packets, ce
				}
				if by.notices && step%2 == 0 {
					l.Notify(step*tau, model.Notice{Marks: float64(2 * ce), Packets: float64(2 * packets), PeriodNanos: 2 * tau})
				}
				l.Step(interval)
			}
			shares[i] = l.marks
			if l.noticed.govern == by.feedback {
				t.Fatalf("feedback %v, notices %v: notices govern: %v", by.feedback, by.notices, l.noticed.govern)
			}
		}
		want := float64(ce) / float64(packets)
		for _, got := range shares {
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("F = %v, want %v", shares, want)
			}
		}
	})
}

// Without notices SDN-GCC comes back to its share, here a quarter of the port, within T_c and a quarter
// of a second, however deep the cuts were.
func TestSdnGccRecovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewSdnGcc(DefaultSdnGccParameters())
		l.SetBounds(model.Bounds{CeilingBitsPerSecond: 1_000_000_000, Weight: 1})
		now := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "notices") {
			now += rapid.Int64Range(0, 5_000_000).Draw(t, "gap")
			l.Notify(now, model.Notice{Marks: rapid.Float64Range(0.1, 500).Draw(t, "marks"), PeriodNanos: 5_000_000,
				ShareBitsPerSecond: 250_000_000, CapacityBitsPerSecond: 1_000_000_000})
			if limit := l.LimitBitsPerSecond(); limit < 2_500_000 || limit > 250_000_000 {
				t.Fatalf("limit %v is outside R_min..E", limit)
			}
		}
		for end := now + 258_000_000; now < end; now += 500_000 {
			l.Step(model.Interval{NowNanos: now, ElapsedNanos: 500_000, SentBytes: 1500, Backlogged: true})
		}
		if limit := l.LimitBitsPerSecond(); limit != 250_000_000 {
			t.Fatalf("258 ms after the last notice the limit is %v, want E", limit)
		}
	})
}
