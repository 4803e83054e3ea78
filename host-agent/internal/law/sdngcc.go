// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// SdnGccParameters are the constants of the paper's shim.
type SdnGccParameters struct {
	// ScaleDivisor gives scale(C) = C / ScaleDivisor: the cut per mark and millisecond. > 0.
	ScaleDivisor float64 `json:"scaleDivisor"`
	// MinimumShare is R_min as a part of the share E. (0, 1).
	MinimumShare float64 `json:"minimumShare"`
	// TimerNanos is the period of State_Update_Timeout.
	TimerNanos int64 `json:"timerNanos"`
	// GraceNanos is T_c: how long after a notice the rate does not recover.
	GraceNanos int64 `json:"graceNanos"`
	// AcceptNanos is how long a notice shuts out weaker ones.
	AcceptNanos int64 `json:"acceptNanos"`
	// PeriodNanos is T_i, used where a notice does not name its period.
	PeriodNanos int64 `json:"periodNanos"`
	// QuietNanos is T_o: after so long without sending, the state is forgotten.
	QuietNanos int64 `json:"quietNanos"`
}

// DefaultSdnGccParameters returns values fit to the authors' behaviour: the paper leaves
// scale(C), R_min, T_c and the timer open.
func DefaultSdnGccParameters() SdnGccParameters {
	return SdnGccParameters{
		ScaleDivisor: 200,
		MinimumShare: 0.01,
		TimerNanos:   250_000,
		GraceNanos:   2_000_000,
		AcceptNanos:  3_000_000,
		PeriodNanos:  5_000_000,
		QuietNanos:   DefaultQuietNanos,
	}
}

// maxMarks is more than any port marks in a period; a notice of more is nonsense.
const maxMarks = 1e12

// maxCatchUpTicks bounds the timer ticks that one Step makes up for; recovery is over long before.
const maxCatchUpTicks = 64

// SdnGcc is the shim-layer of SDN-GCC (Abdelmoniem and Bensaou, Algorithm 3) for one endpoint and
// one congested port. A notice of m marks cuts the rate, and T_c later the rate recovers:
//
//	mark rate = m / min(elapsed, T_i)  per ms    line 17
//	R <- max(R_min, R - mark rate C/200)         lines 18-19
//	R <- min(E, (R + R_before)/2 + E/10)         line 32, every 250 us, when not congested
//	R_before <- max(R_before, R)
//
// Where it leaves the print, and why:
//   - line 14: a notice must carry more than 0 marks, else every notice would mean congestion;
//   - line 16: elapsed ends at T_i, else the first notice after a quiet second cuts 200 times too
//     little, and is at least one timer tick, else two notices that arrive together cut without
//     bound;
//   - a notice counts only if its mark rate exceeds the last one's or 3 ms have passed;
//   - lines 25-30: idleness is looked at whether or not there is congestion;
//   - line 31: recovery happens when NOT congested;
//   - line 32: the fixed step C/200 is the recovery that the authors' figures show, towards the
//     rate before the cut and, once that is passed, by E/10: with R_before standing still R would
//     never rise above R_before + E/5.
//
// Lines 3-10, the token bucket, are the data path's business: the kernel shapes what R says.
// Line 30, the share E, comes with the notice.
type SdnGcc struct {
	parameters SdnGccParameters

	ceiling   float64 // bit/s
	guarantee float64 // bit/s

	noticed     bool
	share       float64 // E, bit/s
	rate        float64 // R, bit/s
	rateBefore  float64 // R before the last cut, or R where it has passed that, bit/s
	markRate    float64 // of the last notice that counted, marks per ms
	congestedAt int64   // cong_time

	ticking  bool
	lastTick int64
	sentAt   int64 // sent_time
	limit    float64
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
	period := notice.PeriodNanos
	if period <= 0 {
		period = l.parameters.PeriodNanos
	}
	elapsed := period
	if l.noticed {
		elapsed = nowNanos - l.congestedAt
	}
	millis := float64(max(min(elapsed, period), l.parameters.TimerNanos)) / 1e6
	markRate := notice.Marks / millis
	if l.noticed && markRate <= l.markRate && elapsed < l.parameters.AcceptNanos {
		return
	}

	l.share = l.ceiling
	if notice.ShareBitsPerSecond > 0 {
		l.share = math.Min(float64(notice.ShareBitsPerSecond), l.ceiling)
	}
	if !l.noticed {
		l.noticed = true
		l.rate = l.share
		l.sentAt = nowNanos
	}
	l.rateBefore = l.rate
	scale := float64(notice.CapacityBitsPerSecond) / l.parameters.ScaleDivisor
	l.rate = clamp(l.rate-markRate*scale, l.parameters.MinimumShare*l.share, l.share)
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
func (l *SdnGcc) catchUp(now int64) {
	late := now - l.lastTick
	if !l.ticking || late < 0 || late > maxCatchUpTicks*l.parameters.TimerNanos {
		l.ticking = true
		l.lastTick = now - l.parameters.TimerNanos
	}
	for l.lastTick+l.parameters.TimerNanos <= now {
		l.lastTick += l.parameters.TimerNanos
		l.tick(l.lastTick)
	}
}

// tick is State_Update_Timeout, lines 23-33.
func (l *SdnGcc) tick(nowNanos int64) {
	if !l.noticed || nowNanos-l.congestedAt < l.parameters.GraceNanos {
		return
	}
	if nowNanos-l.sentAt >= l.parameters.QuietNanos {
		l.forget()
		return
	}
	l.rate = math.Min(l.share, (l.rate+l.rateBefore)/2+l.share/10)
	l.rateBefore = math.Max(l.rateBefore, l.rate)
}

func (l *SdnGcc) forget() {
	l.noticed = false
	l.share, l.rate, l.rateBefore, l.markRate = 0, 0, 0, 0
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
