// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// pairForgottenNanos after its last packet a pair's slot is freed.
	pairForgottenNanos = int64(30 * time.Second)
	// housekeepingNanos is how often slots are freed and recycled.
	housekeepingNanos = int64(time.Second)
)

// pairRecord is what the engine remembers of a pair between its looks.
type pairRecord struct {
	addresses model.Pair
	// sentBytes as the laws know them.
	sentBytes uint64
	// cePackets as the engine has seen them.
	cePackets uint64
	// observed are the counters as the controllers know them.
	observed shim.PairCounters
	// fed is what the sending agent was told last.
	fed feedbackSent
	// passed is what it was told of a share.
	passed sharePassed
}

// lookAtPairs tells the laws what was sent and the senders' agents what arrived.
func (a *Agent) lookAtPairs(nowNanos int64) {
	for pair := range a.shim.Pairs() {
		record := a.record(pair.Slot)
		a.pacer.Packet(max(pair.LastSentNanos, pair.LastReceivedNanos))
		if pair.Outward && pair.SentBytes != record.sentBytes {
			if e := a.endpoints.At(pair.Endpoint); e != nil {
				e.Sent(nowNanos, record.addresses.Destination, pair.SentBytes-record.sentBytes)
			}
			record.sentBytes = pair.SentBytes
		}
		if pair.CEPackets != record.cePackets {
			record.cePackets = pair.CEPackets
			a.pacer.Active(nowNanos)
		}
		if pair.Inward && !a.settings.NoticesAlone && record.fed.due(nowNanos, pair) {
			a.feedBack(nowNanos, pair, record)
		}
	}
	if nowNanos-a.housekept > housekeepingNanos {
		a.housekept = nowNanos
		a.forgetIdlePairs(nowNanos)
		a.measureRoundTrips(nowNanos)
	}
}

func (a *Agent) record(slot int) *pairRecord {
	record := a.pairs[slot]
	if record == nil {
		record = &pairRecord{addresses: a.shim.Address(slot)}
		a.pairs[slot] = record
	}
	return record
}

func (a *Agent) forgetIdlePairs(nowNanos int64) {
	a.faults.Report("recycle pairs", a.shim.Recycle(nowNanos))
	for pair := range a.shim.Pairs() {
		if nowNanos-max(pair.LastSentNanos, pair.LastReceivedNanos) < pairForgottenNanos {
			continue
		}
		if e := a.endpoints.At(pair.Endpoint); e != nil && pair.Outward {
			e.Control.Forget(a.record(pair.Slot).addresses.Destination)
		}
		delete(a.pairs, pair.Slot)
		a.faults.Report("forget a pair", a.shim.Retire(pair.Slot, nowNanos))
	}
	a.feedback.forget(nowNanos)
}
