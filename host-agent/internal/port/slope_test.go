// SPDX-License-Identifier: Apache-2.0

package port

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const lowerLength, upperLength = 2, 17

func newSlopeWire(t *testing.T) *wire {
	t.Helper()
	return newWire(t, func(p *config.Port) {
		p.BufferPackets, p.MarkThresholdPackets = 20, lowerLength
		p.Marking = &config.Marking{Kind: config.MarkingSlope, K1Packets: lowerLength, K2Packets: upperLength}
	})
}

// A queue that fills is marked from K1 on.
func TestAGrowingQueueMarksAboveTheLowerLength(t *testing.T) {
	w := newSlopeWire(t)
	s := w.burst(15, testnet.ECT0)
	if s.OverThresholdPackets == 0 || s.MarkedPackets != s.OverThresholdPackets {
		t.Errorf("%d of %d above K1 are marked, want all", s.MarkedPackets, s.OverThresholdPackets)
	}
}

// What comes to one that empties is not, below K2.
func TestAShrinkingQueueMarksNothingBelowTheUpperLength(t *testing.T) {
	w := newSlopeWire(t)
	sender := testnet.NewSender(t, w.left)
	frame := levelled(lastDSCP)
	for range 20 { // a machine that is late finds the queue below K1 already
		for range 16 {
			sender.Send(frame)
		}
		var before Status
		testnet.Until(t, "most of them have left", func() bool {
			before = w.status()
			return before.BacklogPackets <= lowerLength+2
		})
		sender.Send(frame)
		var after Status
		testnet.Until(t, "the queue is empty", func() bool {
			after = w.status()
			return after.ArrivedPackets == before.ArrivedPackets+1 && after.BacklogPackets == 0
		})
		if after.OverThresholdPackets == before.OverThresholdPackets {
			continue
		}
		if after.MarkedPackets != before.MarkedPackets {
			t.Error("a packet was marked that came to a shrinking queue")
		}
		return
	}
	t.Fatal("no packet found more than K1 in the queue")
}

func TestAFullQueueMarksWhateverItsSlope(t *testing.T) {
	w := newSlopeWire(t)
	w.port.state.At(0).Levels[0].Slope.Average = -1 << 30 // it has been shrinking for long
	s := w.burst(30, testnet.ECT0)
	var above uint64
	for _, count := range s.BacklogHistogram[upperLength:20] {
		above += count
	}
	if above == 0 || s.MarkedPackets != above {
		t.Errorf("%d are marked, %d found K2 or more", s.MarkedPackets, above)
	}
}
