// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// policed says that limits are held by dropping, in the shim's buckets. The classes are there as
// well then, but only share the uplink's capacity out.
func (e *endpoint) policed() bool { return e.agent.config.Limiter == config.LimiterPolice }

// classRate is what the class behind a limit may carry.
func (e *endpoint) classRate(limitBitsPerSecond uint64) uint64 {
	if e.policed() {
		return e.agent.config.Uplink.CapacityBitsPerSecond()
	}
	return limitBitsPerSecond
}

func (e *endpoint) police(limitBitsPerSecond uint64) htb.Police {
	return htb.PoliceOf(limitBitsPerSecond, e.agent.uplink.mtu, e.largestFrame)
}

// limitAll holds everything that the endpoint sends to a ceiling.
func (e *endpoint) limitAll(ceilingBitsPerSecond uint64) error {
	if e.policed() {
		e.agent.shim.PoliceEndpoint(e.index, e.police(ceilingBitsPerSecond))
		return nil
	}
	return e.agent.tree.SetEndpoint(e.index, ceilingBitsPerSecond)
}
