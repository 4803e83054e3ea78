// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// TwoTimeScaleParameters are the constants of Sluice's law. All are dimensionless unless their
// name has a unit.
type TwoTimeScaleParameters struct {
	// IncreaseGain is a: what a step without marks adds to R, as a part of the share w u. (0, 1).
	IncreaseGain float64 `json:"increaseGain"`
	// DecreaseGain is b: what a step in which every packet was marked takes from R. (0, 1).
	DecreaseGain float64 `json:"decreaseGain"`
	// PullGain is kappa, PullCentre c and PullReach delta: R is drawn towards c w u by kappa times
	// its distance from there, in shares and at most delta. kappa delta < a, so that a source that
	// sees no marks grows wherever it stands. kappa >= 0, c around 1, delta >= 0.
	PullGain   float64 `json:"pullGain"`
	PullCentre float64 `json:"pullCentre"`
	PullReach  float64 `json:"pullReach"`
	// ProportionalGain is gamma: how far the limit falls below R at once when all packets are
	// marked. [0, 1). Without it an integrator on a step-shaped mark rings.
	ProportionalGain float64 `json:"proportionalGain"`
	// PatienceSteps is how many steps in a row make "backlog without marks" or "unused". >= 1.
	PatienceSteps int `json:"patienceSteps"`
	// ProbeMargin is how far above its reference R must stand before backlog without marks counts
	// as spare capacity. >= 1.
	ProbeMargin float64 `json:"probeMargin"`
	// ProbeFactor multiplies R per step once PatienceSteps have passed so. > 1.
	ProbeFactor float64 `json:"probeFactor"`
	// ReentryHeadroom is how far above max(share, delivered) the first mark after probing leaves R.
	ReentryHeadroom float64 `json:"reentryHeadroom"`
	// MinimumShare is R_min as a part of the share w u. (0, 1).
	MinimumShare float64 `json:"minimumShare"`
	// HoldSteps is how many steps the last mark share F stays valid when nothing is reported. >= 0.
	HoldSteps int `json:"holdSteps"`
	// StandbyNanos is in about how long R returns to the share while other ports govern: a few of the
	// loop's oscillations. With 1 s instead, sources in a tree of three full ports still obeyed the wrong
	// port seconds after their start.
	StandbyNanos int64 `json:"standbyNanos"`
	// QuietNanos is T_o.
	QuietNanos int64 `json:"quietNanos"`
	// StaleNanos is how old the share may be and still pull R upwards. Longer than any controller's
	// period. With the controller gone and newcomers at the port, the share is too high: to be drawn
	// towards it would hold the queue up (K = 20, a fourth sender: p99 of 40 packets, else 35).
	StaleNanos int64 `json:"staleNanos"`
	// Notices are how notices count; without, they change nothing.
	Notices NoticeParameters `json:"notices"`
}

// DefaultTwoTimeScaleParameters returns one set of constants for 50 Mbit/s (tau 2.5 ms, K = 8) and
// 1 Gbit/s (tau 500 us, K = 20) alike. They are fit to the packet-slot model of the tests, over 2,
// 4 and 8 equal senders and weights 2:1:1:1: worst utilisation, worst p99 of the queue in packets,
// and lowest and highest part of a share, for feedback that takes one tau to come back; "batches"
// are packets that arrive by four slots in a fixed order of senders, as behind a software switch.
//
//	                         50 Mbit/s                      1 Gbit/s
//	                                      batches                       batches
//	a 0.04 b 0.08, no pull   0.977 22 0.97-0.99  0.85-1.11  0.974 57 0.97-0.98  0.93-1.02
//	a 0.02 b 0.04, no pull   1.000 16 0.98-1.03  0.79-1.29  0.996 43 0.99-1.00  0.92-1.08
//	a 0.02 b 0.04, pull      1.000 16 0.99-1.00  0.91-1.09  0.995 42 0.99-1.00  0.97-1.02
//
// Small gains keep the oscillation small, on a loaded testbed above all, where feedback was seen
// to take two to three tau; convergence still takes about 2/a = 100 tau: 250 ms at 50 Mbit/s, 50 ms
// at 1 Gbit/s. Small gains alone make shares depend on who is marked first, so
// they need the pull. On the testbed, one TCP beside three UDP floods: with a 0.03 and no pull the
// four stood at 0.87 to 1.09 of their shares and TCP at 0.90; with these constants, in a quiet run,
// at 0.95 to 1.00 and TCP at 1.00.
//
// The margin and the reference of probing are what keeps the loop from ringing where its own
// oscillation leaves ten steps without marks. Probing after any ten such steps gave utilisation 0.95
// and queues of 98 packets on the testbed; with a margin over the share alone, a unit share that is
// too low by 8 (the controller gone, most senders gone) gave 0.81; with both above 0.95.
func DefaultTwoTimeScaleParameters() TwoTimeScaleParameters {
	return TwoTimeScaleParameters{
		IncreaseGain:     0.02,
		DecreaseGain:     0.04,
		PullGain:         0.3,
		PullCentre:       1.1,
		PullReach:        0.04,
		ProportionalGain: 0.2,
		PatienceSteps:    10,
		ProbeMargin:      1.25,
		ProbeFactor:      1.25,
		ReentryHeadroom:  1.1,
		MinimumShare:     0.01,
		HoldSteps:        4,
		StandbyNanos:     100_000_000,
		QuietNanos:       DefaultQuietNanos,
		StaleNanos:       staleNanos,
		Notices:          DefaultNoticeParameters(),
	}
}

// TwoTimeScale is the host's half of Sluice's two-time-scale law, for one endpoint i and one
// congested port p. The controller publishes the unit share u_p every T_i; this loop runs every
// tau and follows the marks:
//
//	R <- clamp(R + (a + pull) w u - b F R, R_min, E)      the integrator
//	pull = kappa clamp(c - R/(w u), -delta, delta)        times (1 - F) where it is positive,
//	                                                      and 0 there once u is 3 s old
//	r  = max(guarantee, R (1 - gamma F))                  the limit
//
// with F the part of packets that carried CE. Every source adds in proportion to its weight and
// takes away in proportion to its rate, so that rates settle in proportion to weights and to 1/F;
// with r = w u that is at F = a / (b + a gamma) = 0.45, where R stands at 1.1 w u = c w u and
// nothing is pulled.
//
// Three rules surround it. A source starts at w C / (W + w), its share if it were not yet counted
// in W. Backlog that stays unmarked although R stands well above its reference is spare capacity:
// R <- 1.25 R per step, and at the next mark R <- min(R, 1.1 max(w u, delivered)). The reference is
// max(w u, what was delivered at the last mark). And a limit that is not used does not grow
// without bound: R <- max(w u, (R + measured)/2).
//
// Without the controller nothing changes here: u stays what it was.
type TwoTimeScale struct {
	parameters TwoTimeScaleParameters

	ceiling   float64 // E, bit/s
	guarantee float64 // bit/s
	weight    float64 // w

	published bool
	unitShare float64 // u_p, bit/s

	rate            float64 // R, bit/s
	marks           float64 // F of the last interval that reported packets, 0..1
	limit           float64 // r, bit/s
	cut             float64 // gamma, as it held in the last step
	reportedPackets float64 // in the last step in which any were
	delivered       float64 // what receivers reported, averaged over about two steps, bit/s
	marked          float64 // delivered when the last mark came, bit/s

	silentSteps    int  // since packets were last reported
	quietSteps     int  // since the last mark
	calmSteps      int  // in a row: backlog, no marks, R above the margin
	unusedSteps    int  // in a row: no backlog, measured below R/2
	probed         bool // R has been raised by probing since the last mark
	signalReceived bool // a share or a mark came since the last step
	lastSignal     int64
	shareIsNew     bool // it came since the last step
	lastShare      int64
	capacity       float64 // C, bit/s
	noticed        noticeReports
}

var _ model.Law = (*TwoTimeScale)(nil)

// staleNanos is how old a share may be and its controller still count as connected.
const staleNanos int64 = 3_000_000_000

// heldPackets: F is held for so many packets at the limit, where that takes longer than HoldSteps.
const heldPackets = 2

// never is a time so long ago that nothing is older, and far enough from overflow.
const never = math.MinInt64 / 2

// NewTwoTimeScale makes the law of a Control that nothing limits yet.
func NewTwoTimeScale(parameters TwoTimeScaleParameters) *TwoTimeScale {
	return &TwoTimeScale{
		parameters: parameters, weight: 1, lastShare: never,
		cut: parameters.ProportionalGain, noticed: newNoticeReports(parameters.Notices),
	}
}

// SetBounds implements model.Law. A new weight moves the goal, not the rate: the loop walks there.
func (l *TwoTimeScale) SetBounds(bounds model.Bounds) {
	l.ceiling = float64(bounds.CeilingBitsPerSecond)
	l.guarantee = math.Min(float64(bounds.GuaranteeBitsPerSecond), l.ceiling)
	if bounds.Weight > 0 && !math.IsInf(bounds.Weight, 1) {
		l.weight = bounds.Weight
	}
	l.rate = math.Min(l.rate, l.ceiling)
	l.settle()
}

// SetShare implements model.Law. The first share starts the control of the port.
func (l *TwoTimeScale) SetShare(share model.UnitShare) {
	if share.Expired || share.UnitShareBitsPerSecond == 0 {
		ended := NewTwoTimeScale(l.parameters)
		ended.ceiling, ended.guarantee, ended.weight = l.ceiling, l.guarantee, l.weight
		*l = *ended
		l.settle()
		return
	}
	l.unitShare = float64(share.UnitShareBitsPerSecond)
	l.capacity = float64(share.CapacityBitsPerSecond)
	l.signalReceived = true
	l.shareIsNew = l.shareIsNew || !share.Stale
	if !l.published {
		l.published = true
		capacity := float64(share.CapacityBitsPerSecond)
		others := 0.0
		if share.ActiveWeight > 0 {
			others = share.ActiveWeight
		}
		l.rate = l.weight * capacity / (others + l.weight)
		l.rate = clamp(l.rate, l.minimum(), l.ceiling)
		l.settle()
	}
}

// Notify implements model.Law. It reports marks where receivers do not; see notices.go.
func (l *TwoTimeScale) Notify(nowNanos int64, notice model.Notice) {
	l.noticed.take(l.parameters.Notices, nowNanos, notice)
}

// Step implements model.Law.
func (l *TwoTimeScale) Step(interval model.Interval) uint64 {
	isMarked := l.observeMarks(interval)
	if l.signalReceived || isMarked {
		l.lastSignal = interval.NowNanos
		l.signalReceived = false
	}
	if l.shareIsNew {
		l.lastShare = interval.NowNanos
		l.shareIsNew = false
	}
	// An interval without length measured nothing: the clock has jumped.
	if l.published && interval.ElapsedNanos > 0 {
		l.advance(interval, isMarked)
	}
	l.settle()
	return wholeBits(l.limit)
}

// observeMarks takes F from the interval and reports whether there were marks. Feedback and steps run
// at the same period but not in step, and at low rates there are fewer packets than intervals: an
// empty interval is no evidence about the port, so F is held for a while before it counts as zero.
func (l *TwoTimeScale) observeMarks(interval model.Interval) bool {
	packets, marks := l.noticed.uncovered(l.parameters.QuietNanos, interval)
	packets += float64(interval.Packets)
	marks += float64(interval.CEPackets)
	if packets > 0 {
		l.marks = math.Min(marks/packets, 1)
		l.reportedPackets = packets
		l.silentSteps = 0
		return marks > 0
	}
	l.silentSteps++
	held := l.silentSteps <= l.parameters.HoldSteps ||
		float64(int64(l.silentSteps)*interval.ElapsedNanos) <= heldPackets*l.packetNanos()
	if l.noticed.govern {
		held = l.noticed.holds(l.parameters.Notices, interval.NowNanos)
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
	return packetBits * 1e9 / math.Max(l.limit, 1)
}

// evidenceDelay is how late marks come: by a round trip; and no oftener than packets leave, since a
// source that sends less than one in a step learns nothing in most.
func (l *TwoTimeScale) evidenceDelay(roundTripNanos, elapsedNanos int64) int64 {
	if packet := l.packetNanos(); packet > float64(elapsedNanos) {
		return max(roundTripNanos, int64(packet))
	}
	return roundTripNanos
}

func (l *TwoTimeScale) advance(interval model.Interval, isMarked bool) {
	share := l.weight * l.unitShare
	perSecond := 8e9 / float64(interval.ElapsedNanos)
	measured := float64(interval.SentBytes) * perSecond
	l.delivered = (l.delivered + float64(interval.DeliveredBytes)*perSecond) / 2
	if l.noticed.govern {
		l.delivered = measured // there is no better report
	}
	if isMarked {
		l.marked = l.delivered
	}
	l.quietSteps++
	if l.marks > 0 {
		l.quietSteps = 0
	}
	if interval.Standby && !isMarked && !l.noticed.govern {
		l.standBy(share, interval.ElapsedNanos)
		return
	}
	l.count(interval.Backlogged, share, measured)

	// What was delivered, not what was sent: while the queue grows the latter is no evidence.
	if l.marks > 0 && l.probed {
		l.rate = math.Min(l.rate, l.parameters.ReentryHeadroom*math.Max(share, l.delivered))
		l.probed = false
	}
	gains := l.gains(interval.RoundTripNanos, interval.ElapsedNanos)
	switch {
	case l.unusedSteps >= l.parameters.PatienceSteps:
		l.rate = math.Max(share, (l.rate+measured)/2)
	case l.calmSteps >= l.parameters.PatienceSteps:
		l.rate *= gains.probe
		l.probed = true
	default:
		l.rate += (gains.increase+gains.pull*l.pull(share, gains.centre, interval.NowNanos))*share -
			gains.decrease*l.marks*l.rate
	}
	if l.isControllerSilent(interval.NowNanos) {
		l.rate = math.Min(l.rate, share)
	}
	l.rate = clamp(l.rate, l.minimum(), l.ceiling)
	l.cut = gains.cut
}

// standBy is for a port whose packets all obey lower limits of other ports: their marks, or that there
// are none, are no evidence about this one. So it neither cuts nor probes; what it may have found once is
// forgotten, and R returns to the share, soon enough for the port to be obeyed again when it is due to be.
func (l *TwoTimeScale) standBy(share float64, elapsedNanos int64) {
	l.marks, l.probed = 0, false
	l.calmSteps, l.unusedSteps = 0, 0
	l.rate += (share - l.rate) * math.Min(float64(elapsedNanos)/float64(l.parameters.StandbyNanos), 1)
	l.rate = clamp(l.rate, l.minimum(), l.ceiling)
}

// pull draws R towards the share, so that sources settle near their shares although their packets
// are not marked alike. Upwards it yields to marks, and ends when the share is stale: one that has
// become too high must not hold the queue up. Downwards it has no end: one at some distance from the
// share would give sources that saw the same marks two levels to settle at, since what a step adds
// would rise there by more than in proportion to the rate.
func (l *TwoTimeScale) pull(share, centre float64, nowNanos int64) float64 {
	if l.quietSteps > l.parameters.PatienceSteps {
		return 0
	}
	pull := clamp(centre-l.rate/share, -l.parameters.PullReach, l.parameters.PullReach)
	switch {
	case pull <= 0:
		return pull
	case nowNanos-l.lastShare >= l.parameters.StaleNanos:
		return 0
	default:
		return pull * (1 - l.marks)
	}
}

// count keeps the two counters of steps in a row. A backlogged class is never unused, however
// little an interval of a slow class may measure.
func (l *TwoTimeScale) count(backlogged bool, share, measured float64) {
	reference := math.Max(share, l.marked)
	if backlogged && l.marks == 0 && l.rate >= l.parameters.ProbeMargin*reference {
		l.calmSteps++
	} else {
		l.calmSteps = 0
	}
	if !backlogged && measured < l.rate/2 {
		l.unusedSteps++
	} else {
		l.unusedSteps = 0
	}
}

// settle derives the limit r from R, F and the bounds.
func (l *TwoTimeScale) settle() {
	if !l.published {
		l.limit = l.ceiling
		return
	}
	reduced := l.rate * (1 - l.cut*l.marks)
	l.limit = clamp(reduced, l.guarantee, l.ceiling)
}

func (l *TwoTimeScale) minimum() float64 {
	return l.parameters.MinimumShare * l.weight * l.unitShare
}

// LimitBitsPerSecond is the limit in force, unrounded.
func (l *TwoTimeScale) LimitBitsPerSecond() float64 { return l.limit }

// Idle implements model.Law: nothing was published, or neither a share nor a mark came for T_o.
// Where notices alone report marks none come without a controller: it ends what it began.
func (l *TwoTimeScale) Idle(nowNanos int64) bool {
	if !l.published {
		return true
	}
	return !l.noticed.govern && !l.signalReceived && nowNanos-l.lastSignal >= l.parameters.QuietNanos
}

// SignalDelayNanos implements model.Law.
func (l *TwoTimeScale) SignalDelayNanos() int64 {
	if !l.noticed.govern {
		return 0
	}
	return l.noticed.periodNanos
}
