// SPDX-License-Identifier: Apache-2.0

package endpoints

import "github.com/sluice-sdn/sluice/host-agent/internal/htb"

// fitWindows follows limits and flows: what a limited class's TCP flows are offered by their receivers is
// lowered to what its queue and the path are to hold. A class without a limit of its own is left alone.
func (c *classes) fitWindows(nowNanos int64, ceiling uint64) {
	for slot, g := range c.groups {
		var want htb.Window
		if g != nil && g.vacantSince == 0 && (slot > 0 || ceiling < c.limiter.capacity) {
			want = htb.WindowOf(g.limit, c.host.Shim.BulkFlows(c.index, slot, nowNanos), c.limiter.mtu, c.decided(slot).Queueing)
		}
		if c.windows[slot].Near(want) {
			continue
		}
		c.windows[slot] = want
		c.host.Shim.SetWindow(c.index, slot, want)
	}
}
