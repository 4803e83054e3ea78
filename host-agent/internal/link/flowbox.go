// SPDX-License-Identifier: Apache-2.0

package link

import (
	"maps"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxWaitingFlowNews bounds what a slow controller makes an agent remember. Beyond it the controller
// is told everything anew.
const maxWaitingFlowNews = 16384

// flowBox is what waits for one controller of news of flows. Not safe for concurrent use.
type flowBox struct {
	watching bool
	// live are the flows that have not ended, as they were last.
	live map[model.FlowID]model.FlowNews
	// complete: the next report names all of them.
	complete bool
	waiting  []model.FlowNews
	// last is where a flow's latest news waits.
	last map[model.FlowID]int
}

// flowReport is a FlowReport to be.
type flowReport struct {
	complete bool
	news     []model.FlowNews
}

// watch begins or ends the watching of flows. Begun anew, everything is told.
func (b *flowBox) watch(on bool) {
	*b = flowBox{watching: on, live: map[model.FlowID]model.FlowNews{}}
	b.tellAll()
}

// tellAll has the next report name every flow.
func (b *flowBox) tellAll() {
	b.complete = b.watching
	b.waiting, b.last = nil, map[model.FlowID]int{}
}

// add takes news. What is about the same flow in the same state replaces what waits.
func (b *flowBox) add(news []model.FlowNews) {
	if !b.watching {
		return
	}
	for _, one := range news {
		if one.State == model.FlowClosed {
			delete(b.live, one.Flow)
		} else {
			b.live[one.Flow] = one
		}
		if b.complete {
			continue
		}
		if at, waits := b.last[one.Flow]; waits && b.waiting[at].State == one.State {
			b.waiting[at] = one
			continue
		}
		b.last[one.Flow] = len(b.waiting)
		b.waiting = append(b.waiting, one)
	}
	if len(b.waiting) > maxWaitingFlowNews {
		b.tellAll()
	}
}

// take empties the box; false if nothing waits.
func (b *flowBox) take() (flowReport, bool) {
	if !b.complete && len(b.waiting) == 0 {
		return flowReport{}, false
	}
	report := flowReport{b.complete, b.waiting}
	if b.complete {
		report.news = slices.SortedFunc(maps.Values(b.live), func(a, b model.FlowNews) int { return a.Flow.Compare(b.Flow) })
	}
	b.complete, b.waiting = false, nil
	clear(b.last)
	return report, true
}
