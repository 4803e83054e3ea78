// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// An acknowledgement every 2 ms is worth a message every 20 ms, not every tau.
func TestPureAcknowledgementsCauseLittleFeedback(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	sender := testnet.NewSender(t, h.far)
	frame := testnet.Frame{Source: peerIP, Destination: ownIP, Protocol: testnet.TCP, ECN: testnet.ECT0,
		SourcePort: 5001, Port: 2000, TCPFlags: testnet.ACK}.Build()
	copy(frame, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5})
	began := time.Now()
	const packets = 150
	for range packets {
		sender.Send(frame)
		time.Sleep(2 * time.Millisecond)
	}
	testnet.Until(t, "all have arrived", func() bool {
		pairs := h.status().Pairs
		return len(pairs) == 1 && pairs[0].ReceivedPackets == packets
	})
	sent := h.status().Feedback.Sent
	byTime, byBytes := uint64(time.Since(began).Nanoseconds()/peers.FeedbackNanos), uint64(packets*len(frame)/peers.FeedbackBytes)
	if most := byTime + byBytes + 2; sent < 2 || sent > most {
		t.Errorf("%d messages about %d acknowledgements, want 2 to %d", sent, packets, most)
	}
}
