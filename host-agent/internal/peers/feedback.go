// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"math"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	// FeedbackBytes are worth a message at once: one full packet.
	FeedbackBytes = 1500
	// FeedbackNanos is how long fewer bytes wait for a message. Acknowledgements come in dozens
	// meanwhile: a message for every few of them would be a burden to the path back.
	FeedbackNanos = int64(20 * time.Millisecond)
	// Always: packets are reported at once, whenever the last mark came.
	Always = math.MaxInt64
	// firstMarkNanos without marks make the next one a first one, which is answered at once; as the
	// programs count.
	firstMarkNanos = int64(200 * time.Millisecond)
)

// Sent is what the sending agent of a pair was sent last. The zero value: nothing yet.
type Sent struct {
	packets   uint64
	cePackets uint64 // set by the network
	marked    uint64 // these, and by phantom queues here
	bytes     uint64
	reflected uint64 // by messages, where marks are reflected
	sequence  uint64
	nanos     int64
	share     shareSent

	markedNanos int64  // when marks were reported last; 0: never
	waited      uint64 // packets by the last turn in which they were let wait
	untold      uint64 // packets before first marks, which are none of theirs
}

// HasBegun reports whether the sending agent has a base to count from.
func (s *Sent) HasBegun() bool { return s.sequence != 0 }

// Add adds marks to what is reported.
func (s *Sent) Add(marks uint64) { s.reflected += marks }

// Due reports whether feedback is worth a message, and notes what waits. A mark is reported at once: it is what
// the other loop waits for. So is for some time after one, or Always, a full packet's worth of bytes: the end of marks
// counts as well.
func (s *Sent) Due(nowNanos, endNanos int64, pair shim.PairCounters) bool {
	ends := endNanos == Always || s.markedNanos != 0 && nowNanos-s.markedNanos < endNanos
	due := pair.ReceivedPackets != s.packets &&
		(pair.MarkedPackets() != s.marked || ends && pair.ReceivedBytes-s.bytes >= FeedbackBytes ||
			nowNanos-s.nanos >= FeedbackNanos)
	if !due && !ends {
		s.waited = pair.ReceivedPackets
	}
	return due
}

// mark notes that marks are reported. Of packets that waited since turns before they would be too small a part.
func (s *Sent) mark(nowNanos int64) {
	if s.waited > s.packets {
		s.untold += s.waited - s.packets
	}
	s.markedNanos = nowNanos
}

// ReportMarks sends the sending agent of a pair the marks that were added; false: it has to wait.
func (p *Peers) ReportMarks(nowNanos int64, pair shim.PairCounters, addresses model.Pair, sent *Sent) bool {
	_, sentOne := p.report(nowNanos, pair, sent.reflected, addresses, sent)
	return sentOne
}

// Report sends the sending agent of a pair what has arrived since this instance began, and the share of
// the port that marks it. Its first packets need not be marked for that: else it would begin with all that its host
// may send.
func (p *Peers) Report(nowNanos int64, pair shim.PairCounters, addresses model.Pair, sent *Sent) {
	isMarkedOnPath := pair.CEPackets != sent.cePackets
	path, sentOne := p.report(nowNanos, pair, pair.MarkedPackets(), addresses, sent)
	if sentOne && (isMarkedOnPath || sent.share.sequence == 0) {
		p.relayShare(nowNanos, addresses, &sent.share, path.from, path.path)
	}
}

// report sends counters, of which cePackets are marked, and returns where they went to; false: they have to wait.
func (p *Peers) report(
	nowNanos int64, pair shim.PairCounters, cePackets uint64, addresses model.Pair, sent *Sent,
) (contact, bool) {
	e := p.endpoints.At(pair.Endpoint)
	if e == nil || len(e.MAC) == 0 {
		return contact{}, false // learned by the shim, but not read yet
	}
	to := contact{own: addresses.Destination, other: addresses.Source, from: wire.MAC(e.MAC), path: pair.From}
	if !p.others.ready(nowNanos, to) {
		return contact{}, false // due again in the next turn
	}
	return to, p.deliver(nowNanos, pair, cePackets, addresses, to, sent)
}

// deliver sends counters; false: the device refused them, and they are due again in the next turn.
func (p *Peers) deliver(
	nowNanos int64, pair shim.PairCounters, cePackets uint64, addresses model.Pair, to contact, sent *Sent,
) bool {
	noted := *sent
	message := p.feedback(nowNanos, pair, cePackets, addresses, &noted)
	if !p.sender.feedback(&message, to.from, to.path) {
		return false
	}
	*sent = noted
	return true
}

// MarksToRelay are the marks of a pair that were added, for a controller to pass on.
func (p *Peers) MarksToRelay(
	nowNanos int64, pair shim.PairCounters, addresses model.Pair, sent *Sent,
) model.Feedback {
	return p.feedback(nowNanos, pair, sent.reflected, addresses, sent)
}

// feedback numbers what is to be reported, and notes that it is.
func (p *Peers) feedback(
	nowNanos int64, pair shim.PairCounters, cePackets uint64, addresses model.Pair, sent *Sent,
) model.Feedback {
	if sent.sequence == 0 {
		sent.nanos = nowNanos - p.pacer.Tau().Nanoseconds()
	}
	sent.sequence = wire.NextSequence(sent.sequence, p.steady.Nanos())
	if pair.MarkedPackets() != sent.marked {
		sent.mark(nowNanos)
	}
	message := model.Feedback{
		Pair: addresses, Instance: p.instance, Sequence: sent.sequence,
		PeriodNanos: nowNanos - sent.nanos,
		Packets:     pair.ReceivedPackets - sent.untold, CEPackets: cePackets, Bytes: pair.ReceivedBytes,
	}
	sent.packets, sent.bytes = pair.ReceivedPackets, pair.ReceivedBytes
	sent.cePackets, sent.marked = pair.CEPackets, pair.MarkedPackets()
	sent.nanos = nowNanos
	return message
}

// received is what the receiving agent of a pair reported last.
type received struct {
	model.Feedback
	markedNanos int64 // when it reported marks last
}

// receiveFeedback takes feedback that came in band, by a path whose round trip is to be known.
func (p *Peers) receiveFeedback(nowNanos int64, from shim.ReturnPath, message model.Feedback) {
	if p.endpoints.Of(message.Pair.Source) != nil && p.trips.active(nowNanos, message.Pair, from) {
		p.sendEcho(nowNanos, message.Pair)
	}
	p.apply(nowNanos, message)
}

// ReceiveRelayed takes feedback that a controller passed on; each once, whoever brings it how often.
func (p *Peers) ReceiveRelayed(nowNanos int64, passedOn []model.Feedback) {
	for _, message := range passedOn {
		p.status.Relayed++
		p.apply(nowNanos, message)
	}
}

// apply gives feedback to the laws of the endpoint that it is about.
func (p *Peers) apply(nowNanos int64, message model.Feedback) {
	e := p.endpoints.Of(message.Pair.Source)
	if e == nil {
		return
	}
	var previous received
	last := p.received.Find(message.Pair.Source, message.Pair.Destination)
	known := last != nil
	if known {
		previous = *last
	} else {
		last = p.received.Add(message.Pair.Source, message.Pair.Destination, nowNanos, received{})
	}
	p.received.Use(message.Pair.Source, message.Pair.Destination, nowNanos)
	if known && previous.Instance == message.Instance && message.Sequence < previous.Sequence {
		return // overtaken: the newer one reported all of it
	}
	now := received{message, previous.markedNanos}
	if message.CEPackets > previous.CEPackets {
		if nowNanos-previous.markedNanos > firstMarkNanos {
			p.pacer.TurnSoon()
		}
		p.pacer.Active(nowNanos)
		now.markedNanos = nowNanos
	}
	*last = now
	restarted := previous.Instance != message.Instance || message.Packets < previous.Packets ||
		message.CEPackets < previous.CEPackets || message.Bytes < previous.Bytes
	if !known || restarted {
		return // only a base for the next
	}
	e.Control.Feedback(message.Pair.Destination, message.Packets-previous.Packets,
		message.CEPackets-previous.CEPackets)
}
