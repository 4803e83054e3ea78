// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"iter"
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func nativeWord(b []byte) uint32           { return binary.NativeEndian.Uint32(b) }
func putNativeWord(b []byte, value uint32) { binary.NativeEndian.PutUint32(b, value) }

// Totals are the shim's own counters since it was loaded.
type Totals struct {
	LostEvents       uint64 `json:"lostEvents"`
	UnknownPairs     uint64 `json:"unknownPairs"`
	ControlPackets   uint64 `json:"controlPackets"`
	MalformedPackets uint64 `json:"malformedPackets"`
	// UnwatchedConnections found no slot: they go unreported and without grants.
	UnwatchedConnections uint64 `json:"unwatchedConnections"`
	// HeldHandshakes are SYN-ACKs that waited for a controller's decision.
	HeldHandshakes uint64 `json:"heldHandshakes"`
	// HeldPackets came from interfaces, or in VLANs, that have no endpoint: they are dropped while limits are enforced.
	HeldPackets uint64 `json:"heldPackets"`
}

// Totals reads them.
func (s *Shim) Totals() Totals {
	state := s.state.At(0)
	return Totals{
		LostEvents:       atomic.LoadUint64(&state.LostEvents),
		UnknownPairs:     atomic.LoadUint64(&state.UnknownPairs),
		ControlPackets:   atomic.LoadUint64(&state.ControlPackets),
		MalformedPackets: atomic.LoadUint64(&state.MalformedPackets),

		UnwatchedConnections: atomic.LoadUint64(&state.UnwatchedConnections),
		HeldHandshakes:       atomic.LoadUint64(&state.HeldHandshakes),
		HeldPackets:          atomic.LoadUint64(&state.HeldPackets),
	}
}

// EndpointCounters are one endpoint's counters since the shim was loaded.
type EndpointCounters struct {
	SentPackets       uint64
	SentBytes         uint64
	ReceivedPackets   uint64
	ReceivedBytes     uint64
	CEPackets         uint64
	SpoofedPackets    uint64
	RoguePackets      uint64
	ForgedCE          uint64
	ForgedReserved    uint64
	ForgedControl     uint64
	LargestFrameBytes uint64
	// Clamped had their window lowered; Unclamped should have had, but its scale is not known, since
	// the connection's beginning was not seen, or the path is too long.
	ClampedPackets   uint64
	UnclampedPackets uint64
	// LoweredOffers are packets that it sent whose window was lowered.
	LoweredOffers uint64
	// RefusedConnections are SYNs to where RefuseConnections has none begin.
	RefusedConnections uint64
}

// Endpoint reads an endpoint's counters.
func (s *Shim) Endpoint(index int) EndpointCounters {
	e := s.endpoints.At(index)
	return EndpointCounters{
		SentPackets:       atomic.LoadUint64(&e.SentPackets),
		SentBytes:         atomic.LoadUint64(&e.SentBytes),
		ReceivedPackets:   atomic.LoadUint64(&e.ReceivedPackets),
		ReceivedBytes:     atomic.LoadUint64(&e.ReceivedBytes),
		CEPackets:         atomic.LoadUint64(&e.CePackets),
		SpoofedPackets:    atomic.LoadUint64(&e.SpoofedPackets),
		RoguePackets:      atomic.LoadUint64(&e.RoguePackets),
		ForgedCE:          atomic.LoadUint64(&e.ForgedCe),
		ForgedReserved:    atomic.LoadUint64(&e.ForgedReserved),
		ForgedControl:     atomic.LoadUint64(&e.ForgedControl),
		LargestFrameBytes: atomic.LoadUint64(&e.LargestFrame),
		ClampedPackets:    atomic.LoadUint64(&e.ClampedPackets),
		UnclampedPackets:  atomic.LoadUint64(&e.UnclampedPackets),
		LoweredOffers:     atomic.LoadUint64(&e.LoweredOffers),

		RefusedConnections: atomic.LoadUint64(&e.RefusedConnections),
	}
}

// GroupOffered is what an endpoint offered to a group, before its queue.
type GroupOffered struct {
	Packets     uint64
	Bytes       uint64
	SparseBytes uint64
}

// Offered reads a group's counters.
func (s *Shim) Offered(endpoint, group int) GroupOffered {
	g := s.groups.At(endpoint*groupSlots + group)
	return GroupOffered{
		Packets:     atomic.LoadUint64(&g.OfferedPackets),
		Bytes:       atomic.LoadUint64(&g.OfferedBytes),
		SparseBytes: atomic.LoadUint64(&g.OfferedSparseBytes),
	}
}

// PairCounters are one pair's counters since its first packet.
type PairCounters struct {
	Slot            int
	Endpoint        int // local endpoint's index
	Group           int
	Outward         bool
	Inward          bool
	From            ReturnPath // of an inward pair's frames
	SentPackets     uint64
	SentBytes       uint64
	ReceivedPackets uint64
	ReceivedBytes   uint64
	CEPackets       uint64
	// PhantomCEPackets came without CE and found more than the threshold in a phantom queue here.
	PhantomCEPackets uint64
	// WaitingMarks arrived marked and have not gone back, where marks are reflected.
	WaitingMarks int64
	// ReflectedMarks of the opposite direction came back in reserved bits.
	ReflectedMarks    uint64
	LastSentNanos     int64
	LastReceivedNanos int64
	// RefusesConnections: none begins in this direction.
	RefusesConnections bool
}

// MarkedPackets are those that are reported to the sending agent as marked.
func (p *PairCounters) MarkedPackets() uint64 { return p.CEPackets + p.PhantomCEPackets }

// Pairs yields the counters of every pair. Address reads a pair's addresses, which are constant
// while it lives.
func (s *Shim) Pairs() iter.Seq[PairCounters] {
	return func(yield func(PairCounters) bool) {
		for slot := range s.pairSlots.all() {
			p := s.pairs.At(slot)
			ce, phantom := atomic.LoadUint64(&p.CePackets), atomic.LoadUint64(&p.PhantomCePackets)
			counters := PairCounters{
				Slot:              slot,
				Endpoint:          int(p.Endpoint),
				Group:             int(p.Group),
				Outward:           p.Outward != 0,
				Inward:            p.Inward != 0,
				From:              ReturnPath{p.SourceMac, p.VlanId, int(p.IngressIfindex)},
				SentPackets:       atomic.LoadUint64(&p.SentPackets),
				SentBytes:         atomic.LoadUint64(&p.SentBytes),
				ReceivedPackets:   atomic.LoadUint64(&p.UnmarkedPackets) + ce + phantom,
				ReceivedBytes:     atomic.LoadUint64(&p.ReceivedBytes),
				CEPackets:         ce,
				PhantomCEPackets:  phantom,
				WaitingMarks:      atomic.LoadInt64(&p.WaitingMarks),
				ReflectedMarks:    atomic.LoadUint64(&p.ReflectedMarks),
				LastSentNanos:     int64(atomic.LoadUint64(&p.LastSentNanos)),
				LastReceivedNanos: int64(atomic.LoadUint64(&p.LastReceivedNanos)),

				RefusesConnections: p.RefusesConnections != 0,
			}
			if !yield(counters) {
				return
			}
		}
	}
}

// TakeMarks takes marks that wait in a pair's slot off the programs, so that they go back in a message.
func (s *Shim) TakeMarks(slot int) uint64 {
	waiting := &s.pairs.At(slot).WaitingMarks
	for {
		marks := atomic.LoadInt64(waiting)
		if marks <= 0 { // below 0 while a program finds that there are none left
			return 0
		}
		if atomic.CompareAndSwapInt64(waiting, marks, 0) {
			return uint64(marks)
		}
	}
}

// Address reads the addresses of the pair in a slot.
func (s *Shim) Address(slot int) model.Pair {
	key := s.pairs.At(slot).Key
	return model.Pair{Source: fromAddress(key.Source), Destination: fromAddress(key.Destination)}
}

// Retire forgets a pair; its slot is reused by a later Recycle.
func (s *Shim) Retire(slot int, nowNanos int64) error {
	return s.pairSlots.retire(slot, s.pairs.At(slot).Key, nowNanos)
}

// Recycle hands the slots of pairs retired long enough ago back to the programs.
func (s *Shim) Recycle(nowNanos int64) error {
	return s.pairSlots.recycle(nowNanos, func(slot int) { *s.pairs.At(slot) = bpfPair{} })
}
