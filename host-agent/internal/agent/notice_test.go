// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/notices"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A notice must end as the rate of a kernel class, with its destinations in that class, until
// another law takes over.
func TestNoticeLimitsItsDestinations(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	// T_i is a minute, so that recovery does not start within the test: 20,000 marks per s for it.
	one := []model.Notice{{
		Port: testPort, Interface: "vm0", Marks: 1.2e6, PeriodNanos: 60_000_000_000,
		ShareBitsPerSecond: 50_000_000, CapacityBitsPerSecond: 50_000_000,
		Destinations: []netip.Addr{peerIP},
	}}
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc})
	h.agent.decisions.ApplyNotices("node", one)
	testnet.Until(t, "the notice is in force", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 30_000_000
	})
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	testnet.Until(t, "the packet passed through the port's class", func() bool {
		g, _ := h.group(testPort)
		return g.SentPackets == 1
	})

	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.TwoTimeScale})
	testnet.Until(t, "the cut is forgotten with its law", func() bool {
		g, ok := h.group(testPort)
		return !ok || g.RateBitsPerSecond == 50_000_000
	})
}

var noticeKey = model.NoticeKey{ID: 7, Key: bytes.Repeat([]byte{0x0b}, 32)}

// inBandNotice is about testPort; like above, recovery does not start within the test.
func inBandNotice(sequence uint64) testnet.Notice {
	return testnet.Notice{
		Source: peerIP, Destination: ownIP, KeyID: noticeKey.ID, Key: noticeKey.Key,
		PortNumber: 5, Datapath: 1, PeriodMicros: 60_000_000, Sequence: sequence, Term: 3, Marks: 1.2e6,
		Share: 50_000_000, Capacity: 50_000_000, Destinations: []netip.Addr{peerIP},
	}
}

// expectNotices sets how notices may come and waits until the agent has that, and the key.
func (h *host) expectNotices(transport model.NoticeTransport) {
	h.t.Helper()
	h.agent.decisions.ApplySettings("node", model.HostSettings{
		Enforcement: true, Law: model.SdnGcc, ControlPeriodNanos: 60_000_000_000, NoticeTransport: transport,
	})
	h.agent.decisions.ApplyNoticeKey("node", noticeKey)
	testnet.Until(h.t, "the agent has how notices come", func() bool {
		return h.status().Notices.Transport == notices.TransportName(transport)
	})
}

// A signed notice in band ends where one by the link does, and the VM never sees it.
func TestNoticeInBandLimitsItsDestinations(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	vm := testnet.NewCapture(t, h.vm)
	h.expectNotices(model.NoticesInBandV1)
	far := testnet.NewSender(t, h.far)
	far.Send(inBandNotice(1).Build(testProtocol))
	testnet.Until(t, "the notice is in force", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 30_000_000
	})
	if s := h.status().Notices; s.InBand != 1 || s.ByLink != 0 || s.Refused != (notices.Refused{}) {
		t.Errorf("%+v", s)
	}

	foreign, forged, stale := inBandNotice(2), inBandNotice(3), inBandNotice(4)
	foreign.Destination = peerIP
	foreign.Source = ownIP
	forged.Key = bytes.Repeat([]byte{1}, 32)
	stale.Term = 2
	unknown := inBandNotice(5)
	unknown.KeyID++
	for _, bad := range []testnet.Notice{inBandNotice(1), foreign, forged, stale, unknown} {
		far.Send(bad.Build(testProtocol))
	}
	far.Send(testnet.InBand(peerIP, ownIP, testProtocol, []byte{0xff, 0xff}))
	short := inBandNotice(6).Message(testProtocol)
	far.Send(testnet.InBand(peerIP, ownIP, testProtocol, short[:len(short)-1]))
	want := notices.Refused{Malformed: 1, UnexpectedTransport: 1, UnknownKey: 1, Forged: 1, Replayed: 1, Stale: 1, Foreign: 1}
	testnet.Until(t, "each is refused for its reason", func() bool { return h.status().Notices.Refused == want })
	if s := h.status(); s.Notices.InBand != 1 || s.Feedback.Refused != 0 {
		t.Errorf("notices %+v, feedback %+v", s.Notices, s.Feedback)
	}
	if g, _ := h.group(testPort); g.RateBitsPerSecond != 30_000_000 {
		t.Errorf("a refused notice moved the limit to %d", g.RateBitsPerSecond)
	}

	h.agent.decisions.LeaseExpired("node")
	far.Send(inBandNotice(7).Build(testProtocol))
	testnet.Until(t, "the key is void with the lease", func() bool { return h.status().Notices.Refused.UnknownKey == 2 })
	if frames := vm.Waiting(testnet.IPProtocol(testProtocol)); len(frames) != 0 {
		t.Errorf("%d notices reached the VM", len(frames))
	}
}

// Where notices come by the link, whatever comes in band is dropped, however well signed.
func TestNoticesInBandAreRefusedWhereTheyComeByTheLink(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.expectNotices(model.NoticesByLink)
	testnet.NewSender(t, h.far).Send(inBandNotice(1).Build(testProtocol))
	testnet.Until(t, "it is refused", func() bool { return h.status().Notices.Refused.UnexpectedTransport == 1 })
	if _, ok := h.group(testPort); ok {
		t.Error("it limits")
	}
}

// SDN-GCC's own notice names neither port nor period: all that the endpoint sends obeys it, with the
// NIC's capacity and the agent's T_i.
func TestSdnGccsNoticeLimitsTheEndpoint(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.expectNotices(model.NoticesInBandSdnGcc)
	other := netip.MustParseAddr("10.0.0.77")
	vm := testnet.NewSender(t, h.vm)
	vm.Send(outward(ownIP, other, testnet.NotECT))
	testnet.Until(t, "the other destination is known", func() bool { return len(h.status().Pairs) > 0 })
	vm.Send(outward(ownIP, other, testnet.NotECT))
	// 60,000 marks in a minute: 1000 per second, at 1000 bit each.
	testnet.NewSender(t, h.far).Send(testnet.InBand(peerIP, ownIP, testProtocol, []byte{60_000 >> 8, 60_000 & 0xff}))
	testnet.Until(t, "the notice is in force", func() bool {
		g, ok := h.group(notices.UnnamedPort)
		return ok && g.RateBitsPerSecond == 49_000_000
	})
	for _, destination := range []netip.Addr{peerIP, other} {
		before, _ := h.group(notices.UnnamedPort)
		vm.Send(outward(ownIP, destination, testnet.NotECT))
		testnet.Until(t, "a packet passed through the endpoint's class", func() bool {
			g, _ := h.group(notices.UnnamedPort)
			return g.SentPackets > before.SentPackets
		})
	}
}
