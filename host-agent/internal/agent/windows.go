// SPDX-License-Identifier: Apache-2.0

package agent

import "github.com/sluice-sdn/sluice/host-agent/internal/htb"

// clampWindows follows limits and flows: what a limited class's TCP flows are offered by their
// receivers is lowered to what its queue and those on its way are to hold. A class without a limit of
// its own is let alone.
func (e *endpoint) clampWindows(nowNanos int64) {
	for slot, g := range e.groups {
		var want htb.Window
		if g != nil && g.vacantSince == 0 && (slot > 0 || e.isCapped()) {
			want = htb.WindowOf(g.limit, e.agent.shim.BulkFlows(e.index, slot, nowNanos), e.agent.uplink.mtu, g.queueing)
		}
		if e.windows[slot].Near(want) {
			continue
		}
		e.windows[slot] = want
		e.agent.shim.SetWindow(e.index, slot, want)
	}
}

// isCapped says that the endpoint's ceiling is lower than the uplink.
func (e *endpoint) isCapped() bool {
	return e.ceiling() < e.agent.config.Uplink.CapacityBitsPerSecond()
}
