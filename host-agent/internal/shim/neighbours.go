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

// NeighbourCounters are what an endpoint sent to others of its host, since it was added.
type NeighbourCounters struct {
	Packets, Bytes uint64
	// DroppedPackets of them exceeded its ceiling.
	DroppedPackets uint64
}

// Neighbours reads them.
func (s *Shim) Neighbours(endpoint int) NeighbourCounters {
	offered := s.Offered(endpoint, neighbours)
	return NeighbourCounters{
		Packets: offered.Packets, Bytes: offered.Bytes,
		DroppedPackets: atomic.LoadUint64(&s.groups.At(endpoint*groupSlots + neighbours).Bucket.DroppedPackets),
	}
}

// ownersChanged has the programs look up again who of this host has a pair's destination.
func (s *Shim) ownersChanged() { atomic.AddUint32(&s.state.At(0).OwnersEpoch, 1) }
