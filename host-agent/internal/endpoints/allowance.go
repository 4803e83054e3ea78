// SPDX-License-Identifier: Apache-2.0

package endpoints

import "github.com/sluice-sdn/sluice/host-agent/internal/model"

// allowance is what an endpoint may send: by its policy, an operator, and the uplink.
type allowance struct {
	policy   model.EndpointPolicy
	override uint64 // the operator's limit; 0: none
	capacity uint64 // of the uplink
	// uplinkPart is what may leave by the uplink, beside what goes to others of the host; 0: all.
	uplinkPart uint64
}

// total is what it may send at most, wherever to; 0: whatever the devices carry.
func (a *allowance) total() uint64 {
	total := a.policy.CeilingBitsPerSecond
	if a.override > 0 && (total == 0 || a.override < total) {
		total = a.override
	}
	return total
}

// ceiling is what it may send by the uplink while it sends nothing to others of the host.
func (a *allowance) ceiling() uint64 {
	if total := a.total(); total > 0 {
		return min(a.capacity, total)
	}
	return a.capacity
}

// uplinkCeiling is E: what it may send by the uplink now.
func (a *allowance) uplinkCeiling() uint64 {
	if a.uplinkPart > 0 {
		return min(a.ceiling(), a.uplinkPart)
	}
	return a.ceiling()
}

func (a *allowance) bounds() model.Bounds {
	ceiling := a.uplinkCeiling()
	return model.Bounds{
		CeilingBitsPerSecond:   ceiling,
		GuaranteeBitsPerSecond: min(a.policy.GuaranteeBitsPerSecond, ceiling),
		Weight:                 a.policy.Weight,
	}
}
