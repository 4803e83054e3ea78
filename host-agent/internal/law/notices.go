// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// NoticeParameters are what Sluice's law does with notices. The zero value: nothing.
type NoticeParameters struct {
	// PeriodNanos is T_i until a notice names it.
	PeriodNanos int64 `json:"periodNanos"`
	// HoldPeriods of the last notice's T_i is how long its F stays valid when no other comes: the
	// controller sends notices only while marks come.
	HoldPeriods float64 `json:"holdPeriods"`
}

// DefaultNoticeParameters are the agent's.
func DefaultNoticeParameters() NoticeParameters {
	return NoticeParameters{PeriodNanos: 5_000_000, HoldPeriods: 1.5}
}

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
