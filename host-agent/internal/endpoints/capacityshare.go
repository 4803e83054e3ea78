// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// inactiveNanos after its last packet the share of one that sends nothing is the others' (HyGenICC, Algorithm 1,
// line 14).
const inactiveNanos = int64(time.Second)

// capacityShare is HyGenICC's Capacity_Share: what an endpoint is due of the NIC, by weight among those that send.
type capacityShare struct {
	bitsPerSecond uint64 // 0: its law has none
	sentBytes     uint64 // to the network, when it was last read
	sentNanos     int64
}

// observe reports whether the endpoint sends.
func (s *capacityShare) observe(nowNanos int64, sentBytes uint64) bool {
	if sentBytes != s.sentBytes {
		s.sentBytes, s.sentNanos = sentBytes, nowNanos
	}
	return s.sentNanos != 0 && nowNanos-s.sentNanos < inactiveNanos
}

// ShareCapacity divides the NIC for a law that lets no endpoint have more than its share: HyGenICC's. Who is silent
// may begin with all of it, and is among the others from the next turn on.
func (t *Table) ShareCapacity(nowNanos int64) {
	if t.law != model.HyGenIcc {
		return
	}
	capacity, activeWeight := float64(t.host.Config.Uplink.CapacityBitsPerSecond()), 0.0
	isActive := t.active[:0]
	for _, e := range t.all {
		sent := t.host.Shim.Endpoint(e.index).SentBytes - t.host.Shim.Neighbours(e.index).Bytes
		active := e.capacityShare.observe(nowNanos, sent)
		isActive = append(isActive, active)
		if active {
			activeWeight += e.allowance.policy.Weight
		}
	}
	t.active = isActive
	for i, e := range t.all {
		share := capacity
		if isActive[i] {
			share *= e.allowance.policy.Weight / activeWeight
		}
		if whole := uint64(share); whole != e.capacityShare.bitsPerSecond {
			e.capacityShare.bitsPerSecond = whole
			e.Control.SetBounds(e.lawBounds())
		}
	}
}

// lawBounds are what its law may not leave: what no law may, and its share of the NIC, though never less than it is
// guaranteed.
func (e *Endpoint) lawBounds() model.Bounds {
	bounds := e.Bounds()
	if share := e.capacityShare.bitsPerSecond; share > 0 {
		bounds.CeilingBitsPerSecond = min(bounds.CeilingBitsPerSecond, max(share, bounds.GuaranteeBitsPerSecond))
	}
	return bounds
}
