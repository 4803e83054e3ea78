// SPDX-License-Identifier: Apache-2.0

package link

import (
	"maps"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// position orders the messages of one node about one subject.
type position struct{ term, sequence uint64 }

func (p position) after(other position) bool {
	return p.term > other.term || p.term == other.term && p.sequence > other.sequence
}

// subject is what a message decides about: each has an order of its own.
type subject struct {
	kind bodyKind
	port model.Port // of shares, notices, resends, background queues, caps and marking thresholds
	// downstream is that of caps: those of different switches have different terms.
	downstream model.Port
}

// flowSubject likewise, of messages about flows: those of different switches have different terms.
type flowSubject struct {
	kind bodyKind
	flow model.FlowID
}

// maxFlowPositions are remembered of one node; beyond it they are cleared, for within a session messages
// arrive in order anyway.
const maxFlowPositions = 16384

// order has the latest applied position of each subject of one node.
type order struct {
	subjects map[subject]position
	flows    map[flowSubject]position
}

func newOrder() order {
	return order{subjects: map[subject]position{}, flows: map[flowSubject]position{}}
}

// advance reports whether a message comes after the latest one about its subject, and remembers it if
// so.
func (o *order) advance(about subject, to position) bool {
	if last, known := o.subjects[about]; known && !to.after(last) {
		return false
	}
	o.subjects[about] = to
	return true
}

// advanceFlow likewise.
func (o *order) advanceFlow(about flowSubject, to position) bool {
	if last, known := o.flows[about]; known && !to.after(last) {
		return false
	}
	if len(o.flows) >= maxFlowPositions {
		clear(o.flows)
	}
	o.flows[about] = to
	return true
}

// forget has messages of some kinds count from the beginning.
func (o *order) forget(is func(bodyKind) bool) {
	maps.DeleteFunc(o.subjects, func(about subject, _ position) bool { return is(about.kind) })
}
