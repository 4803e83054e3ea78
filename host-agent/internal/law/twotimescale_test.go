// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// lawTest drives one law whose share is 10 Mbit/s.
type lawTest struct {
	*TwoTimeScale
	t   *testing.T
	now int64
}

func newLawTest(t *testing.T, guarantee uint64) *lawTest {
	l := &lawTest{NewTwoTimeScale(DefaultTwoTimeScaleParameters()), t, 0}
	l.SetBounds(model.Bounds{CeilingBitsPerSecond: ceiling, GuaranteeBitsPerSecond: guarantee, Weight: 1})
	l.SetShare(model.UnitShare{UnitShareBitsPerSecond: 10_000_000})
	return l
}

// step ends an interval in which so many of ten packets were marked, and checks the limit, in shares.
func (l *lawTest) step(what string, marks uint64, lent, want float64) {
	l.t.Helper()
	l.now += tau
	l.Step(model.Interval{NowNanos: l.now, ElapsedNanos: tau, Packets: 10, CEPackets: marks,
		Backlogged: true, LentPart: lent})
	if got := l.LimitBitsPerSecond() / 10e6; math.Abs(got-want) > 1e-9 {
		l.t.Errorf("%s: %v shares, want %v", what, got, want)
	}
}

func TestMarksCutTheShareAndItRecovers(t *testing.T) {
	l := newLawTest(t, 0)
	l.step("no marks", 0, 0, 1)
	l.step("half marked", 5, 0, 1+0.06-0.2*0.5)
	l.step("all marked", 10, 0, 0.96+0.06-0.2*0.96)
	l.step("none", 0, 0, 0.888)
	l.step("none", 0, 0, 0.948)
	l.step("none", 0, 0, 1)
	l.step("fewer than a step gives back", 3, 0, 1)
	for range 200 {
		l.now += tau
		l.Step(model.Interval{NowNanos: l.now, ElapsedNanos: tau, Packets: 10, CEPackets: 10})
	}
	l.step("all, for long: a = b x", 10, 0, 0.3)
}

func TestMarksCutNoGuarantee(t *testing.T) {
	l := newLawTest(t, 9_000_000)
	l.step("all marked", 10, 0, 0.9)
	l.step("all marked", 10, 0, 0.9)
	l.step("none", 0, 0, 0.9) // x = 0.748 + 0.06
	l.step("none", 0, 0, 0.9)
	l.step("none", 0, 0, 0.928)
}

func TestALoanGrowsFallsAndReturns(t *testing.T) {
	l := newLawTest(t, 0)
	l.step("a fiftieth of what is lent", 0, 0.5, 1.01)
	l.step("again", 0, 0.5, 1.02)
	l.step("again", 0, 0.5, 1.03)
	l.step("twice that after four steps", 0, 0.5, 1.05)
	l.step("a quarter of what is missing to what is lent", 0, 0.5, 1.05+0.45/4)
	// The loan of three steps ago was 0.03; 0.8 of it is left. The limit ducks by 0.3 F.
	l.step("marks", 1, 0.5, 1.024*0.97)
	if l.factor != 1.024 {
		t.Errorf("x = %v after the first marks, want 1.024", l.factor)
	}
	l.step("more than half are marked: a tenth is returned, and x ducks under the share", 10, 0.5, 1.0216*0.7)
	l.step("none", 0, 0.1, 1.0236)
	l.step("a quarter of what is missing would be less", 0, 0.1, 1.0256)
	l.step("nothing is lent any more", 0, 0, 1+0.8*0.0256)
	l.step("a fifth is returned each time", 0, 0, 1+0.8*0.02048)
	l.step("a fifth is returned each time", 0, 0, 1+0.8*0.016384)
	l.step("a fifth is returned each time", 0, 0, 1+0.8*0.0131072)
	l.step("0.8 of it would be less than a hundredth", 0, 0, 1)
}

func TestWhatABurstTookIsBackSoon(t *testing.T) {
	l := newLawTest(t, 0)
	for range 40 {
		l.step("at rest", 0, 0, 1)
	}
	l.step("all marked", 10, 0, 0.86)
	l.step("all marked", 10, 0, 0.748)
	l.step("a third of what is missing", 0, 0, 0.832)
	l.step("0.06 is more than a third", 0, 0, 0.892)
	l.step("again", 0, 0, 0.952)
	l.step("again", 0, 0, 1)
	l.step("all marked, so soon again", 10, 0, 0.86)
	l.step("all marked", 10, 0, 0.748)
	l.step("shares are too large: 0.06", 0, 0, 0.808)
}

func TestAnUnusedLoanShrinks(t *testing.T) {
	l := newLawTest(t, 0)
	l.step("lent", 0, 1, 1.02)
	l.now += tau
	l.Step(model.Interval{NowNanos: l.now, ElapsedNanos: tau, LentPart: 1})
	if got := l.LimitBitsPerSecond(); math.Abs(got-10_180_000) > 1e-3 {
		t.Errorf("%v bit/s after a step without backlog, want 0.9 of the loan", got)
	}
}

func TestWhatObeysOtherPortsIsNoEvidence(t *testing.T) {
	l := newLawTest(t, 0)
	l.step("marks", 10, 0, 0.86)
	l.now += tau
	l.Step(model.Interval{NowNanos: l.now, ElapsedNanos: tau, GovernedElsewhere: true})
	if got := l.LimitBitsPerSecond(); got != 10_000_000 {
		t.Errorf("%v bit/s, want the share", got)
	}
}
