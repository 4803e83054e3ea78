// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// anIdleHost turns once, and then not for an hour unless something causes a turn.
func anIdleHost(t *testing.T, connect connector) *host {
	h := newHost(t, nil)
	h.pace = engine.Pace{Quiet: time.Hour, Idle: time.Hour}
	h.runWith(connect)
	testnet.Until(t, "the engine is idle", h.agent.loop.pacer.IsSlow)
	return h
}

func TestAFirstMarkSpeedsUpAnIdleLoop(t *testing.T) {
	t.Parallel()
	h := anIdleHost(t, nil)
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.far)
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	fed := func() model.Feedback {
		message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
		if err != nil {
			t.Fatal(err)
		}
		return message.Feedback
	}
	sender.Send(inward(peerIP, ownIP, testnet.CE))
	if got := fed(); got.Packets != 1 || got.CEPackets != 1 {
		t.Errorf("%+v, want the mark", got)
	}
	sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	if got := fed(); got.Packets != 2 {
		t.Errorf("%+v, want the packet after the mark", got)
	}
}

func TestAUnitShareSpeedsUpAnIdleLoop(t *testing.T) {
	t.Parallel()
	h := anIdleHost(t, nil)
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
}

func TestANoticeSpeedsUpAnIdleLoop(t *testing.T) {
	t.Parallel()
	h := anIdleHost(t, nil)
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc,
		ControlPeriodNanos: int64(5 * time.Millisecond), NoticesAlone: true})
	h.agent.decisions.ApplyNotices("node", []model.Notice{{Port: testPort, Interface: "vm0", Marks: 30,
		PeriodNanos: int64(5 * time.Millisecond), ShareBitsPerSecond: 10_000_000, CapacityBitsPerSecond: 50_000_000,
		Destinations: []netip.Addr{peerIP}}})
	testnet.Until(t, "the notice is followed", func() bool { _, ok := h.group(testPort); return ok })
}

// A port that the controller has not published for long limits nothing, but keeps its share: marks activate it.
func TestFeedbackWithMarksSpeedsUpAnIdleLoop(t *testing.T) {
	t.Parallel()
	h := anIdleHost(t, (&observer{t: t}).connect)
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	testnet.Until(t, "nobody renews it", func() bool { _, ok := h.group(testPort); return !ok })
	testnet.Until(t, "the engine is idle", h.agent.loop.pacer.IsSlow)
	far := newFarAgent(h)
	far.feedBack(1, 10, 0)
	far.feedBack(2, 20, 5)
	testnet.Until(t, "the share is in force again", func() bool { _, ok := h.group(testPort); return ok })
}
