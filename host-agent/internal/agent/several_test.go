// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const narrowPort = model.Port("of:0000000000000002/1")

// A destination behind two ports is in the class of the lower; the marks of what it is sent count for
// that one alone; and the other's class, for who crosses that port alone, has no less than what the lower's
// share leaves.
func TestMarksOfOnePortDoNotLowerTheOther(t *testing.T) {
	t.Parallel()
	h := newHost(t, slowLoop).run()
	share := func(port model.Port, bitsPerSecond, capacity uint64, destinations ...netip.Addr) model.UnitShare {
		return model.UnitShare{Port: port, UnitShareBitsPerSecond: bitsPerSecond, CapacityBitsPerSecond: capacity,
			ActiveWeight: float64(capacity) / float64(bitsPerSecond),
			Endpoints:    []model.ControlledEndpoint{{Interface: "vm0", Destinations: destinations}}}
	}
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{
		share(testPort, 20_000_000, 40_000_000, peerIP, otherIP),
		share(narrowPort, 5_000_000, 20_000_000, peerIP),
	})
	sender, far := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	portOf := func(destination netip.Addr) model.Port {
		for _, pair := range h.status().Pairs {
			if pair.Destination == destination {
				return pair.Port
			}
		}
		return "none"
	}
	testnet.Until(t, "each destination is in its class", func() bool {
		sender.Send(outward(ownIP, peerIP, testnet.NotECT))
		sender.Send(outward(ownIP, otherIP, testnet.NotECT))
		return portOf(peerIP) == narrowPort && portOf(otherIP) == testPort
	})

	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	buffer := make([]byte, wire.MaxFrameLength)
	messages := map[netip.Addr]*model.Feedback{}
	report := func(destination netip.Addr, packets, marks uint64) {
		message := messages[destination]
		if message == nil {
			message = &model.Feedback{Pair: model.Pair{Source: ownIP, Destination: destination}, Instance: 7,
				Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 2_500_000, Packets: 1, Bytes: 1000}
			messages[destination] = message
		}
		length, err := encoder.EncodeFeedback(buffer, message, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		far.Send(buffer[:length])
		message.Sequence++
		message.Packets += packets
		message.CEPackets += marks
		message.Bytes += packets * 1000
	}
	testnet.Until(t, "marks lower the narrow port's limit", func() bool {
		use(sender, outward(ownIP, peerIP, testnet.NotECT))
		use(sender, outward(ownIP, otherIP, testnet.NotECT))
		report(peerIP, 4, 4)
		report(otherIP, 4, 0)
		g, ok := h.group(narrowPort)
		return ok && g.CEShare == 1 && g.RateBitsPerSecond < 3_000_000
	})
	after, _ := h.group(testPort)
	if after.CEShare != 0 || after.RateBitsPerSecond < 15_000_000*99/100 {
		t.Errorf("%+v after marks of the other port, want at least 20 - 5 Mbit/s", after)
	}

	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: narrowPort, Expired: true}})
	testnet.Until(t, "with the narrow port's end the wide one governs", func() bool { return portOf(peerIP) == testPort })
}
