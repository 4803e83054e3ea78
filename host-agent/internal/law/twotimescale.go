// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// TwoTimeScaleParameters are the constants of Sluice's law. All are dimensionless unless their
// name has a unit.
type TwoTimeScaleParameters struct {
	// CutGain is b: what a step in which every packet was marked takes from x, as a part of it. (0, 1).
	CutGain float64 `json:"cutGain"`
	// RecoveryGain is a: what a step gives back of it at least, in shares. (0, 1).
	RecoveryGain float64 `json:"recoveryGain"`
	// LeastFactor: x is never lower. (0, 1).
	LeastFactor float64 `json:"leastFactor"`
	// MostLoans: a loan is at most so many times what is lent. >= 1.
	MostLoans float64 `json:"mostLoans"`
	// LoanGain is what a step without marks adds to a loan, as a part of what is lent. (0, 1).
	LoanGain float64 `json:"loanGain"`
	// MostLoanGain is the most that it adds once there have been no marks for long. >= LoanGain.
	MostLoanGain float64 `json:"mostLoanGain"`
	// PatienceSteps: after so many steps without marks a loan rises to what is lent; each so many more
	// add one LoanGain. >= 1.
	PatienceSteps int `json:"patienceSteps"`
	// KeptPart is what the first marks leave of the loan of the time when they were caused. (0, 1).
	KeptPart float64 `json:"keptPart"`
	// DelaySteps: so many steps earlier they were caused. >= 1.
	DelaySteps int `json:"delaySteps"`
	// ProportionalGain is how far the limit ducks under x while all is marked and there is a loan. [0, 1).
	ProportionalGain float64 `json:"proportionalGain"`
	// HoldSteps is how many steps the last mark share F stays valid when nothing is reported. >= 0.
	HoldSteps int `json:"holdSteps"`
	// QuietNanos is T_o.
	QuietNanos int64 `json:"quietNanos"`
	// StaleNanos is how old a published share may be and still show that the controller is there.
	// Longer than any controller's period.
	StaleNanos int64 `json:"staleNanos"`
	// Notices are how notices count; without, they change nothing.
	Notices NoticeParameters `json:"notices"`
}

// DefaultTwoTimeScaleParameters returns one set of constants for all capacities.
//
// Shares sum to a little less than the port carries, so a cut only has to empty a queue: with b = 0.2
// and all marked, x falls by a quarter in two steps and is back within seven, or four after a burst.
// Without marks a loan comes to what is lent in some ten steps, and beyond it by a fiftieth of that per
// step; marks show one about three steps after it was too large, and what was sustained then, less a
// fifth, leaves room for the queue to drain.
func DefaultTwoTimeScaleParameters() TwoTimeScaleParameters {
	return TwoTimeScaleParameters{
		CutGain:          0.2,
		RecoveryGain:     0.06,
		LeastFactor:      0.02,
		MostLoans:        2,
		LoanGain:         0.02,
		MostLoanGain:     0.1,
		PatienceSteps:    4,
		KeptPart:         0.8,
		DelaySteps:       3,
		ProportionalGain: 0.3,
		HoldSteps:        4,
		QuietNanos:       DefaultQuietNanos,
		StaleNanos:       staleNanos,
		Notices:          DefaultNoticeParameters(),
	}
}

const (
	// staleNanos is how old a share may be and its controller still count as connected.
	staleNanos int64 = 3_000_000_000
	// heldPackets: F is held for so many packets at the limit, where that takes longer than HoldSteps.
	heldPackets = 2
	// leastLoan: a loan that marks leave less of is returned.
	leastLoan = 0.01
	// manyMarks: more than that after the first ones show that a loan is still too large.
	manyMarks = 0.5
	// stillKeptPart is what is left of it by a step of those.
	stillKeptPart = 0.9
	// mostMarkedSteps: after so many of these it is returned: others who cross the port have none.
	mostMarkedSteps = 12
	// unusedPart is what a step without backlog leaves of a loan.
	unusedPart = 0.9
	// returnedPart is what a step leaves of a loan that is more than is lent now.
	returnedPart = 0.8
	// returnSteps: a loan returns to what it was before the marks by one part in so many of what is missing.
	returnSteps = 4
	// recoverySteps: the same for what a burst took of the share.
	recoverySteps = 3
	// smallSteps: where marks stay a step is one part in so many.
	smallSteps = 8
	// burstSteps: after so many steps with all of the share it is a burst that marks.
	burstSteps = 40
	// packetBits is a full frame's size.
	packetBits = 1500 * 8
	// never is a time so long ago that nothing is older, and far enough from overflow.
	never = math.MinInt64 / 2
)

// TwoTimeScale is the host's half of Sluice's law, for one endpoint i and one port p. The controller
// solves weighted max-min over all ports and publishes what weight 1 may send through p, u_p; shares
// sum to a little less than the port carries, so that at rest nothing is marked. This runs every tau:
//
//	r = x s      s = max(floor, w u_p)      x = 1 at rest
//
// A mark is an error, and x falls: x <- min(1, x + a - b F x), with F the part of packets that carried
// CE; without marks it returns to 1 within a few steps. What is due to others who do not send it now is
// lent to those who wait, on the controller's word: then x rises above 1 until there are marks, falls to
// a part of what caused them, and ducks under it while they last. docs/two-time-scale-law.md explains
// all of it.
//
// Without the controller nothing changes here: u stays what it was.
type TwoTimeScale struct {
	parameters TwoTimeScaleParameters
	noticed    noticeReports

	ceiling   float64 // E, bit/s
	guarantee float64 // bit/s
	weight    float64 // w

	published bool
	unitShare float64 // u_p, bit/s
	equalCost bool

	factor          float64 // x
	marks           float64 // F of the last interval that reported packets, 0..1
	ducked          float64 // x, or less under a loan while there are marks
	reportedPackets float64 // in the last step in which any were
	unreportedSteps int

	// The last cut.
	wholeSteps int
	wasBurst   bool
	rising     bool
	firstCut   bool

	// The loan. earlierLoans are those of the last DelaySteps, from the earliest one on around.
	earlierLoans  []float64
	earliest      int
	sustainedLoan float64
	unmarkedSteps int
	markedSteps   int

	updated    bool // a share came since the last step
	lastUpdate int64
}

var _ model.Law = (*TwoTimeScale)(nil)

// NewTwoTimeScale makes the law of a Control that nothing limits yet.
func NewTwoTimeScale(parameters TwoTimeScaleParameters) *TwoTimeScale {
	return &TwoTimeScale{
		parameters: parameters, noticed: newNoticeReports(parameters.Notices), weight: 1, factor: 1, ducked: 1,
		earlierLoans: make([]float64, parameters.DelaySteps),
	}
}

// SetBounds implements model.Law.
func (l *TwoTimeScale) SetBounds(bounds model.Bounds) {
	l.ceiling = float64(bounds.CeilingBitsPerSecond)
	l.guarantee = math.Min(float64(bounds.GuaranteeBitsPerSecond), l.ceiling)
	if bounds.Weight > 0 && !math.IsInf(bounds.Weight, 1) {
		l.weight = bounds.Weight
	}
}

// SetShare implements model.Law. The first share starts the control of the port.
func (l *TwoTimeScale) SetShare(share model.UnitShare) {
	if share.Expired || share.UnitShareBitsPerSecond == 0 {
		l.published = false
		l.factor, l.ducked, l.marks = 1, 1, 0
		l.noticed = newNoticeReports(l.parameters.Notices)
		return
	}
	l.published = true
	l.unitShare = float64(share.UnitShareBitsPerSecond)
	l.equalCost = share.EqualCost
	l.updated = true
}

// Notify implements model.Law. It reports marks where receivers do not; see notices.go.
func (l *TwoTimeScale) Notify(nowNanos int64, notice model.Notice) {
	l.noticed.take(l.parameters.Notices, nowNanos, notice)
}

// Step implements model.Law.
func (l *TwoTimeScale) Step(interval model.Interval) uint64 {
	isNew := l.observeMarks(interval)
	if l.updated || isNew && l.marks > 0 {
		l.lastUpdate = interval.NowNanos
		l.updated = false
	}
	// An interval without length measured nothing: the clock has jumped.
	if l.published && interval.ElapsedNanos > 0 {
		l.advance(interval, isNew)
	}
	return wholeBits(l.LimitBitsPerSecond())
}

// observeMarks takes F from the interval and reports whether anything was reported. Feedback and steps
// run at the same period but not in step, and at low rates there are fewer packets than intervals: an
// empty interval is no evidence about the port, so F is held for a while before it counts as zero.
func (l *TwoTimeScale) observeMarks(interval model.Interval) bool {
	packets, marks := l.noticed.uncovered(l.parameters.QuietNanos, interval)
	packets += float64(interval.Packets)
	marks += float64(interval.CEPackets)
	if packets > 0 {
		l.marks = math.Min(marks/packets, 1)
		l.reportedPackets = packets
		l.unreportedSteps = 0
		return true
	}
	l.unreportedSteps++
	var held bool
	if l.noticed.govern {
		held = l.noticed.holds(l.parameters.Notices, interval.NowNanos)
	} else {
		held = l.unreportedSteps <= l.parameters.HoldSteps ||
			float64(int64(l.unreportedSteps)*interval.ElapsedNanos) <= heldPackets*l.packetNanos()
	}
	if !held {
		l.marks = 0
	}
	return false
}

// packetNanos is how long a full packet takes at the limit, where reports are of single packets; 0
// where they are of more.
func (l *TwoTimeScale) packetNanos() float64 {
	if l.reportedPackets > 1 {
		return 0
	}
	return packetBits * 1e9 / math.Max(l.LimitBitsPerSecond(), 1)
}

// advance moves x. Evidence counts once: a source of few packets learns nothing in most steps.
func (l *TwoTimeScale) advance(interval model.Interval, isNew bool) {
	p := &l.parameters
	if interval.GovernedElsewhere && !l.noticed.govern {
		l.factor, l.ducked = 1, 1
		return
	}
	hadLoan := l.factor > 1
	isEvidence := isNew || l.marks == 0
	if l.equalCost {
		isEvidence = isNew || l.unreportedSteps > p.HoldSteps
	}
	if isEvidence {
		switch {
		case l.equalCost:
			l.factor = l.atEqualCost(interval)
		case l.factor < 1 || l.factor == 1 && l.marks > 0:
			l.factor = math.Min(1, l.factor+l.gain())
		default:
			l.factor = 1 + l.loan(interval)
		}
		l.wholeSteps++
		if l.factor < 1 {
			l.wholeSteps = 0
		}
		l.earlierLoans[l.earliest] = l.factor - 1
		l.earliest = (l.earliest + 1) % len(l.earlierLoans)
	}
	if most := 1 + p.MostLoans*interval.LentPart; l.factor > most {
		l.factor = math.Max(most, 1+(l.factor-1)*returnedPart)
		if l.factor-1 < leastLoan && interval.LentPart == 0 {
			l.factor = 1
		}
	}
	l.factor = math.Max(l.factor, p.LeastFactor)
	l.ducked = l.factor
	if !l.equalCost && (hadLoan || l.factor > 1) {
		// Under the share, too: what waits in the queue has to leave it.
		l.ducked = l.factor * (1 - p.ProportionalGain*l.marks)
	}
}

// atEqualCost is the next x where more than its part may have come to the port, or less: all who cross
// it come to the same x, above 1 or below, and marks stay. So steps are small, but for the first cut and
// after a burst.
func (l *TwoTimeScale) atEqualCost(interval model.Interval) float64 {
	if l.factor >= 1 && l.marks == 0 && !interval.Backlogged {
		return 1 + (l.factor-1)*unusedPart
	}
	gain := l.gain()
	if l.factor > 1 || !l.wasBurst && !(l.firstCut && l.marks > 0) {
		gain /= smallSteps
	}
	return l.factor + gain
}

// gain is what a step gives to x, or takes. After a burst shares are as right as they were, and the
// queue is empty; where marks come again before x is back, or soon after, they are not.
func (l *TwoTimeScale) gain() float64 {
	gain := l.parameters.RecoveryGain
	if l.marks > 0 {
		l.firstCut = l.factor == 1 || l.firstCut && !l.rising && l.factor < 1
		if l.factor >= 1 {
			l.wasBurst = l.wholeSteps >= burstSteps
		} else {
			l.wasBurst = l.wasBurst && !l.rising
		}
		l.rising = false
		gain -= l.parameters.CutGain * l.marks * l.factor
	} else {
		l.rising = true
		if l.wasBurst {
			gain = math.Max(gain, (1-l.factor)/recoverySteps)
		}
	}
	return gain
}

// loan is the next one, in shares. The first marks are the work of some steps ago: what was sustained
// until then is remembered, and approached again; what is lent now is, once marks have gone.
func (l *TwoTimeScale) loan(interval model.Interval) float64 {
	p := &l.parameters
	loan := l.factor - 1
	if l.marks > 0 {
		switch {
		case l.unmarkedSteps > 0:
			l.sustainedLoan = math.Min(loan, l.earlierLoans[l.earliest])
			loan = p.KeptPart * l.sustainedLoan
			l.markedSteps = 0
		case l.marks > manyMarks:
			l.markedSteps++
			if loan < leastLoan || l.markedSteps >= mostMarkedSteps {
				loan = 0
			} else {
				loan *= stillKeptPart
			}
			l.sustainedLoan = loan
		}
		l.unmarkedSteps = 0
		return loan
	}
	l.unmarkedSteps++
	if !interval.Backlogged {
		return loan * unusedPart
	}
	gain := p.LoanGain * interval.LentPart
	goal := math.Min(l.sustainedLoan, p.MostLoans*interval.LentPart)
	if l.unmarkedSteps > p.PatienceSteps {
		goal = math.Max(goal, interval.LentPart)
	}
	if loan < goal {
		return loan + math.Max((goal-loan)/returnSteps, gain)
	}
	faster := gain * float64(1+l.unmarkedSteps/p.PatienceSteps)
	return loan + math.Min(faster, p.MostLoanGain*interval.LentPart)
}

// LimitBitsPerSecond is the limit in force, unrounded. What the endpoint is due at the port is its least:
// marks cut no guarantee.
func (l *TwoTimeScale) LimitBitsPerSecond() float64 {
	if !l.published {
		return l.ceiling
	}
	share := math.Max(l.guarantee, l.weight*l.unitShare)
	return clamp(l.ducked*share, l.guarantee, l.ceiling)
}

// Idle implements model.Law: nothing was published, or neither a share nor a mark came for T_o.
func (l *TwoTimeScale) Idle(nowNanos int64) bool {
	return !l.published || !l.updated && nowNanos-l.lastUpdate >= l.parameters.QuietNanos
}

// SignalDelayNanos implements model.Law.
func (l *TwoTimeScale) SignalDelayNanos() int64 {
	if !l.noticed.govern {
		return 0
	}
	return l.noticed.periodNanos
}
