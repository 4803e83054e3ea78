// SPDX-License-Identifier: Apache-2.0

// Package pairs follows the counters of every (source, destination) on a host: what was sent goes to the
// laws of its endpoint, what arrived to the sending agents, and both to the controllers.
package pairs

import (
	"iter"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// idleNanos after its last packet a pair's slot is freed.
const idleNanos = int64(30 * time.Second)

// Tracker is for the engine's goroutine.
type Tracker struct {
	shim      *shim.Shim
	endpoints *endpoints.Table
	peers     *peers.Peers
	pacer     *engine.Pacer
	faults    *faults.Log
	// reports: what arrives is reported to the sending agents.
	reports bool
	// endSteps after a mark packets without are reported at once, under a law that is at rest without marks:
	// F is held as long, and falls with the first ones. Later they say nothing. 0: whenever they come.
	endSteps int64
	// marksAlone: nothing but marks is, those that have not gone back in reserved bits.
	marksAlone bool
	marks      returner
	// refuseAbove is the part of marks above which no connection begins; 0: there is none.
	refuseAbove float64
	records     map[int]*record // by slot
	// balancedNanos is when the table was divided last.
	balancedNanos int64
	samples       []model.PairSample // reused
}

// balanceNanos is between two checks of who exceeds its quota of the table.
const balanceNanos = int64(100 * time.Millisecond)

// record is what is kept of a pair between two turns.
type record struct {
	addresses model.Pair
	// sentBytes as the laws have them.
	sentBytes uint64
	// marked as of the last turn.
	marked uint64
	// reflected marks as the laws have them.
	reflected uint64
	// sampled are the counters as the controllers have them.
	sampled counters
	// sent is what the sending agent was sent last.
	sent peers.Sent
	// unreachable is until when no controller is requested to relay its marks: none could.
	unreachable int64
	refusal     refusal
	// owed: marks have gone to controllers that could not relay them.
	owed bool
}

// counters are those of a pair that controllers get.
type counters struct {
	sentPackets, sentBytes, receivedPackets, receivedBytes, cePackets uint64
	// waits: what is sent waits for its limit.
	waits bool
}

// NewTracker makes one that has seen no pair.
func NewTracker(s *shim.Shim, table *endpoints.Table, p *peers.Peers, pacer *engine.Pacer, faults *faults.Log) *Tracker {
	return &Tracker{
		shim: s, endpoints: table, peers: p, pacer: pacer, faults: faults, reports: true, records: map[int]*record{},
		marks: returner{shim: s, peers: p},
	}
}

// ReportMarksAlone has marks alone reported, each of them once; by the link as long as it has a way, where there
// is one.
func (t *Tracker) ReportMarksAlone(link MarkLink) { t.marksAlone, t.marks.link = true, link }

// Undelivered takes marks that no controller could pass on: for a while they go in messages of our own.
func (t *Tracker) Undelivered(nowNanos int64, marks []model.Feedback) {
	isUndelivered := make(map[model.Pair]bool, len(marks))
	for _, one := range marks {
		isUndelivered[one.Pair] = true
	}
	for _, r := range t.records {
		if isUndelivered[r.addresses] {
			r.unreachable, r.owed = nowNanos+unreachableNanos, true
		}
	}
}

// SetReports begins or ends reporting what arrives to the sending agents.
func (t *Tracker) SetReports(on bool) { t.reports = on }

// SetLaw has packets without marks reported as the law needs it.
func (t *Tracker) SetLaw(kind model.LawKind) {
	t.endSteps = 0
	if kind == model.TwoTimeScale {
		t.endSteps = int64(law.DefaultTwoTimeScaleParameters().HoldSteps)
	}
}

// Turn hands what the counters have gained to the laws and to the senders' agents, and returns it for the
// controllers; valid until the next.
func (t *Tracker) Turn(nowNanos int64) []model.PairSample {
	if nowNanos-t.balancedNanos >= balanceNanos {
		t.balancedNanos = nowNanos
		t.balance(nowNanos)
	}
	endNanos := int64(peers.Always)
	if t.endSteps > 0 {
		endNanos = t.endSteps * t.pacer.Tau().Nanoseconds()
	}
	t.marks.begin()
	t.samples = t.samples[:0]
	for pair := range t.shim.Pairs() {
		r := t.record(pair.Slot)
		t.sample(nowNanos, &pair, r)
		t.pacer.Packet(max(pair.LastSentNanos, pair.LastReceivedNanos))
		if pair.Outward && pair.SentBytes != r.sentBytes {
			if e := t.endpoints.At(pair.Endpoint); e != nil {
				e.Sent(nowNanos, r.addresses.Destination, pair.SentBytes-r.sentBytes)
			}
			r.sentBytes = pair.SentBytes
		}
		if pair.Outward && t.refuseAbove > 0 {
			t.refuse(nowNanos, pair, r)
		}
		if marked := pair.MarkedPackets(); marked != r.marked {
			r.marked = marked
			t.pacer.Active(nowNanos)
		}
		if pair.ReflectedMarks != r.reflected {
			t.takeReflected(nowNanos, pair, r)
		}
		if !pair.Inward || !t.reports {
			continue
		}
		if t.marksAlone {
			t.marks.collect(nowNanos, pair, r)
		} else if r.sent.Due(nowNanos, endNanos, pair) {
			t.peers.Report(nowNanos, pair, r.addresses, &r.sent)
		}
	}
	t.marks.send()
	return t.samples
}

// sample adds what a pair's counters have gained, or that it waits or does not any more.
func (t *Tracker) sample(nowNanos int64, pair *shim.PairCounters, r *record) {
	last := &r.sampled
	waits := false
	if e := t.endpoints.At(pair.Endpoint); e != nil && pair.Outward {
		waits = e.Waits(pair.Group, nowNanos, pair.LastSentNanos)
	}
	if pair.SentPackets == last.sentPackets && pair.ReceivedPackets == last.receivedPackets && waits == last.waits {
		return
	}
	t.samples = append(t.samples, model.PairSample{
		Pair:            r.addresses,
		SentPackets:     pair.SentPackets - last.sentPackets,
		SentBytes:       pair.SentBytes - last.sentBytes,
		ReceivedPackets: pair.ReceivedPackets - last.receivedPackets,
		ReceivedBytes:   pair.ReceivedBytes - last.receivedBytes,
		CEPackets:       pair.CEPackets - last.cePackets,
		Waits:           waits,
	})
	*last = counters{
		pair.SentPackets, pair.SentBytes, pair.ReceivedPackets, pair.ReceivedBytes, pair.CEPackets, waits,
	}
}

// takeReflected gives marks that came back in reserved bits to the laws of the endpoint that had sent.
func (t *Tracker) takeReflected(nowNanos int64, pair shim.PairCounters, r *record) {
	t.pacer.Active(nowNanos)
	marks := pair.ReflectedMarks - r.reflected
	r.reflected = pair.ReflectedMarks
	if e := t.endpoints.Of(r.addresses.Destination); e != nil {
		e.Control.Feedback(r.addresses.Source, marks, marks)
	}
}

func (t *Tracker) record(slot int) *record {
	r := t.records[slot]
	if r == nil {
		r = &record{addresses: t.shim.Address(slot)}
		t.records[slot] = r
	}
	return r
}

// Forget drops what is kept of pairs whose endpoint has gone.
func (t *Tracker) Forget(slots []int) {
	for _, slot := range slots {
		delete(t.records, slot)
	}
}

// ForgetIdle frees the slots of pairs without packets; due once a second.
func (t *Tracker) ForgetIdle(nowNanos int64) {
	t.faults.Report("recycle pairs", t.shim.Recycle(nowNanos))
	for pair := range t.shim.Pairs() {
		if nowNanos-max(pair.LastSentNanos, pair.LastReceivedNanos) < idleNanos {
			continue
		}
		if e := t.endpoints.At(pair.Endpoint); e != nil && pair.Outward {
			e.Control.Forget(t.record(pair.Slot).addresses.Destination)
		}
		delete(t.records, pair.Slot)
		t.faults.Report("forget a pair", t.shim.Retire(pair.Slot, nowNanos))
	}
}

// balance has endpoints that want more pairs than they may have give up their oldest.
func (t *Tracker) balance(nowNanos int64) {
	evicted, err := t.shim.EvictPairs(nowNanos)
	t.faults.Report("evict pairs", err)
	for _, slot := range evicted {
		if r := t.records[slot]; r != nil {
			if e := t.endpoints.Of(r.addresses.Source); e != nil {
				e.Control.Forget(r.addresses.Destination)
			}
			delete(t.records, slot)
		}
	}
	t.faults.Report("recycle pairs", t.shim.Recycle(nowNanos))
}

// Senders yields the endpoints that have sent within so long, each with every destination.
func (t *Tracker) Senders(nowNanos, withinNanos int64) iter.Seq2[*endpoints.Endpoint, netip.Addr] {
	return func(yield func(*endpoints.Endpoint, netip.Addr) bool) {
		for pair := range t.shim.Pairs() {
			e := t.endpoints.At(pair.Endpoint)
			if e == nil || !pair.Outward || nowNanos-pair.LastSentNanos >= withinNanos {
				continue
			}
			if !yield(e, t.record(pair.Slot).addresses.Destination) {
				return
			}
		}
	}
}

// Status is one direction of traffic between two addresses, as `sluice-agent status` shows it.
type Status struct {
	Source      netip.Addr `json:"source"`
	Destination netip.Addr `json:"destination"`
	Port        model.Port `json:"port"`
	// Residual: the endpoint cannot be controlled for its port.
	Residual        bool   `json:"residual,omitempty"`
	SentPackets     uint64 `json:"sentPackets"`
	SentBytes       uint64 `json:"sentBytes"`
	ReceivedPackets uint64 `json:"receivedPackets"`
	ReceivedBytes   uint64 `json:"receivedBytes"`
	CEPackets       uint64 `json:"cePackets"`
	// PhantomCEPackets came without CE and exceeded a receive ceiling of this host's.
	PhantomCEPackets uint64 `json:"phantomCePackets"`
	// ReflectedMarks of the opposite direction came back in reserved bits, where marks are reflected.
	ReflectedMarks uint64 `json:"reflectedMarks"`
	// ReturnedMarks of this direction came back, by bits and in messages.
	ReturnedMarks uint64 `json:"returnedMarks"`
	// RefusesConnections: none begins in this direction while so much is marked.
	RefusesConnections bool `json:"refusesConnections,omitempty"`
}

// Status reads the counters of all pairs.
func (t *Tracker) Status() []Status {
	all := []Status{}
	for pair := range t.shim.Pairs() {
		addresses := t.shim.Address(pair.Slot)
		one := Status{
			Source: addresses.Source, Destination: addresses.Destination,
			SentPackets: pair.SentPackets, SentBytes: pair.SentBytes,
			ReceivedPackets: pair.ReceivedPackets, ReceivedBytes: pair.ReceivedBytes,
			CEPackets: pair.CEPackets, PhantomCEPackets: pair.PhantomCEPackets,
			ReflectedMarks: pair.ReflectedMarks, RefusesConnections: pair.RefusesConnections,
		}
		if e := t.endpoints.At(pair.Endpoint); e != nil && pair.Outward {
			one.Port, one.Residual = e.PortOf(pair.Group), pair.Group == shim.Residual
			one.ReturnedMarks = e.Control.ReturnedMarks(addresses.Destination)
		}
		all = append(all, one)
	}
	return all
}
