// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// duplicates make a sender send what is missing again (RFC 5681, 3.2).
	duplicates = 3
	// lossWaitNanos is how long an answer waits until what comes before the hole is acknowledged.
	lossWaitNanos = int64(100 * time.Millisecond)
	// minRepeatNanos between two answers to one flow, where its round trip is not known or shorter.
	minRepeatNanos = int64(time.Millisecond)
	// timestampBytes of options go off each segment (RFC 7323, 3.2).
	timestampBytes = 12
)

// lostBytes are a hole that the source of a flow is to hear of.
type lostBytes struct {
	sequence, payload uint32
	since             int64
}

func (l *lostBytes) end() uint32 { return l.sequence + l.payload }

// ApplyLossAnswers tells endpoints of what was lost on its way.
func (a *Agent) ApplyLossAnswers(_ string, answers []model.LossAnswer) {
	a.inbox.PostNow(func() {
		now := clock.Nanos()
		for _, answer := range answers {
			slot, live := a.flows.slots[answer.Flow]
			if !live {
				continue
			}
			a.flows.records[slot].lost = &lostBytes{answer.Sequence, answer.PayloadBytes, now}
			if c, there := a.shim.Connection(slot); there {
				a.answerLoss(now, c)
			}
		}
	})
}

// answerLoss says three duplicates of the peer's last acknowledgement, once that is the one in front of
// the hole. Where nothing beyond the hole is on the way the peer would say none, and where SACK was
// agreed on it would say what has arrived: plain ones would be ignored.
func (a *Agent) answerLoss(nowNanos int64, c shim.Connection) {
	r := a.flows.records[c.Slot]
	if r == nil || r.lost == nil {
		return
	}
	lost := r.lost
	last, known := a.shim.Acknowledgement(c.Slot)
	header, err := segment.Parse(last.Header[:last.Length])
	if !known || err != nil || nowNanos-lost.since > lossWaitNanos {
		r.lost = nil
		return
	}
	switch before := int32(lost.sequence - header.Acknowledgement()); {
	case before > 0:
		return // soon, maybe
	case before < 0, int32(c.SentEdge-lost.end()) <= 0:
		r.lost = nil // it is there, or nothing beyond it is on the way
		return
	}
	r.lost = nil
	if nowNanos-r.repeated < max(c.RoundTripNanos, minRepeatNanos) {
		return
	}
	e := a.endpoints.At(c.Endpoint)
	if e == nil {
		return
	}
	r.repeated = nowNanos
	var block *segment.Block
	if c.Selective {
		block = &segment.Block{Begin: lost.end(), End: lost.end() + min(segmentPayload(c, header), c.SentEdge-lost.end())}
	}
	frame, count := header.Repeat(last.Sequence, block), duplicates
	if block == nil && header.Sequence() != last.Sequence {
		count++ // the first one's sequence is news to the sender, which does not count it (RFC 5681, 2)
	}
	for range count {
		a.faults.Report("send a duplicate acknowledgement", a.flows.voice.repeat(e.Ifindex(), frame))
	}
}

// segmentPayload is what the endpoint puts into a full segment.
func segmentPayload(c shim.Connection, header segment.Header) uint32 {
	bytes := c.SegmentBytes
	if bytes == 0 {
		bytes = usualSegmentBytes
	}
	if header.HasTimestamp() && bytes > timestampBytes {
		bytes -= timestampBytes
	}
	return bytes
}

// ApplyResends is for port agents.
func (a *Agent) ApplyResends(string, []model.Resend) {}
