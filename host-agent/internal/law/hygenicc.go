// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// HyGenIccParameters are the constants of HyGenICC's sender.
type HyGenIccParameters struct {
	// NICBitsPerSecond is NIC_Cap, to which scale(NIC_Cap) upwards is in proportion. > 0.
	NICBitsPerSecond float64 `json:"nicBitsPerSecond"`
	// CutBitsPerMark is scale(NIC_Cap) downwards: what each mark takes from the rate, spread
	// over a timer period. > 0.
	CutBitsPerMark float64 `json:"cutBitsPerMark"`
	// SlowDivisor: a tick without marks, within Congestion_Timeout of one, adds NIC / SlowDivisor.
	// > 0.
	SlowDivisor float64 `json:"slowDivisor"`
	// FastDivisor: a later tick adds NIC / FastDivisor. > 0.
	FastDivisor float64 `json:"fastDivisor"`
	// MinimumShare is R_min as a part of Capacity_Share. (0, 1).
	MinimumShare float64 `json:"minimumShare"`
	// TimerNanos is the period of Timer_timeout.
	TimerNanos int64 `json:"timerNanos"`
	// CongestionTimeoutNanos is Congestion_Timeout.
	CongestionTimeoutNanos int64 `json:"congestionTimeoutNanos"`
	// QuietNanos: after so long without sending, the state is forgotten.
	QuietNanos int64 `json:"quietNanos"`
}

// DefaultHyGenIccParameters returns values fit to the authors' figures for a NIC; docs/hygenicc.md
// has how each was chosen.
func DefaultHyGenIccParameters(nicBitsPerSecond float64) HyGenIccParameters {
	return HyGenIccParameters{
		NICBitsPerSecond:       nicBitsPerSecond,
		CutBitsPerMark:         500,
		SlowDivisor:            4000,
		FastDivisor:            1000,
		MinimumShare:           0.01,
		TimerNanos:             500_000,
		CongestionTimeoutNanos: 2_000_000,
		QuietNanos:             DefaultQuietNanos,
	}
}

const (
	// hygeniccTimeoutPeriods are the timer periods of Congestion_Timeout.
	hygeniccTimeoutPeriods = 4
	// hygeniccHostCutBits is what a mark takes from the rate on a host, half of the simulator's: there a mark is
	// returned within one period, here it waits for the end of the receiving host's turn and of the sending one's.
	hygeniccHostCutBits = 250
)

// HyGenIccParametersOf returns the same for a host whose loop turns every tau, which is then the timer's period. A
// shorter one would cut by more than the port can be over its capacity before the answer to the cut has come.
func HyGenIccParametersOf(host Host) HyGenIccParameters {
	p := DefaultHyGenIccParameters(float64(host.NICBitsPerSecond))
	if host.TauNanos > 0 {
		p.TimerNanos, p.CongestionTimeoutNanos = host.TauNanos, hygeniccTimeoutPeriods*host.TauNanos
		p.CutBitsPerMark = hygeniccHostCutBits
	}
	return p
}

// HyGenIcc is the sender of HyGenICC (Abdelmoniem, Bensaou and Abu, Algorithm 1) for one endpoint
// and one NIC. There is no controller: marks come back from receivers, as Interval.CEPackets, and
// every timer period
//
//	R <- R - marks / period x 500 bit     with marks in this period
//	R <- R + NIC_Cap / slow               without, but with some in the last Congestion_Timeout
//	R <- R + NIC_Cap / fast               with none for that long
//	R <- clamp(R, R_min, Capacity_Share)
//
// Capacity_Share is the ceiling of the bounds. docs/hygenicc.md lists where this leaves the print,
// and why; the token bucket of lines 1-5 is the data path's business.
type HyGenIcc struct {
	parameters HyGenIccParameters

	ceiling   float64 // Capacity_Share, bit/s
	guarantee float64 // bit/s

	active      bool
	rate        float64 // R, bit/s
	marks       float64 // since the last tick
	reflected   bool    // rbdetected
	reflectedAt int64   // feedbacktime
	sentAt      int64   // senttime
	limit       float64

	ticks timerTicks
}

var _ model.Law = (*HyGenIcc)(nil)

// NewHyGenIcc makes the law of an endpoint that nothing limits yet.
func NewHyGenIcc(parameters HyGenIccParameters) *HyGenIcc {
	return &HyGenIcc{parameters: parameters}
}

// SetBounds implements model.Law.
func (l *HyGenIcc) SetBounds(bounds model.Bounds) {
	l.ceiling = float64(bounds.CeilingBitsPerSecond)
	l.guarantee = math.Min(float64(bounds.GuaranteeBitsPerSecond), l.ceiling)
	l.rate = math.Min(l.rate, l.ceiling)
	l.settle()
}

// SetShare implements model.Law: there is no controller.
func (l *HyGenIcc) SetShare(model.UnitShare) {}

// Notify implements model.Law: there is no controller.
func (l *HyGenIcc) Notify(int64, model.Notice) {}

// Step implements model.Law. It makes up for all timer ticks since the last step.
func (l *HyGenIcc) Step(interval model.Interval) uint64 {
	now := interval.NowNanos
	if interval.SentBytes > 0 || interval.Backlogged {
		l.sentAt = now
	}
	if interval.CEPackets > 0 {
		l.arrive(interval.CEPackets, now)
	}
	l.ticks.catchUp(now, l.parameters.TimerNanos, l.tick)
	l.settle()
	return wholeBits(l.limit)
}

// arrive is Packet_Arrival, lines 6-11: what was reflected waits for the timer.
func (l *HyGenIcc) arrive(marks uint64, nowNanos int64) {
	if !l.active {
		l.active = true
		l.rate = l.ceiling
		l.sentAt = nowNanos
	}
	l.marks += float64(marks)
	l.reflected, l.reflectedAt = true, nowNanos
}

// tick is Timer_timeout, lines 12-26.
func (l *HyGenIcc) tick(nowNanos int64) {
	if !l.active {
		return
	}
	if nowNanos-l.sentAt >= l.parameters.QuietNanos {
		l.active, l.reflected = false, false
		l.marks, l.rate = 0, 0
		return
	}
	if nowNanos-l.reflectedAt >= l.parameters.CongestionTimeoutNanos {
		l.reflected = false
	}
	switch {
	case l.marks > 0:
		l.rate -= l.marks / (float64(l.parameters.TimerNanos) / 1e9) * l.parameters.CutBitsPerMark
		l.marks = 0
	case l.reflected:
		l.rate += l.parameters.NICBitsPerSecond / l.parameters.SlowDivisor
	default:
		l.rate += l.parameters.NICBitsPerSecond / l.parameters.FastDivisor
	}
	l.rate = clamp(l.rate, l.parameters.MinimumShare*l.ceiling, l.ceiling)
}

func (l *HyGenIcc) settle() {
	if !l.active {
		l.limit = l.ceiling
		return
	}
	l.limit = clamp(l.rate, l.guarantee, l.ceiling)
}

// LimitBitsPerSecond is the limit in force, unrounded.
func (l *HyGenIcc) LimitBitsPerSecond() float64 { return l.limit }

// Idle implements model.Law: nothing was reflected, or nothing sent, for so long that all of it is
// forgotten.
func (l *HyGenIcc) Idle(int64) bool { return !l.active }

// SignalDelayNanos implements model.Law: receivers report marks to sources at once.
func (l *HyGenIcc) SignalDelayNanos() int64 { return 0 }
