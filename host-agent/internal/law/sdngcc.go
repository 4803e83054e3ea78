// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// SdnGccParameters are the constants of SDN-GCC's shim.
type SdnGccParameters struct {
	// CutBitsPerMark is scale(C) downwards: what each mark takes from the rate, spread over
	// T_i. Below the bits of a full frame, so that a fully marked T_i cuts a part of what the port
	// carries. > 0.
	CutBitsPerMark float64 `json:"cutBitsPerMark"`
	// RecoveryDivisor gives scale(C) upwards: C / RecoveryDivisor per timer tick. > 0.
	RecoveryDivisor float64 `json:"recoveryDivisor"`
	// MinimumShare is R_min as a part of the share E. (0, 1).
	MinimumShare float64 `json:"minimumShare"`
	// TimerNanos is the period of State_Update_Timeout.
	TimerNanos int64 `json:"timerNanos"`
	// GracePeriods is T_c in periods T_i: how long after a notice the rate does not recover. > 1,
	// else it recovers between the notices of one congestion.
	GracePeriods float64 `json:"gracePeriods"`
	// AcceptPeriods is how long, in periods T_i, a notice shuts out weaker ones. [0, 1).
	AcceptPeriods float64 `json:"acceptPeriods"`
	// PeriodNanos is T_i, used where a notice does not name its period.
	PeriodNanos int64 `json:"periodNanos"`
	// QuietNanos is T_o: after so long without sending, the state is forgotten.
	QuietNanos int64 `json:"quietNanos"`
}

// DefaultSdnGccParameters returns values fit to the authors' behaviour: the paper leaves
// scale(C), R_min, T_c and the timer open. docs/sdn-gcc.md has how each was chosen.
func DefaultSdnGccParameters() SdnGccParameters {
	return SdnGccParameters{
		CutBitsPerMark:  1000,
		RecoveryDivisor: 4000,
		MinimumShare:    0.01,
		TimerNanos:      250_000,
		GracePeriods:    1.5,
		AcceptPeriods:   0.6,
		PeriodNanos:     5_000_000,
		QuietNanos:      DefaultQuietNanos,
	}
}

// maxMarks is more than any port marks in a period; a notice of more is nonsense.
const maxMarks = 1e12

// SdnGcc is the shim-layer of SDN-GCC (Abdelmoniem and Bensaou, Algorithm 3) for one endpoint and
// one congested port. A notice of m marks cuts the rate, and T_c later the rate recovers:
//
//	R <- max(R_min, R - m / T_i x 1000 bit)    lines 17-19
//	R <- min(E, R + C/4000)                    lines 32-33, every 250 us, when not congested
//
// Where it leaves the print, and why:
//   - line 14: a notice must carry more than 0 marks, else every notice would mean congestion;
//   - line 16: the marks are those of one T_i, whenever the notice comes: after a quiet second the
//     elapsed time would make the cut 200 times too small, and two notices that arrive together
//     would cut without bound;
//   - a notice counts only if its mark rate exceeds the last one's or 0.6 T_i have passed;
//   - lines 18 and 32: scale(C) has a value of its own for each direction. A port of any speed can
//     mark each frame it passes, so the mark rate grows with C and the cut per mark must not: at
//     1000 bits a fully marked T_i takes C/12 from all sources together, at any C. The steps up,
//     which nothing scales otherwise, grow with C;
//   - line 25: T_c is longer than T_i, else the rate recovers between the notices of one congestion,
//     and many sources outgrow their cuts;
//   - lines 25-30: idleness is checked whether or not there is congestion;
//   - line 31: recovery happens when NOT congested;
//   - line 33: E is not above C, since no rate beyond it means anything to the port: a source on a
//     faster NIC starts from there and is cut at once.
//
// Lines 3-10, the token bucket, are the data path's business: the kernel shapes to R.
// Line 30, the share E, comes with the notice.
type SdnGcc struct {
	parameters SdnGccParameters

	ceiling   float64 // bit/s
	guarantee float64 // bit/s

	noticed     bool
	share       float64 // E, bit/s
	capacity    float64 // C, bit/s
	periodNanos float64 // T_i
	rate        float64 // R, bit/s
	markRate    float64 // of the last notice that counted, marks per second
	congestedAt int64   // cong_time

	ticks  timerTicks
	sentAt int64 // sent_time
	limit  float64
}

var _ model.Law = (*SdnGcc)(nil)

// NewSdnGcc makes the law of a Control that nothing limits yet.
func NewSdnGcc(parameters SdnGccParameters) *SdnGcc {
	return &SdnGcc{parameters: parameters}
}

// SetBounds implements model.Law. Weights have no effect between hosts in this law.
func (l *SdnGcc) SetBounds(bounds model.Bounds) {
	l.ceiling = float64(bounds.CeilingBitsPerSecond)
	l.guarantee = math.Min(float64(bounds.GuaranteeBitsPerSecond), l.ceiling)
	l.settle()
}

// SetShare implements model.Law. Shares are not this law's, but the end of a port's control is.
func (l *SdnGcc) SetShare(share model.UnitShare) {
	if share.Expired {
		l.forget()
	}
}

// Notify implements model.Law: Control_Packet_Arrival, lines 11-20.
func (l *SdnGcc) Notify(nowNanos int64, notice model.Notice) {
	if !(notice.Marks > 0 && notice.Marks <= maxMarks) {
		return
	}
	l.catchUp(nowNanos)
	period := float64(notice.PeriodNanos)
	if period <= 0 {
		period = float64(l.parameters.PeriodNanos)
	}
	markRate := notice.Marks / (period / 1e9)
	if l.noticed && markRate <= l.markRate &&
		float64(nowNanos-l.congestedAt) < l.parameters.AcceptPeriods*period {
		return
	}

	l.capacity = float64(notice.CapacityBitsPerSecond)
	l.share = math.Min(l.capacity, l.ceiling)
	if notice.ShareBitsPerSecond > 0 {
		l.share = math.Min(l.share, float64(notice.ShareBitsPerSecond))
	}
	if !l.noticed {
		l.noticed = true
		l.rate = l.share
		l.sentAt = nowNanos
	}
	l.rate = clamp(l.rate-markRate*l.parameters.CutBitsPerMark, l.parameters.MinimumShare*l.share, l.share)
	l.periodNanos = period
	l.markRate = markRate
	l.congestedAt = nowNanos
	l.settle()
}

// Step implements model.Law. It makes up for all timer ticks since the last step, so that the
// law's speed does not depend on the caller's.
func (l *SdnGcc) Step(interval model.Interval) uint64 {
	now := interval.NowNanos
	if interval.SentBytes > 0 || interval.Backlogged {
		l.sentAt = now
	}
	l.catchUp(now)
	l.settle()
	return wholeBits(l.limit)
}

// catchUp runs the timer ticks that are due, in their order among the notices.
func (l *SdnGcc) catchUp(nowNanos int64) {
	l.ticks.catchUp(nowNanos, l.parameters.TimerNanos, l.tick)
}

// tick is State_Update_Timeout, lines 23-33.
func (l *SdnGcc) tick(nowNanos int64) {
	if !l.noticed || float64(nowNanos-l.congestedAt) < l.parameters.GracePeriods*l.periodNanos {
		return
	}
	if nowNanos-l.sentAt >= l.parameters.QuietNanos {
		l.forget()
		return
	}
	l.rate = math.Min(l.share, l.rate+l.capacity/l.parameters.RecoveryDivisor)
}

func (l *SdnGcc) forget() {
	l.noticed = false
	l.share, l.capacity, l.rate, l.markRate, l.periodNanos = 0, 0, 0, 0, 0
	l.settle()
}

func (l *SdnGcc) settle() {
	if !l.noticed {
		l.limit = l.ceiling
		return
	}
	l.limit = clamp(l.rate, l.guarantee, l.ceiling)
}

// LimitBitsPerSecond is the limit in force, unrounded.
func (l *SdnGcc) LimitBitsPerSecond() float64 { return l.limit }

// Idle implements model.Law: no notice counted for T_o.
func (l *SdnGcc) Idle(nowNanos int64) bool {
	return !l.noticed || nowNanos-l.congestedAt >= l.parameters.QuietNanos
}

// SignalDelayNanos implements model.Law: it goes by notices alone.
func (l *SdnGcc) SignalDelayNanos() int64 { return int64(l.periodNanos) }
