// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

var group4 = netip.MustParseAddr("239.1.2.3")

// toGroup is a datagram of the VM's to a group; unicastIP: only its MAC is a group's.
func toGroup(unicastIP bool) []byte {
	destination := group4
	if unicastIP {
		destination = peerIP
	}
	frame := outward(ownIP, destination, testnet.NotECT)
	copy(frame, []byte{1, 0, 0x5e, 1, 2, 3})
	return frame
}

// expectResidual waits until what is sent is dropped as residual, of which so much may leave: that a bucket passes its
// rate is a test of the shim's.
func (h *host) expectResidual(what string, bitsPerSecond uint64) {
	h.t.Helper()
	before := h.status().Endpoints[0].Residual.DroppedPackets
	testnet.Until(h.t, what, func() bool {
		e := h.status().Endpoints[0]
		r := e.Residual
		return r.RateBitsPerSecond == bitsPerSecond && r.SentPackets > 0 && r.DroppedPackets > before+1000 && e.DroppedPackets >= r.DroppedPackets
	})
}

// Residual traffic leaves at a percent of the ceiling, and at 1 Mbit/s at least.
func TestResidualTrafficIsLimited(t *testing.T) {
	t.Parallel()
	for name, limiter := range map[string]string{"shape": config.LimiterShape, "police": config.LimiterPolice} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, func(c *config.Host) { c.Limiter = limiter; c.Uplink.CapacityMbps = 400 }).run()
			stop := flood(t, h.vm, toGroup(true))
			h.expectResidual("unicast to a group's MAC, of 400 Mbit/s", 4_000_000)
			stop()
			h.limit("vm0", 20_000_000)
			flood(t, h.vm, toGroup(false))
			h.expectResidual("multicast, of 20 Mbit/s", 1_000_000)
			// The VM is an idle one otherwise, and nothing is congested: it must be found all the same.
			capture := testnet.NewCapture(t, h.far)
			sender := testnet.NewSender(t, h.vm)
			for range 5 {
				sender.Send(testnet.ARP(testnet.VMMAC, ownIP, peerIP))
				capture.Next(eventually, func(frame []byte) bool { return frame[12] == 8 && frame[13] == 6 })
			}
		})
	}
}

// Bridges flood what goes to groups, to the host's other VMs as well: no queue is on that way.
func TestResidualTrafficIsLimitedTowardsTheHostsOthers(t *testing.T) {
	h := newHost(t, nil)
	second := h.addPort("second", "vm1")
	h.run()
	flood(t, h.vm, toGroup(false))
	testnet.Until(t, "it is dropped", func() bool { return h.status().Endpoints[0].Residual.DroppedPackets > 1000 })
	if rate := arriving(t, second.Attrs().Name, time.Second); rate > 1.1e6 || rate < 0.5e6 {
		t.Errorf("%.2f Mbit/s arrive at another VM, want 1", rate/1e6)
	}
}
