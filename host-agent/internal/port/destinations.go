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
	// maxEntries are those of a set, and as many that have left one.
	maxEntries = 2 * model.MaxBackgroundDestinations
)

// destinations are which of the last level's queues packets wait in. One that moves goes on with its former queue until
// that is found empty, so that packets of a flow stay in their order, but for moveNanos at most.
type destinations struct {
	entries *ebpf.Map
	queues  map[netip.Addr]uint32
	// leaving are those on their way back to the level's own queue, until when they need an entry.
	leaving map[netip.Addr]int64
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

// move puts destinations into these queues, and all others into the level's own.
func (d *destinations) move(to map[netip.Addr]uint32, nowNanos int64) error {
	var failures []error
	for address := range d.queues {
		if _, stays := to[address]; !stays {
			failures = append(failures, d.redirect(address, ownQueue, nowNanos))
		}
	}
	if len(to)+len(d.leaving) > maxEntries {
		failures = append(failures, d.settle(nowNanos+moveNanos))
	}
	for address, queue := range to {
		if d.of(address) != queue {
			failures = append(failures, d.redirect(address, queue, nowNanos))
		}
	}
	return errors.Join(failures...)
}

func (d *destinations) redirect(address netip.Addr, queue uint32, nowNanos int64) error {
	key, until := address.As16(), nowNanos+moveNanos
	entry := bpfDestination{Queue: queue, Former: d.waitsIn(address, nowNanos), UntilNanos: uint64(until)}
	if entry.Former == queue {
		entry.UntilNanos = 0
	}
	if err := d.entries.Put(key, entry); err != nil {
		return fmt.Errorf("destination %v: %w", address, err)
	}
	if queue == ownQueue {
		delete(d.queues, address)
		d.leaving[address] = until
	} else {
		d.queues[address] = queue
		delete(d.leaving, address)
	}
	return nil
}

// waitsIn is the queue in which a destination's packets wait now: while it moves, still the former.
func (d *destinations) waitsIn(address netip.Addr, nowNanos int64) uint32 {
	_, leaves := d.leaving[address]
	queue, is := d.queues[address]
	if !leaves && !is {
		return ownQueue
	}
	var entry bpfDestination
	if err := d.entries.Lookup(address.As16(), &entry); err == nil && int64(entry.UntilNanos) > nowNanos {
		return entry.Former
	}
	if is {
		return queue
	}
	return ownQueue
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

// nextNanos is when settle has something to do; none: 0.
func (d *destinations) nextNanos() int64 {
	next := int64(0)
	for _, until := range d.leaving {
		if next == 0 || until < next {
			next = until
		}
	}
	return next
}
