// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"sync/atomic"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// LimitNeighbours holds what an endpoint sends to others of its host, and which of it is sparse; the
// zero values end that. A change holds from the next packet on.
func (s *Shim) LimitNeighbours(endpoint int, limit htb.Reserving, sparse htb.Sparse) {
	s.setReserving(endpoint, neighbours, limit)
	s.SetSparse(endpoint, neighbours, sparse)
}

// LimitResidual limits residual traffic, wherever it goes.
func (s *Shim) LimitResidual(endpoint int, residual htb.Residual) {
	s.setReserving(endpoint, Residual, residual.Reserving)
	s.SetSparse(endpoint, Residual, residual.Sparse)
}

func (s *Shim) setReserving(endpoint, group int, limit htb.Reserving) {
	ticks := func(length time.Duration) uint64 { return uint64(length.Nanoseconds()) * ticksPerNano }
	g := s.groups.At(endpoint*groupSlots + group)
	atomic.StoreUint64(&g.ReserveTicks, ticks(limit.Reserve))
	atomic.StoreUint64(&g.CreditTicks, ticks(limit.Credit-limit.Burst))
	atomic.StoreUint64(&g.Bucket.DepthTicks, ticks(limit.Credit+limit.Reserve))
	atomic.StoreUint64(&g.Bucket.ByteTicks, byteTicks(limit.BytesPerSecond))
}

// Residual are the counters of that.
func (s *Shim) Residual(endpoint int) BucketCounters { return s.bucketCounters(endpoint, Residual) }

// SetNeighbourWindow is SetWindow for flows to others of the host.
func (s *Shim) SetNeighbourWindow(endpoint int, window htb.Window) {
	s.SetWindow(endpoint, neighbours, window)
}

// BulkFlowsToNeighbours is BulkFlows for flows to others of the host.
func (s *Shim) BulkFlowsToNeighbours(endpoint int, nowNanos int64) int {
	return s.BulkFlows(endpoint, neighbours, nowNanos)
}

// BucketCounters are what an endpoint offered to a bucket with a reserve, since it was added.
type BucketCounters struct {
	Packets, Bytes uint64
	// Dropped of that found no token.
	DroppedPackets, DroppedBytes uint64
}

// Neighbours are those of what goes to others of the host.
func (s *Shim) Neighbours(endpoint int) BucketCounters { return s.bucketCounters(endpoint, neighbours) }

func (s *Shim) bucketCounters(endpoint, group int) BucketCounters {
	g := s.groups.At(endpoint*groupSlots + group)
	// What is dropped is offered first.
	packets, bytes := atomic.LoadUint64(&g.Bucket.DroppedPackets), atomic.LoadUint64(&g.DroppedBytes)
	offered := s.Offered(endpoint, group)
	return BucketCounters{offered.Packets, offered.Bytes, packets, bytes}
}

// ownersChanged has the programs look up again who of this host has a pair's destination.
func (s *Shim) ownersChanged() {
	atomic.AddUint32(&s.state.At(0).OwnersEpoch, 1)
	s.agentsChanged()
}
