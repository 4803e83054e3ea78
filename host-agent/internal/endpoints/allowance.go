// SPDX-License-Identifier: Apache-2.0

package endpoints

import "github.com/sluice-sdn/sluice/host-agent/internal/model"

// allowance is what an endpoint may send: by its policy, an operator, and the uplink.
type allowance struct {
	policy   model.EndpointPolicy
	override uint64 // the operator's limit; 0: none
	capacity uint64 // of the uplink
}

// ceiling is E: what it may send at most.
func (a *allowance) ceiling() uint64 {
	ceiling := a.capacity
	if a.policy.CeilingBitsPerSecond > 0 {
		ceiling = min(ceiling, a.policy.CeilingBitsPerSecond)
	}
	if a.override > 0 {
		ceiling = min(ceiling, a.override)
	}
	return ceiling
}

func (a *allowance) bounds() model.Bounds {
	ceiling := a.ceiling()
	return model.Bounds{
		CeilingBitsPerSecond:   ceiling,
		GuaranteeBitsPerSecond: min(a.policy.GuaranteeBitsPerSecond, ceiling),
		Weight:                 a.policy.Weight,
	}
}
