// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// IPv6 to an endpoint with both families: one limit for both, marks of both.
func TestBothFamiliesShareTheLimit(t *testing.T) {
	t.Parallel()
	own6, peer6 := netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5")
	h := newHost(t, func(c *config.Host) {
		c.Endpoints.Static[0].IPs = []string{ownIP.String(), own6.String()}
	}).run()
	h.limit("vm0", 20_000_000)
	floodOfFrames(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	floodOfFrames(t, h.vm, outward(own6, peer6, testnet.NotECT))
	testnet.Until(t, "both families fill the one class", func() bool {
		sent, offered := map[netip.Addr]uint64{}, uint64(0)
		for _, pair := range h.status().Pairs {
			sent[pair.Destination] = pair.SentPackets
			offered += pair.SentPackets
		}
		e := h.status().Endpoints[0]
		all := e.Groups[0].SentPackets + e.Groups[0].DroppedPackets + e.Groups[0].BacklogPackets
		return sent[peerIP] > 100 && sent[peer6] > 100 && e.RateBitsPerSecond == 20_000_000 && len(e.Groups) == 1 &&
			e.Groups[0].DroppedPackets > 100 && all >= offered
	})
}

func TestFeedbackOfIPv6MarksLowersTheLimit(t *testing.T) {
	t.Parallel()
	own6, peer6 := netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5")
	h := newHost(t, func(c *config.Host) {
		slowLoop(c)
		c.Endpoints.Static[0].IPs = []string{ownIP.String(), own6.String()}
	}).run()
	capture := testnet.NewCapture(t, h.far)
	far, sender := testnet.NewSender(t, h.far), testnet.NewSender(t, h.vm)
	far.Send(inward(peer6, own6, testnet.CE))
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
	if err != nil || message.Feedback.CEPackets != 1 || message.Feedback.Pair.Source != peer6 {
		t.Fatalf("%+v, %v: want the mark reported to the sender", message, err)
	}

	h.share(10_000_000, 4, peerIP, peer6)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	buffer := make([]byte, wire.MaxFrameLength)
	feedback := model.Feedback{Pair: model.Pair{Source: own6, Destination: peer6}, Instance: 7,
		Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 2_500_000, Packets: 1, Bytes: 1000}
	testnet.Until(t, "marks of IPv6 lower the limit of both", func() bool {
		use(sender, outward(own6, peer6, testnet.NotECT))
		use(sender, outward(ownIP, peerIP, testnet.NotECT))
		length, err := encoder.EncodeFeedback(buffer, &feedback, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		far.Send(buffer[:length])
		feedback.Sequence, feedback.Packets, feedback.CEPackets = feedback.Sequence+1, feedback.Packets+4, feedback.CEPackets+4
		feedback.Bytes += 4000
		g, ok := h.group(testPort)
		return ok && g.CEShare == 1 && g.RateBitsPerSecond < 6_000_000
	})
	testnet.Until(t, "both families are in the port's class", func() bool {
		in := map[netip.Addr]model.Port{}
		for _, pair := range h.status().Pairs {
			in[pair.Destination] = pair.Port
		}
		return in[peerIP] == testPort && in[peer6] == testPort
	})
}
