// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A notice must end as the rate of a kernel class, with its destinations in that class, until
// another law takes over.
func TestNoticeLimitsItsDestinations(t *testing.T) {
	h := newHost(t, nil).run()
	// T_i is a minute, so that recovery does not start within the test: 20,000 marks per s for it.
	notices := []model.Notice{{
		Port: testPort, Interface: "vm0", Marks: 1.2e6, PeriodNanos: 60_000_000_000,
		ShareBitsPerSecond: 50_000_000, CapacityBitsPerSecond: 50_000_000,
		Destinations: []netip.Addr{peerIP},
	}}
	h.agent.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc})
	h.agent.ApplyNotices("node", notices)
	testnet.Until(t, "the notice is in force", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 30_000_000
	})
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	testnet.Until(t, "the packet passed through the port's class", func() bool {
		g, _ := h.group(testPort)
		return g.SentPackets == 1
	})

	h.agent.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.TwoTimeScale})
	testnet.Until(t, "the cut is forgotten with its law", func() bool {
		g, ok := h.group(testPort)
		return !ok || g.RateBitsPerSecond == 50_000_000
	})
}
