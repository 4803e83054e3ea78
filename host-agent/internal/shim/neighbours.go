// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"sync/atomic"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// LimitNeighbours holds what an endpoint sends to others of its host, and says what is sparse among it; the
// zero values end that. A change holds from the next packet on.
func (s *Shim) LimitNeighbours(endpoint int, limit htb.Neighbours, sparse htb.Sparse) {
	ticks := func(length time.Duration) uint64 { return uint64(length.Nanoseconds()) * ticksPerNano }
	g := s.groups.At(endpoint*groupSlots + neighbours)
	atomic.StoreUint64(&g.ReserveTicks, ticks(limit.Reserve))
	atomic.StoreUint64(&g.CreditTicks, ticks(limit.Credit-limit.Burst))
	atomic.StoreUint64(&g.Bucket.DepthTicks, ticks(limit.Credit+limit.Reserve))
	atomic.StoreUint64(&g.Bucket.ByteTicks, byteTicks(limit.BytesPerSecond))
	s.SetSparse(endpoint, neighbours, sparse)
}

// SetNeighbourWindow is SetWindow for flows to others of the host.
func (s *Shim) SetNeighbourWindow(endpoint int, window htb.Window) {
	s.SetWindow(endpoint, neighbours, window)
}

// BulkFlowsToNeighbours is BulkFlows for flows to others of the host.
func (s *Shim) BulkFlowsToNeighbours(endpoint int, nowNanos int64) int {
	return s.BulkFlows(endpoint, neighbours, nowNanos)
}

// NeighbourCounters are what an endpoint offered to others of its host, since it was added.
type NeighbourCounters struct {
	Packets, Bytes uint64
	// Dropped of that exceeded its ceiling.
	DroppedPackets, DroppedBytes uint64
}

// Neighbours reads them.
func (s *Shim) Neighbours(endpoint int) NeighbourCounters {
	g := s.groups.At(endpoint*groupSlots + neighbours)
	// What is dropped is offered first.
	packets, bytes := atomic.LoadUint64(&g.Bucket.DroppedPackets), atomic.LoadUint64(&g.DroppedBytes)
	offered := s.Offered(endpoint, neighbours)
	return NeighbourCounters{offered.Packets, offered.Bytes, packets, bytes}
}

// ownersChanged has the programs look up again who of this host has a pair's destination.
func (s *Shim) ownersChanged() { atomic.AddUint32(&s.state.At(0).OwnersEpoch, 1) }
