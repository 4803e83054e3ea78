// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// aTrickle is a ceiling whose queue has room for four packets and hardly drains while a test runs.
const aTrickle = 100_000

// sum adds up what was reported of a port.
func (o *observer) sum(port model.Port) (sum model.PortQueueSample) {
	o.mu.Lock()
	defer o.mu.Unlock()
	sum.Port = port
	for _, sample := range o.queues {
		if sample.Port == port {
			sum.Add(sample)
		}
	}
	return sum
}

func (h *host) setReceiveCeiling(bitsPerSecond uint64) {
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{{
		Interface: "vm0", Tenant: "gold", Weight: 1, ReceiveCeilingBitsPerSecond: bitsPerSecond,
	}})
	testnet.Until(h.t, "the ceiling is in force", func() bool {
		return h.status().Endpoints[0].ReceiveCeilingBitsPerSecond == bitsPerSecond
	})
}

// What exceeds a receive ceiling is reported to the sending agent as marked, and to controllers as marks of
// the endpoint's own port; as the network's marks it is not.
func TestReceiveCeilings(t *testing.T) {
	t.Parallel()
	controllers := &observer{t: t}
	h := newHost(t, nil).runWith(controllers.connect)
	h.setReceiveCeiling(aTrickle)
	capture, sender, vm := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far), testnet.NewCapture(t, h.vm)
	const packets = 60
	for range packets {
		sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	}
	var pair = func() uint64 { return h.status().Pairs[0].PhantomCEPackets }
	testnet.Until(t, "all have arrived", func() bool {
		pairs := h.status().Pairs
		return len(pairs) == 1 && pairs[0].ReceivedPackets == packets
	})
	over := pair()
	// Four packets of the longest kind have room for seven of these, an eighth finds no more than that.
	if over < packets/2 || over > packets-7 {
		t.Errorf("%d of %d packets exceed the ceiling", over, packets)
	}
	port := model.Port("host:h1/vm0")
	testnet.Until(t, "controllers have it all", func() bool {
		sum := controllers.sum(port)
		return sum.SentPackets == packets && sum.OverThresholdPackets == over && sum.MarkedPackets == 0
	})
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	testnet.Until(t, "the sending agent has it all", func() bool {
		feedback := nextOf(t, capture, decoder, wire.KindFeedback).Feedback
		return feedback.Packets == packets && feedback.CEPackets == over
	})
	for range packets {
		if frame := vm.Next(eventually, testnet.IPProtocol(testnet.UDP)); testnet.ECNOf(frame) == testnet.CE {
			t.Fatal("the VM sees a mark")
		}
	}
	status := h.status().Endpoints[0]
	if status.RxCEPackets != 0 || status.RxOverCeilingPackets != over {
		t.Errorf("status: %d with CE, %d over the ceiling, want 0 and %d", status.RxCEPackets, status.RxOverCeilingPackets, over)
	}

	h.setReceiveCeiling(0)
	for range packets {
		sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	}
	testnet.Until(t, "more have arrived", func() bool { return h.status().Pairs[0].ReceivedPackets == 2*packets })
	if pair() != over {
		t.Errorf("%d packets exceed no ceiling", pair()-over)
	}
}

func TestReceiveCeilingOfTheUplink(t *testing.T) {
	t.Parallel()
	controllers := &observer{t: t}
	h := newHost(t, func(c *config.Host) { c.Uplink.ReceiveCeilingMbps = 0.1 }).runWith(controllers.connect)
	sender := testnet.NewSender(t, h.far)
	const packets = 40
	for range packets {
		sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	}
	testnet.Until(t, "controllers have it all", func() bool {
		sum, pairs := controllers.sum("host:h1/up0"), h.status().Pairs
		return sum.SentPackets >= packets && len(pairs) == 1 && pairs[0].ReceivedPackets == packets &&
			pairs[0].PhantomCEPackets > 0 && sum.OverThresholdPackets >= pairs[0].PhantomCEPackets
	})
	if sum := controllers.sum("host:h1/vm0"); sum.SentPackets != 0 {
		t.Errorf("%+v reported of an endpoint without a ceiling", sum)
	}
	status := h.status().Uplink
	if status.ReceiveCeilingBitsPerSecond != 100_000 || status.RxOverCeilingPackets == 0 {
		t.Errorf("status %+v", status)
	}
}

// Where no switch marks a controller says so: then the uplink's capacity is its receive ceiling, unless it has one.
func TestUplinkIsBoundWhereNoSwitchMarks(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	settings := model.HostSettings{Enforcement: true, ControlPeriodNanos: 5_000_000, ReceiversMark: true}
	h.agent.decisions.ApplySettings("node", settings)
	testnet.Until(t, "its capacity is the ceiling", func() bool {
		uplink := h.status().Uplink
		return uplink.ReceiveCeilingBitsPerSecond == uplink.CapacityBitsPerSecond
	})
	settings.ReceiversMark = false
	h.agent.decisions.ApplySettings("node", settings)
	testnet.Until(t, "there is none", func() bool { return h.status().Uplink.ReceiveCeilingBitsPerSecond == 0 })
}
