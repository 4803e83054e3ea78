// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"
	"sync"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxWaitingEvents and maxWaitingLosses bound what a slow controller can make an agent remember; the
	// oldest are dropped.
	maxWaitingEvents = 64
	maxWaitingLosses = 4096
	// maxInterval bounds the time that an observation covers.
	maxInterval = time.Minute
)

// outbox has the messages that wait for one controller. What waits is bounded.
type outbox struct {
	mu   sync.Mutex
	wake chan struct{}

	open bool // a session is greeted: increments count from there

	traffic  observationOutbox
	queues   model.PortObservation // no ports: nothing waits
	flows    flowOutbox
	requests []numberedRequest
	losses   []model.Loss
	sizes    sizeOutbox
	hints    *model.TCPHintReport // nil: none waits
	marks    marksOutbox

	events         []model.Event
	droppedEvents  uint64
	droppedSamples uint64
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1)}
}

// begin discards what waited for the session before: increments are those of a session.
func (o *outbox) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = true
	o.traffic = newObservationOutbox()
	o.queues = model.PortObservation{}
	o.flows.reportAll()
	o.requests, o.losses, o.hints = nil, nil, nil
	o.sizes.watch(o.sizes.watching)
	o.marks = marksOutbox{}
}

func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = false
	o.marks = marksOutbox{}
}

// relayMarks takes marks in the session: its controller passes them on.
func (o *outbox) relayMarks() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.marks = newMarksOutbox()
}

// returnMarks adds marks to be passed on; false if this controller does not.
func (o *outbox) returnMarks(marks []model.Feedback) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	isRelayed := o.marks.add(marks)
	if isRelayed && len(marks) > 0 {
		o.signal()
	}
	return isRelayed
}

// takeMarks empties the outbox of marks, but not before their time: then due is when to call again.
func (o *outbox) takeMarks(nowNanos int64) (marks map[model.Pair]model.Feedback, due int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.marks.take(nowNanos)
}

// observeQueues adds samples of queues to those that wait. The caller limits the rate: here they wait only
// for a slow controller.
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

// takeQueues empties the outbox of samples of queues; false if there are none.
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

// observeFlows adds updates of flows to those that wait.
func (o *outbox) observeFlows(updates []model.FlowUpdate) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows.add(updates)
	o.signal()
}

// takeFlows empties the outbox of updates of flows; false if there are none.
func (o *outbox) takeFlows() (flowReport, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flows.take()
}

// request adds a request; false if there is no session, or too many wait.
func (o *outbox) request(request numberedRequest) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open || len(o.requests) >= maxPendingRequests {
		return false
	}
	o.requests = append(o.requests, request)
	o.signal()
	return true
}

// takeRequests empties the outbox of requests.
func (o *outbox) takeRequests() []numberedRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.requests
	o.requests = nil
	return taken
}

// reportLosses adds losses to those that wait; without a session they are discarded.
func (o *outbox) reportLosses(losses []model.Loss) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	o.losses = append(o.losses, losses...)
	if surplus := len(o.losses) - maxWaitingLosses; surplus > 0 {
		o.losses = append(o.losses[:0], o.losses[surplus:]...)
		o.droppedSamples += uint64(surplus)
	}
	o.signal()
}

// takeLosses empties the outbox of losses.
func (o *outbox) takeLosses() []model.Loss {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.losses
	o.losses = nil
	return taken
}

// observe adds an observation to those that wait. It never blocks and keeps nothing of its argument.
func (o *outbox) observe(nowNanos int64, observation model.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	waited, wasUrgent := !o.traffic.empty(), o.traffic.urgent
	o.droppedSamples += o.traffic.add(nowNanos, observation)
	if !o.traffic.empty() && (!waited || o.traffic.urgent && !wasUrgent) { // else the session knows when it is due
		o.signal()
	}
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

// take empties the outbox. No observation is taken before its time: then due is when to call again, 0 if
// none waits.
func (o *outbox) take(nowNanos, lastSent int64, least spacings) (
	events []model.Event, observation *model.Observation, due int64,
) {
	o.mu.Lock()
	defer o.mu.Unlock()
	events, o.events = o.events, nil
	observation, due = o.traffic.take(nowNanos, lastSent, least)
	return events, observation, due
}

// takeMessages empties the outbox of all but events and observations, in the order in which it is sent. Marks wait for
// their time: due is when to call again, 0 if none wait.
func (o *outbox) takeMessages(nowNanos int64) (messages []*pb.AgentMessage, due int64) {
	if flows, some := o.takeFlows(); some {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_FlowReport{FlowReport: flowReportOf(flows, nowNanos)}})
	}
	if sizes, some := o.takeSizes(); some {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_FlowSizes{FlowSizes: flowSizesOf(sizes)}})
	}
	if hints := o.takeHints(); hints != nil {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_TcpHintReport{TcpHintReport: hintReportOf(hints)}})
	}
	if losses := o.takeLosses(); len(losses) > 0 {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_LossReport{LossReport: lossReportOf(losses)}})
	}
	for _, request := range o.takeRequests() {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_FlowRequest{FlowRequest: flowRequestOf(request)}})
	}
	if queues, some := o.takeQueues(); some {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_PortObservation{PortObservation: portObservationOf(queues)}})
	}
	marks, due := o.takeMarks(nowNanos)
	if len(marks) > 0 {
		messages = append(messages, &pb.AgentMessage{Body: &pb.AgentMessage_MarkReport{MarkReport: markReportOf(marks)}})
	}
	return messages, due
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
