// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxWaitingPairs bounds what a slow controller can make an agent remember.
	maxWaitingPairs = 8192
	// maxWaitingEvents likewise; the oldest are dropped.
	maxWaitingEvents = 64
	// calmInterval is the least time between two observations that nobody waits for.
	calmInterval = 50 * time.Millisecond
	// maxInterval bounds what an observation says that it covers.
	maxInterval = time.Minute
	// activeFor is how long a pair counts as known to the controller after it was last reported.
	activeFor = 100 * time.Millisecond
)

// outbox is what waits for one controller. Observations do not queue up: increments are added to
// those that wait, so that a slow controller hears everything, later. What is new to the controller,
// a pair that begins or a mark, is urgent; the rest waits for company.
type outbox struct {
	mu   sync.Mutex
	wake chan struct{}

	open      bool // a session is greeted: increments count from there
	interval  int64
	pairs     []model.PairSample
	pairAt    map[model.Pair]int
	endpoints []model.EndpointSample
	urgent    bool
	// reported is when each pair was last handed out, and told each endpoint's state then.
	reported map[model.Pair]int64
	told     map[string]model.EndpointSample

	queues model.PortObservation // no ports: nothing waits
	flows  flowBox
	wishes []numberedRequest
	losses []model.Loss

	events         []model.Event
	droppedEvents  uint64
	droppedSamples uint64
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1)}
}

// begin forgets what waited for the session before: increments are those of a session.
func (o *outbox) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = true
	o.clear()
	o.queues = model.PortObservation{}
	o.flows.tellAll()
	o.wishes, o.losses = nil, nil
	o.reported = map[model.Pair]int64{}
	o.told = map[string]model.EndpointSample{}
}

func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = false
}

func (o *outbox) clear() {
	o.interval, o.pairs, o.endpoints, o.urgent = 0, nil, nil, false
	o.pairAt = map[model.Pair]int{}
}

// observeQueues adds what queues did to what waits. Whoever observes them keeps the pace: here nothing
// waits but for a slow controller.
func (o *outbox) observeQueues(observation model.PortObservation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open || len(observation.Ports) == 0 {
		return
	}
	o.queues.IntervalNanos = min(o.queues.IntervalNanos+observation.IntervalNanos, maxInterval.Nanoseconds())
	for _, sample := range observation.Ports {
		at := slices.IndexFunc(o.queues.Ports, func(waiting model.PortQueueSample) bool { return waiting.Port == sample.Port })
		if at < 0 {
			o.queues.Ports = append(o.queues.Ports, sample)
		} else {
			o.queues.Ports[at].Add(sample)
		}
	}
	o.signal()
}

// takeQueues empties the outbox of what queues did; false if there is nothing.
func (o *outbox) takeQueues() (model.PortObservation, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.queues
	o.queues = model.PortObservation{}
	return taken, len(taken.Ports) > 0
}

// watchFlows begins or ends the reports of flows.
func (o *outbox) watchFlows(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows.watch(on)
	o.signal()
}

// observeFlows adds news of flows to what waits.
func (o *outbox) observeFlows(news []model.FlowNews) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows.add(news)
	o.signal()
}

// takeFlows empties the outbox of news of flows; false if there is nothing.
func (o *outbox) takeFlows() (flowReport, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flows.take()
}

// ask adds a request; false if there is no session, or too many wait.
func (o *outbox) ask(request numberedRequest) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open || len(o.wishes) >= maxWishes {
		return false
	}
	o.wishes = append(o.wishes, request)
	o.signal()
	return true
}

// takeWishes empties the outbox of requests.
func (o *outbox) takeWishes() []numberedRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.wishes
	o.wishes = nil
	return taken
}

// observe adds an observation to what waits. It never blocks and keeps nothing of its argument.
func (o *outbox) observe(nowNanos int64, observation model.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	if len(o.pairs) == 0 && len(o.endpoints) == 0 {
		o.interval = 0 // nothing happened in what came before
	}
	o.interval = min(o.interval+observation.IntervalNanos, maxInterval.Nanoseconds())
	for _, sample := range observation.Pairs {
		o.addPair(nowNanos, sample)
	}
	for _, sample := range observation.Endpoints {
		o.addEndpoint(sample)
	}
	if len(o.pairs) > 0 || len(o.endpoints) > 0 {
		o.signal()
	}
}

func (o *outbox) addPair(nowNanos int64, sample model.PairSample) {
	if sample.SentPackets == 0 && sample.ReceivedPackets == 0 && sample.SentBytes == 0 && sample.ReceivedBytes == 0 {
		return
	}
	last, known := o.reported[sample.Pair]
	if sample.CEPackets > 0 || !known || nowNanos-last > activeFor.Nanoseconds() {
		o.urgent = true
	}
	if at, waits := o.pairAt[sample.Pair]; waits {
		p := &o.pairs[at]
		p.SentPackets += sample.SentPackets
		p.SentBytes += sample.SentBytes
		p.ReceivedPackets += sample.ReceivedPackets
		p.ReceivedBytes += sample.ReceivedBytes
		p.CEPackets += sample.CEPackets
		return
	}
	if len(o.pairs) >= maxWaitingPairs {
		o.droppedSamples++
		return
	}
	o.pairAt[sample.Pair] = len(o.pairs)
	o.pairs = append(o.pairs, sample)
}

// addEndpoint replaces what an endpoint's state is and adds up what happened to it.
func (o *outbox) addEndpoint(sample model.EndpointSample) {
	sample.Groups = append([]model.GroupSample(nil), sample.Groups...)
	for i := range o.endpoints {
		waiting := &o.endpoints[i]
		if waiting.Interface != sample.Interface {
			continue
		}
		sample.DroppedPackets += waiting.DroppedPackets
		sample.SpoofedPackets += waiting.SpoofedPackets
		sample.ForgedPackets += waiting.ForgedPackets
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
	if told, known := o.told[sample.Interface]; !known || !unchanged(told, sample) {
		o.endpoints = append(o.endpoints, sample)
	}
}

// unchanged says that a sample tells a controller nothing new.
func unchanged(told, now model.EndpointSample) bool {
	if now.RateBitsPerSecond != told.RateBitsPerSecond || now.BacklogBytes != told.BacklogBytes ||
		now.DroppedPackets != 0 || now.SpoofedPackets != 0 || now.ForgedPackets != 0 ||
		len(now.Groups) != len(told.Groups) {
		return false
	}
	for i, g := range now.Groups {
		before := told.Groups[i]
		if g.SentBytes != 0 || g.Port != before.Port || g.RateBitsPerSecond != before.RateBitsPerSecond ||
			g.CEShare != before.CEShare {
			return false
		}
	}
	return true
}

// report adds an event; it waits for the next session if there is none.
func (o *outbox) report(event model.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.events) == maxWaitingEvents {
		o.events = append(o.events[:0], o.events[1:]...)
		o.droppedEvents++
	}
	o.events = append(o.events, event)
	o.signal()
}

// take empties the outbox. Nothing is handed out before its time: then due is when to come again,
// 0 if nothing waits.
func (o *outbox) take(nowNanos, lastSent int64, tau time.Duration) (
	events []model.Event, observation *model.Observation, due int64,
) {
	o.mu.Lock()
	defer o.mu.Unlock()
	events, o.events = o.events, nil
	if len(o.pairs) == 0 && len(o.endpoints) == 0 {
		return events, nil, 0
	}
	spacing := calmInterval
	if o.urgent {
		spacing = tau
	}
	if due = lastSent + spacing.Nanoseconds(); nowNanos < due {
		return events, nil, due
	}
	observation = &model.Observation{IntervalNanos: o.interval, Pairs: o.pairs, Endpoints: o.endpoints}
	for pair, at := range o.reported {
		if nowNanos-at > activeFor.Nanoseconds() {
			delete(o.reported, pair)
		}
	}
	for _, p := range o.pairs {
		o.reported[p.Pair] = nowNanos
	}
	for _, e := range o.endpoints {
		o.told[e.Interface] = e
	}
	o.clear()
	return events, observation, 0
}

// signal wakes the session; the caller holds the lock.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) dropped() (events, samples uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.droppedEvents, o.droppedSamples
}
