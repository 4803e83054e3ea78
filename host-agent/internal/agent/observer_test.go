// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// observer stands in for the agent link and keeps the events.
type observer struct {
	t      testing.TB
	mu     sync.Mutex
	events []model.Event
	queues []model.PortQueueSample // all samples
	flows  []model.FlowUpdate      // all updates of flows
	large  []model.LargeFlow       // all of them
	ended  model.FlowSizeCounts    // the sum
	hints  []model.TCPHintReport   // all of them
	marks  []model.Feedback        // all of them
	// waiting are the pairs that wait, as of their last samples.
	waiting map[model.Pair]bool
	// answer, if there is one, is called for each of them.
	answer func(model.FlowUpdate)
	// away: the controller cannot be reached.
	away atomic.Bool
	// silentNanos is for how long it has sent nothing.
	silentNanos atomic.Int64
}

func (o *observer) connect([]model.Endpoint) (controllers, error) { return o, nil }

func (o *observer) Run(ctx context.Context) { <-ctx.Done() }
func (o *observer) WatchFlows(bool)         {}
func (o *observer) WatchFlowSizes(bool)     {}

func (o *observer) Observe(observation model.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == nil {
		o.waiting = map[model.Pair]bool{}
	}
	for _, sample := range observation.Pairs {
		o.waiting[sample.Pair] = sample.Waits
	}
}

func (o *observer) waits(pair model.Pair) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting[pair]
}

func (o *observer) ReportTCPHints(_ string, report model.TCPHintReport) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hints = append(o.hints, report)
}

func (o *observer) ReturnMarks(marks []model.Feedback) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away.Load() {
		return false
	}
	o.marks = append(o.marks, marks...)
	return true
}

func (o *observer) ObserveQueues(observation model.PortObservation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queues = append(o.queues, observation.Ports...)
}

func (o *observer) Controllers() []model.ControllerStatus {
	return []model.ControllerStatus{{Connected: !o.away.Load(), ReceivedNanos: clock.Nanos() - o.silentNanos.Load()}}
}
func (o *observer) Counters() link.Counters { return link.Counters{Sessions: 3, StaleRefused: 2} }

func (o *observer) Certificates() link.Certificates { return link.Certificates{} }

func (o *observer) RequestFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error) {
	return model.FlowAnswer{}, link.ErrNoController
}

func (o *observer) ObserveFlows(updates []model.FlowUpdate) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows = append(o.flows, updates...)
	for _, one := range updates {
		if o.answer != nil {
			o.answer(one)
		}
	}
}

func (o *observer) ObserveFlowSizes(sizes model.FlowSizes) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.large = append(o.large, sizes.Large...)
	o.ended.AddAll(&sizes.Ended)
}

// of are the updates of a flow.
func (o *observer) of(flow model.FlowID) []model.FlowUpdate {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.flows), func(n model.FlowUpdate) bool { return n.Flow != flow })
}

func (o *observer) Report(event model.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, event)
}

func (o *observer) count(suits func(model.Event) bool) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	count := 0
	for _, event := range o.events {
		if suits(event) {
			count++
		}
	}
	return count
}

// until waits for an event; it and those before it are forgotten.
func (o *observer) until(what string, suits func(model.Event) bool) {
	o.t.Helper()
	testnet.Until(o.t, what, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		at := slices.IndexFunc(o.events, suits)
		if at < 0 {
			return false
		}
		o.events = o.events[at+1:]
		return true
	})
}

// runObserved runs the agent with an observer for its agent link.
func (h *host) runObserved() *observer {
	h.t.Helper()
	o := &observer{t: h.t}
	h.runWith(o.connect)
	return o
}

func TestStatusShowsTheLinksCounters(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.runObserved()
	if counters := h.status().Link; counters == nil || counters.Sessions != 3 || counters.StaleRefused != 2 {
		t.Errorf("%+v, want the link's own", counters)
	}
}
