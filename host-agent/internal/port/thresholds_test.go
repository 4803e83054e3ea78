// SPDX-License-Identifier: Apache-2.0

package port

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const configured, decided = 17, 2

func newDecidedWire(t *testing.T) *wire {
	t.Helper()
	return newWire(t, func(p *config.Port) { p.BufferPackets, p.MarkThresholdPackets = 20, configured })
}

// above are packets that found more than so many in the queue, and room.
func above(s Status, threshold int) (count uint64) {
	for _, packets := range s.BacklogHistogram[threshold+1 : 20] {
		count += packets
	}
	return count
}

func TestAControllersThresholdsHoldUntilTheirEnd(t *testing.T) {
	w := newDecidedWire(t)
	thresholds := model.PortThresholds{Port: model.Port(w.port.config.Port), Packets: []uint32{decided}, HoldNanos: int64(time.Hour)}
	w.port.decide(thresholds, clock.Nanos())
	s := w.burst(15, testnet.ECT0)
	if !slices.Equal(s.DecidedThresholdPackets, thresholds.Packets) || s.DecidedThresholdsEndInMillis <= 0 {
		t.Errorf("%+v, want the controller's", s.DecidedThresholds)
	}
	if s.MarkedPackets == 0 || s.MarkedPackets != above(s, decided) {
		t.Errorf("%d are marked, %d found more than %d", s.MarkedPackets, above(s, decided), decided)
	}
	// Nobody renews them.
	w.port.decide(thresholds, clock.Nanos()-thresholds.HoldNanos)
	after := w.burst(15, testnet.ECT0)
	if len(after.DecidedThresholdPackets) > 0 {
		t.Errorf("%+v, want none any more", after.DecidedThresholds)
	}
	if got, want := after.MarkedPackets-s.MarkedPackets, above(after, configured)-above(s, configured); got != want {
		t.Errorf("%d are marked by the configured threshold, want %d", got, want)
	}
}

func TestThresholdsOfOtherQueuesAreRefused(t *testing.T) {
	w := newDecidedWire(t)
	own := model.Port(w.port.config.Port)
	w.port.decide(model.PortThresholds{Port: "of:00000000000000ff/1", Packets: []uint32{decided}, HoldNanos: int64(time.Hour)}, clock.Nanos())
	w.port.decide(model.PortThresholds{Port: own, Packets: []uint32{decided, decided}, HoldNanos: int64(time.Hour)}, clock.Nanos())
	if s := w.status(); len(s.DecidedThresholdPackets) > 0 || s.RefusedThresholds != 1 {
		t.Errorf("%+v, want none, and one refused", s.DecidedThresholds)
	}
	// One that the buffer could not reach would mark nothing.
	w.port.decide(model.PortThresholds{Port: own, Packets: []uint32{1000}, HoldNanos: int64(time.Hour)}, clock.Nanos())
	if s := w.status(); !slices.Equal(s.DecidedThresholdPackets, []uint32{19}) {
		t.Errorf("%+v, want what is left below the buffer", s.DecidedThresholds)
	}
}
