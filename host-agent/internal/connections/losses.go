// SPDX-License-Identifier: Apache-2.0

package connections

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
)

// hole is a part of a flow's bytes that was lost in a queue.
type hole struct {
	sequence, payload uint32
	since             int64
}

func (h *hole) end() uint32 { return h.sequence + h.payload }

// losses has endpoints send again what was lost.
type losses struct {
	host     *Host
	records  records
	injector *injector
}

func (l *losses) apply(answers []model.LossAnswer) {
	now := clock.Nanos()
	for _, answer := range answers {
		slot, live := l.records.live[answer.Flow]
		if !live {
			continue
		}
		l.records.bySlot[slot].hole = &hole{answer.Sequence, answer.PayloadBytes, now}
		if c, found := l.host.Shim.Connection(slot); found {
			l.answer(now, c)
		}
	}
}

// answer sends three duplicates of the peer's last acknowledgement, once that is the one in front of the
// hole. Where nothing beyond the hole is in transit the peer would send none. Where SACK was agreed on they
// have to name what has arrived, as the peer's own do: it is named once the peer itself has named it. What
// is only in transit may be lost as well, and a sender that finds a claim withdrawn waits for its timer
// (RFC 2018, 8).
func (l *losses) answer(nowNanos int64, c shim.Connection) {
	r := l.records.bySlot[c.Slot]
	if r == nil || r.hole == nil {
		return
	}
	lost := r.hole
	last, known := l.host.Shim.Acknowledgement(c.Slot)
	header, err := segment.Parse(last.Header[:last.Length])
	if !known || err != nil || nowNanos-lost.since > lossWaitNanos {
		r.hole = nil
		return
	}
	switch before := int32(lost.sequence - header.Acknowledgement()); {
	case before > 0:
		return // soon, maybe
	case before < 0, int32(c.SentEdge-lost.end()) <= 0:
		r.hole = nil // it has arrived, or nothing beyond it is in transit
		return
	}
	var arrived *segment.Block
	if c.Selective {
		block, named := header.BlockBehind(lost.end())
		if !named {
			return // soon, maybe
		}
		arrived = &block
	}
	r.hole = nil
	if nowNanos-r.repeated < max(c.RoundTripNanos, minRepeatNanos) {
		return
	}
	e := l.host.Endpoints.At(c.Endpoint)
	if e == nil {
		return
	}
	r.repeated = nowNanos
	frame, count := header.Repeat(last.Sequence, arrived), duplicates
	if arrived == nil && header.Sequence() != last.Sequence {
		count++ // the first one's sequence is new to the sender, which does not count it (RFC 5681, 2)
	}
	to := model.Place{Ifindex: e.Ifindex(), VLAN: last.VLAN}
	for range count {
		l.host.Faults.Report("send a duplicate acknowledgement", l.injector.duplicate(to, frame))
	}
}
