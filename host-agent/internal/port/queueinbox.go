// SPDX-License-Identifier: Apache-2.0

package port

import (
	"sync"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxWaitingDecisions about queues: caps beyond them are refused, of sets the latest waits.
const maxWaitingDecisions = 1024

// queueDecision is a set of background queues, or caps that were received at a time of CLOCK_MONOTONIC.
type queueDecision struct {
	queues        *model.BackgroundQueues
	caps          []model.RateCap
	receivedNanos int64
}

// queueInbox has decisions that wait to be done, in their order. Putting one never blocks.
type queueInbox struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []queueDecision
	refused uint64 // caps
}

func newQueueInbox() *queueInbox { return &queueInbox{wake: make(chan struct{}, 1)} }

func (i *queueInbox) put(d queueDecision) {
	i.mu.Lock()
	switch last := len(i.waiting) - 1; {
	case d.queues != nil && last >= 0 && i.waiting[last].queues != nil:
		i.waiting[last] = d // the full set, in place of the former
	case d.queues == nil && len(i.waiting) >= maxWaitingDecisions:
		i.refused += uint64(len(d.caps))
	default:
		i.waiting = append(i.waiting, d)
	}
	i.mu.Unlock()
	i.signal()
}

// take empties it, and returns how many caps it had no room for since.
func (i *queueInbox) take() (waiting []queueDecision, refusedCaps uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	waiting, i.waiting = i.waiting, nil
	refusedCaps, i.refused = i.refused, 0
	return waiting, refusedCaps
}

func (i *queueInbox) signal() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}
