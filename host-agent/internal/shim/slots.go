// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/cilium/ebpf"
)

// retirementNanos is how long a slot is unused between its entry's removal and its reuse: far longer than
// any program runs, so that none still holds it.
const retirementNanos = 1_000_000_000

// slotsAhead are read behind the last one used: CPUs may take slots out of order.
const slotsAhead = 8

// slots is the agent's side of a table in whose slots programs enter what they see. They take slots
// from a stack, and find them again by a hash; only the agent gives them back.
type slots struct {
	entry string // what a slot holds, for errors
	count int
	used  func(slot int) *uint32 // lies in the table
	free  *ebpf.Map
	index *ebpf.Map
	// holder is whose quota an entry is of.
	holder func(slot int) holding
	quotas *quotas
	// fresh is the first slot behind all that have been used.
	fresh   int
	retired map[int]retirement
	// shuffled: some were given back, so that they are not taken in order any more.
	shuffled bool
}

// retirement is when a slot's entry was removed, and whose it was.
type retirement struct {
	nanos int64
	holding
}

// fill hands all slots out. Pushed downwards, they are taken from 0 upwards.
func (s *slots) fill() error {
	for slot := uint32(s.count); slot > 0; slot-- {
		if err := s.free.Update(nil, slot-1, ebpf.UpdateAny); err != nil {
			return fmt.Errorf("fill free slots of %ss: %w", s.entry, err)
		}
	}
	return nil
}

func (s *slots) isUsed(slot int) bool { return atomic.LoadUint32(s.used(slot)) != 0 }

// all yields the slots in use.
func (s *slots) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for slot := s.fresh; slot < min(s.fresh+slotsAhead, s.count); slot++ {
			if s.isUsed(slot) {
				s.fresh = slot + 1
			}
		}
		for slot := range s.fresh {
			if s.isUsed(slot) && !yield(slot) {
				return
			}
		}
	}
}

// retire forgets an entry by its key. At once, since flows that keep its slot check that.
func (s *slots) retire(slot int, key any, nowNanos int64) error {
	atomic.StoreUint32(s.used(slot), 0)
	r := retirement{nowNanos, s.holder(slot)}
	s.quotas.leave(&r.holding)
	s.retired[slot] = r
	if err := s.index.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("retire %s: %w", s.entry, err)
	}
	return nil
}

// recycle hands slots that were retired long enough ago back to the programs, cleared.
func (s *slots) recycle(nowNanos int64, clear func(slot int)) error {
	for slot, r := range s.retired {
		if nowNanos-r.nanos < retirementNanos {
			continue
		}
		clear(slot)
		s.shuffled = true
		delete(s.retired, slot)
		s.quotas.release(r.holding)
		if err := s.free.Update(nil, uint32(slot), ebpf.UpdateAny); err != nil {
			return fmt.Errorf("recycle %s: %w", s.entry, err)
		}
	}
	return nil
}
