// SPDX-License-Identifier: Apache-2.0

package port

import (
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// CapCounters are what became of caps.
type CapCounters struct {
	// ExpiredCaps ended without renewal.
	ExpiredCaps uint64 `json:"expiredCaps"`
	// RefusedCaps were for queues that are not there.
	RefusedCaps uint64 `json:"refusedCaps"`
}

// setCap begins, renews, changes or ends a cap.
func (b *background) setCap(c model.RateCap, receivedNanos int64) error {
	number := b.numberOf(c)
	if number < 0 {
		b.counters.RefusedCaps++
		return nil
	}
	if c.BitsPerSecond == 0 {
		return b.uncap(number)
	}
	q, until := b.queues[number], receivedNanos+c.HoldNanos
	if rate := b.port.queue.CapBitsPerSecond(c.BitsPerSecond); rate != q.capBitsPerSecond {
		if err := b.port.change(func(q *htb.Queue) error { return q.CapBackground(number, rate) }); err != nil {
			return err
		}
		q.capBitsPerSecond = rate
	}
	q.capUntilNanos = until
	atomic.StoreUint64(&b.port.state.At(0).Background[number].CappedUntilNanos, uint64(until))
	return nil
}

// numberOf is that of a queue of the set; -1: there is none.
func (b *background) numberOf(c model.RateCap) int {
	for number, q := range b.queues {
		if q != nil && !q.leaves && q.downstream == c.Downstream && string(c.Port) == b.port.config.Port {
			return number
		}
	}
	return -1
}

func (b *background) uncap(number int) error {
	q := b.queues[number]
	if q.capBitsPerSecond == 0 {
		return nil
	}
	if err := b.port.change(func(q *htb.Queue) error { return q.UncapBackground(number) }); err != nil {
		return err
	}
	q.capBitsPerSecond, q.capUntilNanos = 0, 0
	atomic.StoreUint64(&b.port.state.At(0).Background[number].CappedUntilNanos, 0)
	return nil
}

func (b *background) expireCaps(nowNanos int64) {
	for number, q := range b.queues {
		if q == nil || q.capBitsPerSecond == 0 || q.capUntilNanos > nowNanos {
			continue
		}
		if err := b.uncap(number); err != nil {
			q.capUntilNanos = nowNanos + retryNanos
			b.failed(nowNanos, err)
			continue
		}
		b.counters.ExpiredCaps++
	}
}
