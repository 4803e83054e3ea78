// SPDX-License-Identifier: Apache-2.0

package port

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// What comes in one batch is marked by what was queued before it, or not at all.
func TestABatchIsNotMarkedByItsOwnLength(t *testing.T) {
	w := newWire(t, func(p *config.Port) { p.BacklogHoldMicros = 10_000 })
	for range 20 { // a machine that is late sends a batch in longer than one reading holds
		before := w.status()
		after := w.burst(testThreshold+4, testnet.ECT0)
		if after.MarkedPackets == before.MarkedPackets && after.SeenBacklog.Max > testThreshold {
			return
		}
	}
	t.Error("every batch was marked that came to an empty queue")
}

// A queue that stays long is marked as soon as the next reading.
func TestAHeldBacklogReadingExpires(t *testing.T) {
	w := newWire(t, func(p *config.Port) { p.BacklogHoldMicros = 1000 })
	sender := testnet.NewSender(t, w.left)
	testnet.Until(t, "a packet is marked", func() bool {
		sender.Send(levelled(lastDSCP))
		return w.status().MarkedPackets > 0
	})
}
