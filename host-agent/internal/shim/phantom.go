// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// FrameBytes is the longest Ethernet frame without a tag, of which thresholds count.
	FrameBytes = 1514
	// drainedPercent of a receive ceiling is what its phantom queue is drained at: marks begin before the
	// ceiling is reached.
	drainedPercent = 98
	// leastBytesPerSecond: a super-packet at a lower rate would last longer than ticks can count.
	leastBytesPerSecond = 1000
)

// Phantom is how a phantom queue is drained, and what it counts as a mark. The zero value: there is none.
type Phantom struct {
	BytesPerSecond uint64
	// ThresholdBytes: a packet that finds more than that before it is over the threshold.
	ThresholdBytes uint64
}

// PhantomOf is the phantom queue of a receive ceiling: its threshold is that of a port of such a capacity. A
// ceiling of 0 has none.
func PhantomOf(ceilingBitsPerSecond uint64) Phantom {
	if ceilingBitsPerSecond == 0 {
		return Phantom{}
	}
	drained := ceilingBitsPerSecond / 100 * drainedPercent
	return Phantom{
		BytesPerSecond: max(drained/8, leastBytesPerSecond),
		ThresholdBytes: uint64(model.ThresholdPackets(drained)) * FrameBytes,
	}
}

// PhantomCounters are what came to a phantom queue since the programs were loaded, or its endpoint added.
type PhantomCounters struct {
	ArrivedPackets uint64
	ArrivedBytes   uint64
	// OverThresholdPackets found more than the threshold.
	OverThresholdPackets uint64
	// BacklogBytes would stand in it now.
	BacklogBytes uint64
}

// SetEndpointPhantom sets the phantom queue of what the network brings an endpoint.
func (s *Shim) SetEndpointPhantom(endpoint int, phantom Phantom) {
	setPhantom(&s.endpoints.At(endpoint).Arrivals, phantom)
}

// SetUplinkPhantom sets the phantom queue of all that the uplink brings.
func (s *Shim) SetUplinkPhantom(phantom Phantom) { setPhantom(&s.state.At(0).Arrivals, phantom) }

// EndpointPhantom reads what came to an endpoint's phantom queue.
func (s *Shim) EndpointPhantom(endpoint int, nowNanos int64) PhantomCounters {
	return phantomCounters(&s.endpoints.At(endpoint).Arrivals, nowNanos)
}

// UplinkPhantom reads what came to the uplink's phantom queue.
func (s *Shim) UplinkPhantom(nowNanos int64) PhantomCounters {
	return phantomCounters(&s.state.At(0).Arrivals, nowNanos)
}

func setPhantom(queue *bpfPhantom, phantom Phantom) {
	perByte := byteTicks(phantom.BytesPerSecond)
	atomic.StoreUint64(&queue.ThresholdTicks, phantom.ThresholdBytes*perByte>>byteTicksShift)
	atomic.StoreUint64(&queue.ByteTicks, perByte)
}

func phantomCounters(queue *bpfPhantom, nowNanos int64) PhantomCounters {
	counters := PhantomCounters{
		ArrivedPackets:       atomic.LoadUint64(&queue.ArrivedPackets),
		ArrivedBytes:         atomic.LoadUint64(&queue.ArrivedBytes),
		OverThresholdPackets: atomic.LoadUint64(&queue.OverThresholdPackets),
	}
	perByte := atomic.LoadUint64(&queue.ByteTicks)
	empty, now := atomic.LoadUint64(&queue.EmptyTicks), uint64(nowNanos)*ticksPerNano
	if perByte > 0 && empty > now {
		counters.BacklogBytes = uint64(float64(empty-now) * (1 << byteTicksShift) / float64(perByte))
	}
	return counters
}
