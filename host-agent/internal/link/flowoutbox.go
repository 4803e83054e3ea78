// SPDX-License-Identifier: Apache-2.0

package link

import (
	"maps"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxWaitingFlowUpdates bounds what a slow controller makes an agent remember. Beyond it the next report
// is complete.
const maxWaitingFlowUpdates = 16384

// flowOutbox has the updates of flows that wait for one controller. Not safe for concurrent use.
type flowOutbox struct {
	watching bool
	// live are the flows that have not ended, as they were last.
	live map[model.FlowID]model.FlowUpdate
	// complete: the next report lists all of them.
	complete bool
	waiting  []model.FlowUpdate
	// last is where a flow's latest update waits.
	last map[model.FlowID]int
}

// flowReport is a FlowReport to be.
type flowReport struct {
	complete bool
	updates  []model.FlowUpdate
}

// watch begins or ends the reports of flows; the first one is complete.
func (o *flowOutbox) watch(on bool) {
	*o = flowOutbox{watching: on, live: map[model.FlowID]model.FlowUpdate{}}
	o.reportAll()
}

// reportAll makes the next report a complete one.
func (o *flowOutbox) reportAll() {
	o.complete = o.watching
	o.waiting, o.last = nil, map[model.FlowID]int{}
}

// add takes updates. One of the same flow in the same state replaces the one that waits.
func (o *flowOutbox) add(updates []model.FlowUpdate) {
	if !o.watching {
		return
	}
	for _, one := range updates {
		if one.State == model.FlowClosed {
			delete(o.live, one.Flow)
		} else {
			o.live[one.Flow] = one
		}
		if o.complete {
			continue
		}
		if at, waits := o.last[one.Flow]; waits && o.waiting[at].State == one.State {
			o.waiting[at] = one
			continue
		}
		o.last[one.Flow] = len(o.waiting)
		o.waiting = append(o.waiting, one)
	}
	if len(o.waiting) > maxWaitingFlowUpdates {
		o.reportAll()
	}
}

// take empties the outbox; false if nothing waits.
func (o *flowOutbox) take() (flowReport, bool) {
	if !o.complete && len(o.waiting) == 0 {
		return flowReport{}, false
	}
	report := flowReport{o.complete, o.waiting}
	if o.complete {
		report.updates = slices.SortedFunc(maps.Values(o.live), func(a, b model.FlowUpdate) int { return a.Flow.Compare(b.Flow) })
	}
	o.complete, o.waiting = false, nil
	clear(o.last)
	return report, true
}
