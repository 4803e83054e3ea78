// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"log/slog"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints"
)

var _ interface {
	model.PolicyDecisions
	model.ShareDecisions
	model.NoticeDecisions
	model.SettingDecisions
	model.PeerDecisions
	model.MarkDecisions
	model.LeaseDecisions
	model.GrantDecisions
	model.LossAnswerDecisions
	model.HintDecisions
} = decisions{}

// decisions hands what controllers decide from the link to the engine.
type decisions struct {
	inbox *engine.Inbox
	loop  *hostLoop
	log   *slog.Logger
	// hints is nil while hints are off.
	hints *tcphints.Worker
}

// ApplyPolicies takes the policies of this host's endpoints; those not named get the default.
func (d decisions) ApplyPolicies(_ string, policies []model.EndpointPolicy) {
	d.inbox.Post(func() { d.loop.endpoints.SetPolicies(policies) })
}

// usesMarksAlone: this host's law has no use for what controllers decide about ports.
func (d decisions) usesMarksAlone() bool { return d.loop.config.LawKind() == model.HyGenIcc }

// ApplyReturnedMarks takes marks that other hosts' agents sent by controllers.
func (d decisions) ApplyReturnedMarks(_ string, marks []model.Feedback) {
	nowNanos := clock.Nanos()
	d.inbox.PostNow(func() { d.loop.peers.ReceiveRelayed(nowNanos, marks) })
}

// ApplyUndeliveredMarks has marks take another way that a controller could not pass on.
func (d decisions) ApplyUndeliveredMarks(_ string, marks []model.Feedback) {
	nowNanos := clock.Nanos()
	d.inbox.PostNow(func() { d.loop.pairs.Undelivered(nowNanos, marks) })
}

// ApplyUnitShares takes what ports publish. An endpoint that a port does not name any more is not
// controlled for it any more.
func (d decisions) ApplyUnitShares(_ string, shares []model.UnitShare) {
	if d.usesMarksAlone() {
		return
	}
	nowNanos := clock.Nanos()
	d.inbox.PostNow(func() {
		d.loop.pacer.TurnSoonIfIdle(nowNanos) // control begins
		for _, share := range shares {
			d.loop.peers.SetShare(nowNanos, share)
			d.loop.endpoints.SetShare(share)
		}
	})
}

// ApplyNotices takes notices that came by the link.
func (d decisions) ApplyNotices(_ string, received []model.Notice) {
	if d.usesMarksAlone() {
		return
	}
	nowNanos := clock.Nanos()
	d.inbox.PostNow(func() { d.loop.notices.Apply(nowNanos, received) })
}

// ApplyNoticeKey takes the key with which a controller node signs its notices in band.
func (d decisions) ApplyNoticeKey(node string, key model.NoticeKey) {
	d.inbox.Post(func() { d.loop.notices.AddKey(node, key) })
}

// ApplySettings takes how the shim is to work.
func (d decisions) ApplySettings(_ string, settings model.HostSettings) {
	d.inbox.Post(func() { d.loop.applySettings(settings) })
}

// ApplyPeerAuthority takes the keys by which agents are certified to each other.
func (d decisions) ApplyPeerAuthority(_ string, keys []model.AuthorityKey) {
	nowNanos := clock.Nanos()
	d.inbox.Post(func() { d.loop.peers.SetAuthority(nowNanos, keys) })
}

// ApplyPeerCertificates takes certificates of this host's addresses.
func (d decisions) ApplyPeerCertificates(_ string, given model.PeerCertificates) {
	d.inbox.Post(func() { d.loop.peers.AddCertificates(given) })
}

// ApplyGrants takes windows of flows.
func (d decisions) ApplyGrants(node string, grants []model.WindowGrant) {
	d.inbox.PostNow(func() { d.loop.connections.ApplyGrants(node, grants) })
}

// VoidGrants drops what a node has granted.
func (d decisions) VoidGrants(node string) {
	d.inbox.PostNow(func() { d.loop.connections.VoidGrants(node) })
}

// ApplyLossAnswers has endpoints send again what was lost.
func (d decisions) ApplyLossAnswers(_ string, answers []model.LossAnswer) {
	d.inbox.PostNow(func() { d.loop.connections.ApplyLossAnswers(answers) })
}

// ApplyTCPHints takes parameters of the host's own TCP. Where they are not configured, the Hello reported that.
func (d decisions) ApplyTCPHints(node string, hints model.TCPHints) {
	if d.hints != nil {
		d.hints.Apply(node, hints)
	}
}

// LeaseExpired notes that nothing came from a controller for its lease. Notices act only when they come,
// so there is nothing to void but the key that signs more of them; shares and policies stay, and the host
// loop goes on.
func (d decisions) LeaseExpired(node string) {
	d.inbox.Post(func() { d.loop.notices.ForgetKey(node) })
	d.log.Warn("lease of a controller expired; its last policies and unit shares stay in force", "controller", node)
}
