// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// NoticeParameters are what Sluice's law does with notices. The zero value: nothing.
type NoticeParameters struct {
	// QueueNanos, LeastPackets and MostPackets are how much queue the port has to breathe in:
	// K = clamp(C x QueueNanos, LeastPackets, MostPackets).
	QueueNanos   int64   `json:"queueNanos"`
	LeastPackets float64 `json:"leastPackets"`
	MostPackets  float64 `json:"mostPackets"`
	// RoundTripNanos is what comes to the notices' period until a changed rate shows in marks.
	RoundTripNanos int64 `json:"roundTripNanos"`
	// PeriodNanos is T_i until a notice names it.
	PeriodNanos int64 `json:"periodNanos"`
	// HoldPeriods of the last notice's T_i is how long its F stays valid when no other comes: the
	// controller sends notices only while marks come.
	HoldPeriods float64 `json:"holdPeriods"`
	// SilentNanos is after how long without a share no notice is no sign of a free port: shares are
	// published again every 100 ms, and without them the controller is gone.
	SilentNanos int64 `json:"silentNanos"`
}

// DefaultNoticeParameters have a queue of 2 ms (docs/two-time-scale-law.md).
func DefaultNoticeParameters() NoticeParameters {
	return NoticeParameters{
		QueueNanos: 2_000_000, LeastPackets: 4, MostPackets: 20,
		RoundTripNanos: 500_000, PeriodNanos: 5_000_000, HoldPeriods: 1.5,
		SilentNanos: 300_000_000,
	}
}

// threshold is K, which follows from a capacity in packets per ns.
func (p NoticeParameters) threshold(perNano float64) float64 {
	return clamp(perNano*float64(p.QueueNanos), p.LeastPackets, p.MostPackets)
}

// thresholdTime is how long the queue of a port is where it begins to mark; 0 where its capacity is
// not known.
func thresholdTime(capacityBitsPerSecond float64) time.Duration {
	if capacityBitsPerSecond <= 0 {
		return 0
	}
	perNano := capacityBitsPerSecond / packetBits / 1e9
	return time.Duration(DefaultNoticeParameters().threshold(perNano) / perNano)
}

// packetBits is a full frame's size, by which C counts packets.
const packetBits = 1500 * 8

// noticeReports is what notices reported about a group.
type noticeReports struct {
	// marks of packets were reported since the last step, over so many ns.
	marks, packets float64
	overNanos      int64
	// coveredMarks and coveredPackets are what feedback reported within about the last period.
	coveredMarks, coveredPackets float64
	periodNanos                  int64
	lastNanos                    int64
	// govern: they report more than feedback does.
	govern bool
}

func newNoticeReports(p NoticeParameters) noticeReports {
	return noticeReports{periodNanos: p.PeriodNanos, lastNanos: never}
}

// take notes a notice. One without the number of packets is no evidence.
func (n *noticeReports) take(p NoticeParameters, nowNanos int64, notice model.Notice) {
	if p.PeriodNanos <= 0 || !(notice.Packets > 0) || !(notice.Marks >= 0) || notice.PeriodNanos <= 0 {
		return
	}
	n.marks += math.Min(notice.Marks, notice.Packets)
	n.packets += notice.Packets
	n.overNanos += notice.PeriodNanos
	n.periodNanos = notice.PeriodNanos
	n.lastNanos = nowNanos
}

// uncovered ends a step: what the notices since the last one reported beyond what receivers reported
// of the same time. A packet is so counted once, whoever reports it.
func (n *noticeReports) uncovered(quietNanos int64, interval model.Interval) (packets, marks float64) {
	if n.periodNanos > 0 {
		// What has left the period leaves the sums; in a steady state they hold one period's.
		part := clamp(float64(interval.ElapsedNanos)/float64(n.periodNanos), 0, 1)
		n.coveredPackets += float64(interval.Packets) - part*n.coveredPackets
		n.coveredMarks += float64(interval.CEPackets) - part*n.coveredMarks
	}
	if n.overNanos > 0 {
		periods := float64(n.overNanos) / float64(n.periodNanos)
		packets = math.Max(n.packets-periods*n.coveredPackets, 0)
		marks = clamp(n.marks-periods*n.coveredMarks, 0, packets)
		n.govern = packets > n.packets/2
		n.marks, n.packets, n.overNanos = 0, 0, 0
	} else if interval.Packets > 0 && interval.NowNanos-n.lastNanos >= quietNanos {
		n.govern = false
	}
	return packets, marks
}

// holds reports whether the last notice's F is still valid.
func (n *noticeReports) holds(p NoticeParameters, nowNanos int64) bool {
	return float64(nowNanos-n.lastNanos) <= p.HoldPeriods*float64(n.periodNanos)
}

// gains of one step.
type gains struct {
	increase, decrease, pull, centre, cut, probe float64
}

// gains are the law's own, or those that the delay of notices allows: gamma <= K / (C [packets/s]
// (T_i + RTT)) and a <= gamma/4, or the loop rings. b and the pull follow a, the pull's centre is
// where R then settles, and probing is as much slower as gamma.
func (l *TwoTimeScale) gains(roundTripNanos, elapsedNanos int64) gains {
	own := l.parameters
	delay := l.evidenceDelay(roundTripNanos, elapsedNanos)
	if l.noticed.govern {
		delay = l.noticed.periodNanos
	}
	if delay <= 0 || l.capacity <= 0 {
		return ownGains(own)
	}
	p := own.Notices
	perNano := l.capacity / packetBits / 1e9
	queue := p.threshold(perNano)
	cut := math.Min(own.ProportionalGain, queue/(perNano*float64(delay+p.RoundTripNanos)))
	part := math.Min(1, float64(elapsedNanos)/float64(delay))
	slower := math.Min(own.IncreaseGain, cut/4) / own.IncreaseGain * part
	return gains{
		increase: slower * own.IncreaseGain,
		decrease: slower * own.DecreaseGain,
		pull:     slower * own.PullGain,
		centre:   own.PullCentre - (own.ProportionalGain-cut)*own.IncreaseGain/own.DecreaseGain,
		cut:      cut,
		probe:    1 + (own.ProbeFactor-1)*cut/own.ProportionalGain*part,
	}
}

func ownGains(own TwoTimeScaleParameters) gains {
	return gains{
		own.IncreaseGain, own.DecreaseGain, own.PullGain, own.PullCentre, own.ProportionalGain,
		own.ProbeFactor,
	}
}

// isControllerSilent reports whether the controller would send no notices if there were marks.
func (l *TwoTimeScale) isControllerSilent(nowNanos int64) bool {
	return l.noticed.govern && nowNanos-l.lastShare >= l.parameters.Notices.SilentNanos
}
