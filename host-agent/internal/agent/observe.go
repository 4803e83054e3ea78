// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// observe tells the link what happened since the last turn; the link adds up what can wait.
func (a *Agent) observe(nowNanos int64) {
	if a.standsAlone() {
		return
	}
	observation := model.Observation{IntervalNanos: nowNanos - a.observed, Pairs: a.observePairs()}
	for _, e := range a.endpoints.All() {
		if sample, due := e.Sample(nowNanos); due {
			observation.Endpoints = append(observation.Endpoints, sample)
		}
	}
	a.observed = nowNanos
	a.controllers.Observe(observation)
}

func (a *Agent) observePairs() []model.PairSample {
	a.samples = a.samples[:0]
	for pair := range a.shim.Pairs() {
		record := a.record(pair.Slot)
		known := &record.observed
		if pair.SentPackets == known.SentPackets && pair.ReceivedPackets == known.ReceivedPackets {
			continue
		}
		a.samples = append(a.samples, model.PairSample{
			Pair:            record.addresses,
			SentPackets:     pair.SentPackets - known.SentPackets,
			SentBytes:       pair.SentBytes - known.SentBytes,
			ReceivedPackets: pair.ReceivedPackets - known.ReceivedPackets,
			ReceivedBytes:   pair.ReceivedBytes - known.ReceivedBytes,
			CEPackets:       pair.CEPackets - known.CEPackets,
		})
		*known = pair
	}
	return a.samples
}
