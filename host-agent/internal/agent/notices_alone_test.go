// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// With notices alone the agent reports nothing to other agents, turns once per T_i, and its law follows
// the notices.
func TestNoticesAlone(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.TwoTimeScale,
		ControlPeriodNanos: int64(7 * time.Millisecond), NoticesAlone: true})
	h.share(10_000_000, 5, peerIP, otherIP)
	testnet.Until(t, "the settings and the share are in force", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond > 0 && h.status().TauMicros == 7000
	})
	sender := testnet.NewSender(t, h.far)
	for range 20 {
		sender.Send(inward(peerIP, ownIP, testnet.CE))
	}
	testnet.Until(t, "the marked packets have arrived", func() bool {
		pairs := h.status().Pairs
		return len(pairs) == 1 && pairs[0].CEPackets == 20
	})
	testnet.Until(t, "the limit falls by gamma F, below what it started at and the share", func() bool {
		h.agent.decisions.ApplyNotices("node", []model.Notice{{Port: testPort, Interface: "vm0", Marks: 30, Packets: 30,
			PeriodNanos: int64(7 * time.Millisecond), ShareBitsPerSecond: 10_000_000, CapacityBitsPerSecond: 50_000_000,
			Destinations: []netip.Addr{peerIP}}})
		g, _ := h.group(testPort)
		return g.RateBitsPerSecond <= 8_000_000 && g.CEShare == 1
	})
	testnet.NewSender(t, h.vm).Send(outward(ownIP, otherIP, testnet.NotECT))
	testnet.Until(t, "what the notices did not name stays behind the port", func() bool {
		g, _ := h.group(testPort)
		return g.SentPackets == 1
	})
	if sent := h.status().Feedback.Sent; sent != 0 {
		t.Errorf("%d messages to other agents, want none", sent)
	}
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.TwoTimeScale,
		ControlPeriodNanos: int64(7 * time.Millisecond)})
	sender.Send(inward(peerIP, ownIP, testnet.CE))
	testnet.Until(t, "feedback is sent again, every configured tau", func() bool {
		s := h.status()
		return s.Feedback.Sent > 0 && s.TauMicros == 2500
	})
}
