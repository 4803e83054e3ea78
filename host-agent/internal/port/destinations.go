// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// ownQueue is the last level's own, beside background queues: OWN_QUEUE of bpf/port.c.
	ownQueue = htb.MaxBackgroundQueues
	// moveNanos is the longest that packets go on to wait where those before them do, once their destination has moved.
	moveNanos = int64(100 * time.Millisecond)
	// maxMoves are made at once, lest a cap wait for them: 2 ms.
	maxMoves = 512
	// maxEntries are those of a set, and as many that have left one.
	maxEntries = 2 * model.MaxBackgroundDestinations
)

// destinations are which of the last level's queues packets wait in. One that moves goes on with its former queue until
// that is found empty, so that packets of a flow stay in their order, but for moveNanos at most.
type destinations struct {
	entries *ebpf.Map
	queues  map[netip.Addr]uint32
	counts  [htb.MaxBackgroundQueues]int // of destinations, by queue
	todo    []redirection
	// leaving are those on their way back to the level's own queue, until when they need an entry.
	leaving map[netip.Addr]int64
}

// redirection is a destination that is to have another queue.
type redirection struct {
	address netip.Addr
	queue   uint32
}

func newDestinations(entries *ebpf.Map) destinations {
	return destinations{entries: entries, queues: map[netip.Addr]uint32{}, leaving: map[netip.Addr]int64{}}
}

// of is the queue that a destination has, or is moving to.
func (d *destinations) of(address netip.Addr) uint32 {
	if queue, is := d.queues[address]; is {
		return queue
	}
	return ownQueue
}

// plan is to put destinations into these queues, and all others into the level's own.
func (d *destinations) plan(to map[netip.Addr]uint32) {
	d.todo = nil
	for address := range d.queues {
		if _, stays := to[address]; !stays {
			d.todo = append(d.todo, redirection{address, ownQueue})
		}
	}
	for address, queue := range to {
		if d.of(address) != queue {
			d.todo = append(d.todo, redirection{address, queue})
		}
	}
}

// advance moves some of those that are planned to be.
func (d *destinations) advance(nowNanos int64) error {
	var failures []error
	if len(d.queues)+len(d.leaving)+maxMoves > maxEntries {
		failures = append(failures, d.settle(nowNanos+moveNanos))
	}
	some := d.todo[:min(len(d.todo), maxMoves)]
	for _, r := range some {
		failures = append(failures, d.redirect(r.address, r.queue, nowNanos))
	}
	d.todo = d.todo[len(some):]
	return errors.Join(failures...)
}

func (d *destinations) redirect(address netip.Addr, queue uint32, nowNanos int64) error {
	former, until := d.waitsIn(address, nowNanos)
	entry := bpfDestination{Queue: queue, Former: former, UntilNanos: uint64(until)}
	if former == queue {
		entry.UntilNanos = 0
	}
	if err := d.entries.Put(address.As16(), entry); err != nil {
		return fmt.Errorf("destination %v: %w", address, err)
	}
	if before, is := d.queues[address]; is {
		d.counts[before]--
	}
	if queue == ownQueue {
		delete(d.queues, address)
		d.leaving[address] = until
		return nil
	}
	d.queues[address] = queue
	d.counts[queue]++
	delete(d.leaving, address)
	return nil
}

// waitsIn is the queue in which a destination's packets wait now, while it moves still the former, and until when they
// go on to wait there at most.
func (d *destinations) waitsIn(address netip.Addr, nowNanos int64) (queue uint32, untilNanos int64) {
	_, leaves := d.leaving[address]
	_, is := d.queues[address]
	var entry bpfDestination
	if leaves || is {
		err := d.entries.Lookup(address.As16(), &entry)
		if err == nil && int64(entry.UntilNanos) > nowNanos {
			return entry.Former, int64(entry.UntilNanos)
		}
	}
	return d.of(address), nowNanos + moveNanos
}

// settle removes the entries of destinations that are back in the level's own queue by then.
func (d *destinations) settle(nanos int64) error {
	var failures []error
	for address, until := range d.leaving {
		if until > nanos {
			continue
		}
		delete(d.leaving, address)
		if err := d.entries.Delete(address.As16()); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			failures = append(failures, fmt.Errorf("destination %v: %w", address, err))
		}
	}
	return errors.Join(failures...)
}

// nextNanos is when there is something to do; 0: nothing.
func (d *destinations) nextNanos(nowNanos int64) int64 {
	if len(d.todo) > 0 {
		return nowNanos
	}
	next := int64(0)
	for _, until := range d.leaving {
		if next == 0 || until < next {
			next = until
		}
	}
	return next
}
