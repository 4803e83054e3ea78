// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxWaitingPairs bounds what a slow controller can make an agent remember.
	maxWaitingPairs = 8192
	// calmInterval is the least time between two observations that are not urgent.
	calmInterval = 50 * time.Millisecond
	// firstMarkNanos without marks make the next one a first one.
	firstMarkNanos = int64(200 * time.Millisecond)
	// activeFor is how long a pair counts as active at the controller after it was last reported.
	activeFor = 100 * time.Millisecond
)

// observationOutbox has the observation that waits for one controller. Observations do not queue up:
// increments are added to those that wait, so that a slow controller receives all of them, later. What the
// controller has not received yet, a pair that becomes active, a first mark, or that a pair waits or does not
// any more, is urgent. The marks after the first one are looked at once in a control period, and go as often;
// other observations are sent less often. Not safe for concurrent use.
type observationOutbox struct {
	interval  int64
	pairs     []model.PairSample
	pairAt    map[model.Pair]int
	endpoints []model.EndpointSample
	urgent    bool
	marked    bool
	// markedNanos is when the latest mark came.
	markedNanos int64
	// reported is when each pair was last sent, and sent each endpoint's state then.
	reported map[model.Pair]int64
	sent     map[string]model.EndpointSample
	// waits has the pairs that wait, as of their last samples.
	waits map[model.Pair]bool
}

func newObservationOutbox() observationOutbox {
	return observationOutbox{
		pairAt: map[model.Pair]int{}, reported: map[model.Pair]int64{}, sent: map[string]model.EndpointSample{},
		waits: map[model.Pair]bool{}, markedNanos: math.MinInt64 / 2,
	}
}

func (o *observationOutbox) empty() bool { return len(o.pairs) == 0 && len(o.endpoints) == 0 }

// add adds an observation to the one that waits, and returns how many samples it dropped for want of room.
func (o *observationOutbox) add(nowNanos int64, observation model.Observation) (dropped uint64) {
	if o.empty() {
		o.interval = 0 // the earlier observations had no samples
	}
	o.interval = min(o.interval+observation.IntervalNanos, maxInterval.Nanoseconds())
	for _, sample := range observation.Pairs {
		dropped += o.addPair(nowNanos, sample)
	}
	for _, sample := range observation.Endpoints {
		o.addEndpoint(sample)
	}
	return dropped
}

// addPair returns how many samples it dropped.
func (o *observationOutbox) addPair(nowNanos int64, sample model.PairSample) uint64 {
	waitsAsBefore := sample.Waits == o.waits[sample.Pair]
	if waitsAsBefore && sample.SentPackets == 0 && sample.ReceivedPackets == 0 &&
		sample.SentBytes == 0 && sample.ReceivedBytes == 0 {
		return 0
	}
	last, known := o.reported[sample.Pair]
	if sample.CEPackets > 0 {
		o.marked = true
		o.urgent = o.urgent || nowNanos-o.markedNanos > firstMarkNanos
		o.markedNanos = nowNanos
	}
	if !waitsAsBefore || !known || nowNanos-last > activeFor.Nanoseconds() {
		o.urgent = true
	}
	at, waiting := o.pairAt[sample.Pair]
	if !waiting && len(o.pairs) >= maxWaitingPairs {
		return 1
	}
	if sample.Waits {
		o.waits[sample.Pair] = true
	} else {
		delete(o.waits, sample.Pair)
	}
	if waiting {
		p := &o.pairs[at]
		p.SentPackets += sample.SentPackets
		p.SentBytes += sample.SentBytes
		p.ReceivedPackets += sample.ReceivedPackets
		p.ReceivedBytes += sample.ReceivedBytes
		p.CEPackets += sample.CEPackets
		p.Waits = sample.Waits
		return 0
	}
	o.pairAt[sample.Pair] = len(o.pairs)
	o.pairs = append(o.pairs, sample)
	return 0
}

// addEndpoint replaces an endpoint's state and adds up its counters.
func (o *observationOutbox) addEndpoint(sample model.EndpointSample) {
	sample.Groups = append([]model.GroupSample(nil), sample.Groups...)
	for i := range o.endpoints {
		waiting := &o.endpoints[i]
		if waiting.Interface != sample.Interface {
			continue
		}
		sample.DroppedPackets += waiting.DroppedPackets
		sample.SpoofedPackets += waiting.SpoofedPackets
		sample.ForgedPackets += waiting.ForgedPackets
		sample.RoguePackets += waiting.RoguePackets
		sample.ResidualDroppedPackets += waiting.ResidualDroppedPackets
		for j := range sample.Groups {
			for _, before := range waiting.Groups {
				if before.Port == sample.Groups[j].Port {
					sample.Groups[j].SentBytes += before.SentBytes
				}
			}
		}
		*waiting = sample
		return
	}
	if sent, known := o.sent[sample.Interface]; !known || !unchanged(sent, sample) {
		o.endpoints = append(o.endpoints, sample)
	}
}

// unchanged reports that a sample has nothing that the last one sent did not have.
func unchanged(sent, now model.EndpointSample) bool {
	if now.RateBitsPerSecond != sent.RateBitsPerSecond || now.BacklogBytes != sent.BacklogBytes ||
		now.DroppedPackets != 0 || now.SpoofedPackets != 0 || now.ForgedPackets != 0 || now.RoguePackets != 0 ||
		len(now.Groups) != len(sent.Groups) {
		return false
	}
	for i, g := range now.Groups {
		before := sent.Groups[i]
		if g.SentBytes != 0 || g.Port != before.Port || g.RateBitsPerSecond != before.RateBitsPerSecond ||
			g.CEShare != before.CEShare {
			return false
		}
	}
	return true
}

// spacings are the least times between two observations, the second of which is urgent, or has marks.
type spacings struct{ urgent, marked time.Duration }

// take takes the observation that waits, but not before its time: then due is when to call again, 0 if
// none waits.
func (o *observationOutbox) take(nowNanos, lastSent int64, least spacings) (taken *model.Observation, due int64) {
	if o.empty() {
		return nil, 0
	}
	spacing := calmInterval
	if o.urgent {
		spacing = least.urgent
	} else if o.marked {
		spacing = least.marked
	}
	if due = lastSent + spacing.Nanoseconds(); nowNanos < due {
		return nil, due
	}
	for pair, at := range o.reported {
		if nowNanos-at > activeFor.Nanoseconds() {
			delete(o.reported, pair)
		}
	}
	for _, p := range o.pairs {
		o.reported[p.Pair] = nowNanos
	}
	for _, e := range o.endpoints {
		o.sent[e.Interface] = e
	}
	taken = &model.Observation{IntervalNanos: o.interval, Pairs: o.pairs, Endpoints: o.endpoints}
	o.interval, o.pairs, o.endpoints, o.urgent, o.marked = 0, nil, nil, false, false
	o.pairAt = map[model.Pair]int{}
	return taken, 0
}
