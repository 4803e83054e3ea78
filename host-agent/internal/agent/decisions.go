// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

var _ model.Decisions = (*Agent)(nil)

// ApplyPolicies takes the policies of this host's endpoints; those not named get the default.
func (a *Agent) ApplyPolicies(_ string, policies []model.EndpointPolicy) {
	a.inbox.Post(func() {
		a.endpoints.SetPolicies(policies)
	})
}

// ApplyUnitShares takes what ports publish. An endpoint that a port does not name any more is not
// controlled for it any more.
func (a *Agent) ApplyUnitShares(_ string, shares []model.UnitShare) {
	nowNanos := clock.Nanos()
	a.inbox.PostNow(func() {
		a.pacer.TurnSoonIfQuiet(nowNanos) // control begins
		for _, share := range shares {
			a.peers.SetShare(nowNanos, share)
			a.endpoints.SetShare(share)
		}
	})
}

// ApplyNotices takes notices that came by the link.
func (a *Agent) ApplyNotices(_ string, received []model.Notice) {
	nowNanos := clock.Nanos()
	a.inbox.PostNow(func() { a.notices.Apply(nowNanos, received) })
}

// ApplyNoticeKey takes the key with which a controller node signs its notices in band.
func (a *Agent) ApplyNoticeKey(node string, key model.NoticeKey) {
	a.inbox.Post(func() { a.notices.AddKey(node, key) })
}

// ApplySettings takes how the shim is to work.
func (a *Agent) ApplySettings(_ string, settings model.HostSettings) {
	a.inbox.Post(func() {
		a.settings = settings
		tau := settings.TauNanos
		if tau == 0 && settings.NoticesAlone {
			tau = settings.ControlPeriodNanos // nothing new comes more often than that
		}
		a.pacer.SetTau(time.Duration(tau))
		a.endpoints.ApplySettings(settings)
		a.pairs.SetReports(!settings.NoticesAlone)
		a.notices.ApplySettings(settings)
		a.connections.ApplySettings(settings)
	})
}

// ApplyGrants takes windows of flows.
func (a *Agent) ApplyGrants(node string, grants []model.WindowGrant) {
	a.inbox.PostNow(func() { a.connections.ApplyGrants(node, grants) })
}

// VoidGrants drops what a node has granted.
func (a *Agent) VoidGrants(node string) { a.inbox.PostNow(func() { a.connections.VoidGrants(node) }) }

// ApplyLossAnswers has endpoints send again what was lost.
func (a *Agent) ApplyLossAnswers(_ string, answers []model.LossAnswer) {
	a.inbox.PostNow(func() { a.connections.ApplyLossAnswers(answers) })
}

// ApplyResends is for port agents.
func (a *Agent) ApplyResends(string, []model.Resend) {}

// ApplyPeerKey takes the key that signs in-band messages.
func (a *Agent) ApplyPeerKey(_ string, key model.PeerKey) {
	a.inbox.Post(func() { a.peers.AddKey(key) })
}

// LeaseExpired notes that a controller fell silent. Notices act only when they come, so there is
// nothing to void but the key that signs more of them; shares and policies stay, and the host loop
// goes on.
func (a *Agent) LeaseExpired(node string) {
	a.inbox.Post(func() { a.notices.ForgetKey(node) })
	a.log.Warn("a controller's lease has ended, its last decisions stay", "node", node)
}
