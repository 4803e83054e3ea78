// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Of the agent link, for hosts and ports.
var (
	connected = gauge("sluice_agent_controller_connected", "Whether there is a session with the controller.", "controller")
	sessions  = counter("sluice_agent_sessions_total", "Sessions that controllers welcomed.")
	expired   = counter("sluice_agent_leases_expired_total", "Leases of controllers that ended without renewal.")
	refused   = counter("sluice_agent_decisions_refused_total", "Controllers' messages that were refused.", "reason")
	notAfter  = gauge("sluice_agent_certificate_not_after_timestamp_seconds", "When a certificate of the agent link ends: the agent's, the last authority's, a controller's.", "of", "from")
	unsent    = counter("sluice_agent_reports_dropped_total", "Reports that a slow or absent controller did not get.", "kind")
)

func (s samples) link(controllers []model.ControllerStatus, counters *link.Counters, certificates *link.Certificates) {
	for _, c := range controllers {
		s.is(connected, c.Connected, c.Address)
	}
	if certificates != nil {
		for _, c := range certificates.Known {
			s.add(notAfter, float64(c.NotAfter.Unix()), c.Of, c.From)
		}
	}
	if counters == nil {
		return
	}
	s.count(sessions, counters.Sessions)
	s.count(expired, counters.LeasesExpired)
	s.count(refused, counters.StaleRefused, "stale")
	s.count(refused, counters.InvalidRefused, "invalid")
	s.count(unsent, counters.DroppedEvents, "event")
	s.count(unsent, counters.DroppedSamples, "sample")
}
