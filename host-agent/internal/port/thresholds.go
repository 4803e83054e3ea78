// SPDX-License-Identifier: Apache-2.0

package port

import (
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// DecidedThresholds are a controller's, in the place of the configured one. The program itself ends them, so that they
// end with whoever is there.
type DecidedThresholds struct {
	// DecidedThresholdPackets are each level's, or the one queue's; absent where none hold.
	DecidedThresholdPackets []uint32 `json:"decidedThresholdPackets,omitempty"`
	// DecidedThresholdsEndInMillis unless they are renewed.
	DecidedThresholdsEndInMillis float64 `json:"decidedThresholdsEndInMillis,omitempty"`
	// RefusedThresholds came for another number of queues.
	RefusedThresholds uint64 `json:"refusedThresholds"`
}

// decide has queues mark by a controller's thresholds until their end.
func (p *Port) decide(thresholds model.PortThresholds, receivedNanos int64) {
	if string(thresholds.Port) != p.config.Port {
		return
	}
	if len(thresholds.Packets) != max(1, len(p.config.LevelDSCPs())) {
		p.refusedThresholds.Add(1)
		return
	}
	state := p.state.At(0)
	for i, packets := range thresholds.Packets {
		atomic.StoreUint32(&state.Levels[i].DecidedPackets, min(packets, state.BufferPackets-1))
	}
	atomic.StoreUint64(&state.DecidedUntilNanos, uint64(receivedNanos+thresholds.HoldNanos))
}

func (p *Port) decidedThresholds(nowNanos int64) DecidedThresholds {
	found := DecidedThresholds{RefusedThresholds: p.refusedThresholds.Load()}
	state := p.state.At(0)
	left := int64(atomic.LoadUint64(&state.DecidedUntilNanos)) - nowNanos
	if left <= 0 || p.config.MarkThresholdPackets == 0 {
		return found
	}
	for i := range max(1, len(p.config.LevelDSCPs())) {
		found.DecidedThresholdPackets = append(found.DecidedThresholdPackets, atomic.LoadUint32(&state.Levels[i].DecidedPackets))
	}
	found.DecidedThresholdsEndInMillis = float64(left) / 1e6
	return found
}

func (l *listener) ApplyMarkingThresholds(ports []model.PortThresholds) {
	now := clock.Nanos()
	for _, p := range ports {
		l.reporter.port.decide(p, now)
	}
}
