// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// retryNanos after a failure it is tried again.
const retryNanos = int64(time.Second)

// background are the queues beside the last level's own that controllers set, and their caps. One goroutine changes
// them, so that who decides need not wait.
type background struct {
	port  *Port
	log   *slog.Logger
	inbox *queueInbox

	mu           sync.Mutex
	queues       [htb.MaxBackgroundQueues]*backgroundQueue // by number; nil: none
	destinations destinations
	wanted       model.BackgroundQueues
	missing      int   // of wanted, those that there is no class for
	retryAt      int64 // 0: all is as wanted
	passing      bool  // a move waits for packets that are on their way to a queue
	retired      QueueCounters
	logged       int64
	counters     CapCounters
}

// backgroundQueue is one that has a class.
type backgroundQueue struct {
	downstream model.Port
	// capped at so much, until then; 0: it is not.
	capBitsPerSecond uint64
	capUntilNanos    int64
	// leaves: it is in the set no longer.
	leaves bool
	// leftNanos is when its last destination has moved at the latest; 0: not all are on their way yet.
	leftNanos int64
	// passed: no packet that was sent to it before is still on its way.
	passed bool
}

// BackgroundStatus is what `sluice-agent status` shows of a port's background queues.
type BackgroundStatus struct {
	Queues []BackgroundQueueStatus `json:"queues"`
	// MissingQueues were set and are not there: former ones still hold packets, or the kernel refused them. What is for
	// them waits in the last level's own queue.
	MissingQueues int `json:"missingQueues"`
	CapCounters
}

// BackgroundQueueStatus is one queue's.
type BackgroundQueueStatus struct {
	Downstream   string `json:"downstream"`
	Destinations int    `json:"destinations"`
	// Draining: it is in the set no longer, and goes when it is empty.
	Draining bool `json:"draining,omitempty"`
	// CapBitsPerSecond 0: none.
	CapBitsPerSecond uint64  `json:"capBitsPerSecond"`
	CapEndsInMillis  float64 `json:"capEndsInMillis"`
	QueueCounters
}

func newBackground(p *Port) *background {
	p.state.At(0).FirstBackgroundClass = htb.FirstBackgroundClass
	return &background{port: p, log: slog.Default(), inbox: newQueueInbox(), destinations: newDestinations(p.objects.Destinations)}
}

// run does what is decided and what is due, until done.
func (b *background) run(done <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return
		case <-b.inbox.wake:
		case <-timer.C:
		}
		if next := b.turn(clock.Nanos()); next > 0 {
			timer.Reset(time.Duration(max(next-clock.Nanos(), 0)))
		} else {
			timer.Stop()
		}
	}
}

// turn does what is due and returns when something is next; 0: nothing.
func (b *background) turn(nowNanos int64) (nextNanos int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	decided, refused := b.inbox.take()
	b.counters.RefusedCaps += refused
	for _, d := range decided {
		if d.queues != nil {
			b.wanted = *d.queues
			b.arrange(nowNanos)
		}
		for _, c := range d.caps {
			b.failed(nowNanos, b.setCap(c, d.receivedNanos))
		}
	}
	if b.retryAt != 0 && nowNanos >= b.retryAt {
		b.arrange(nowNanos)
	}
	b.expireCaps(nowNanos)
	b.advance(nowNanos)
	b.drain(nowNanos)
	b.failed(nowNanos, b.destinations.settle(nowNanos))
	return b.nextNanos(nowNanos)
}

// arrange makes the queues that are wanted, and has destinations move into them. Those that are not wanted lose theirs.
func (b *background) arrange(nowNanos int64) {
	b.retryAt, b.missing = 0, 0
	wanted, to := map[model.Port]bool{}, map[netip.Addr]uint32{}
	for _, want := range b.wanted.Queues {
		wanted[want.Downstream] = true
	}
	for number, q := range b.queues {
		if q == nil || wanted[q.downstream] {
			continue
		}
		if !q.leaves || b.destinations.counts[number] > 0 {
			q.leaves, q.leftNanos, q.passed = true, 0, false
		}
	}
	for _, want := range b.wanted.Queues {
		number, err := b.queueFor(want.Downstream)
		if err != nil {
			b.missing++
			b.retry(nowNanos, err)
			continue
		}
		for _, destination := range want.Destinations {
			to[destination] = number
		}
	}
	b.destinations.plan(to)
}

// advance moves destinations; queues that leave have lost theirs once all have moved.
func (b *background) advance(nowNanos int64) {
	if err := b.destinations.advance(nowNanos); err != nil {
		b.retry(nowNanos, err)
	}
	for number, q := range b.queues {
		if q != nil && q.leaves && q.leftNanos == 0 && b.destinations.counts[number] == 0 {
			q.leftNanos = nowNanos + moveNanos
		}
	}
}

var errAllNumbersTaken = errors.New("former background queues still hold packets")

// queueFor is the number of a downstream port's queue, which is made if there is none.
func (b *background) queueFor(downstream model.Port) (uint32, error) {
	free := -1
	for number, q := range b.queues {
		if q != nil && q.downstream == downstream {
			q.leaves, q.leftNanos, q.passed = false, 0, false
			return uint32(number), nil
		}
		if q == nil && free < 0 {
			free = number
		}
	}
	if free < 0 {
		return 0, errAllNumbersTaken
	}
	state := b.port.state.At(0)
	state.Background[free] = bpfBackground{}
	if err := b.port.change(func(q *htb.Queue) error { return q.AddBackground(free) }); err != nil {
		return 0, err
	}
	b.queues[free] = &backgroundQueue{downstream: downstream}
	atomic.StoreUint32(&state.HasBackground, 1)
	return uint32(free), nil
}

// nextNanos is when something is due next; 0: nothing.
func (b *background) nextNanos(nowNanos int64) int64 {
	next := b.retryAt
	earlier := func(nanos int64) {
		if nanos != 0 && (next == 0 || nanos < next) {
			next = nanos
		}
	}
	earlier(b.destinations.nextNanos(nowNanos))
	for _, q := range b.queues {
		switch {
		case q == nil:
			continue
		case q.leftNanos > nowNanos:
			earlier(q.leftNanos)
		case q.passed:
			earlier(nowNanos + drainPollNanos)
		}
		earlier(q.capUntilNanos)
	}
	return next
}

func (b *background) retry(nowNanos int64, err error) {
	b.retryAt = nowNanos + retryNanos
	b.failed(nowNanos, err)
}

func (b *background) failed(nowNanos int64, err error) {
	if err == nil || b.logged != 0 && nowNanos-b.logged < failureNanos {
		return
	}
	b.logged = nowNanos
	b.log.Error("background queues or caps are not as the controller set them", "port", b.port.config.Port, "error", err)
}

// queueOf is the queue, by number, in which the last level's packets to a destination wait.
func (b *background) queueOf(destination netip.Addr) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return int(b.destinations.of(destination))
}

// read gives the queues' states, the lock is held.
func (b *background) read(nowNanos int64, stats []htb.Stats) []BackgroundQueueStatus {
	found := []BackgroundQueueStatus{}
	for number, q := range b.queues {
		if q == nil {
			continue
		}
		status := BackgroundQueueStatus{
			Downstream: string(q.downstream), Destinations: b.destinations.counts[number], Draining: q.leaves,
			CapBitsPerSecond: q.capBitsPerSecond,
			QueueCounters:    countersOf(&b.port.state.At(0).Background[number].Counters).with(stats[number]),
		}
		if q.capBitsPerSecond > 0 {
			status.CapEndsInMillis = float64(max(q.capUntilNanos-nowNanos, 0)) / float64(time.Millisecond)
		}
		found = append(found, status)
	}
	return found
}

// status is that of queues that were read; nil where there are no levels.
func (b *background) status(queues []BackgroundQueueStatus) *BackgroundStatus {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return &BackgroundStatus{Queues: queues, MissingQueues: b.missing, CapCounters: b.counters}
}

// set takes the set of queues that a controller decided.
func (b *background) set(queues model.BackgroundQueues) error {
	if string(queues.Port) != b.port.config.Port {
		return fmt.Errorf("background queues for %s: this agent keeps the queue of %s", queues.Port, b.port.config.Port)
	}
	b.inbox.put(queueDecision{queues: &queues})
	return nil
}
