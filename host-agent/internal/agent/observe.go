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
	observation := model.Observation{IntervalNanos: nowNanos - a.observed, Pairs: a.pairs.Samples()}
	for _, e := range a.endpoints.All() {
		if sample, due := e.Sample(nowNanos); due {
			observation.Endpoints = append(observation.Endpoints, sample)
		}
	}
	a.observed = nowNanos
	a.controllers.Observe(observation)
}
