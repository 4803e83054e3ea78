// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func hygenicc(feedback string) func(*config.Host) {
	return func(c *config.Host) {
		c.Law, c.HyGenICC = config.LawHyGenICC, &config.HyGenICC{Feedback: feedback}
	}
}

// The VM sends to its peer, and the peer's acknowledgements bring marks back in the reserved bit.
func TestReservedBitsHoldAnEndpoint(t *testing.T) {
	h := newHost(t, hygenicc(config.FeedbackBit)).run()
	vm, far := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	out := testnet.Frame{Source: ownIP, Destination: peerIP, Protocol: testnet.TCP,
		SourcePort: 2000, Port: 5001, TCPFlags: testnet.ACK, PayloadBytes: 900}.Build()
	copy(out, []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1})
	back := testnet.Frame{Source: peerIP, Destination: ownIP, Protocol: testnet.TCP, ReservedBit: true,
		SourcePort: 5001, Port: 2000, TCPFlags: testnet.ACK}.Build()
	copy(back, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5})
	testnet.Until(t, "the endpoint is held", func() bool {
		vm.Send(out)
		far.Send(back)
		g, held := h.group(model.AnyPort)
		return held && g.RateBitsPerSecond < 50_000_000
	})
	if status := h.status(); status.Law != config.LawHyGenICC || status.Pairs[0].Port == "" && status.Pairs[1].Port == "" {
		t.Errorf("law %q, pairs %+v", status.Law, status.Pairs)
	}
}

// What arrives marked goes back in messages where it finds no packet.
func TestMarksGoBackInMessages(t *testing.T) {
	for _, feedback := range []string{config.FeedbackBit, config.FeedbackPacket} {
		t.Run(feedback, func(t *testing.T) {
			h := newHost(t, hygenicc(feedback)).run()
			capture, far := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
			for range 3 {
				far.Send(inward(peerIP, ownIP, testnet.CE))
			}
			isMessage := testnet.IPProtocol(testProtocol)
			if capture.Next(5*time.Second, isMessage) == nil {
				t.Fatal("no message came")
			}
			testnet.Until(t, "all marks have gone back", func() bool {
				return h.status().Feedback.Sent >= 2 // the base to count from, and the marks
			})
			sent := h.status().Feedback.Sent
			for range 50 {
				far.Send(inward(peerIP, ownIP, testnet.ECT0))
			}
			testnet.Until(t, "all has arrived", func() bool { return h.status().Pairs[0].ReceivedPackets == 53 })
			if now := h.status().Feedback.Sent; now != sent {
				t.Errorf("%d messages about packets without marks", now-sent)
			}
		})
	}
}
