// SPDX-License-Identifier: Apache-2.0

package link

import (
	"reflect"
	"slices"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// kind is one kind of a controller's messages.
type kind struct {
	// apply checks a message whole, and applies what of it is not stale. An error means that nothing was applied.
	apply func(t *decisionTable, m incoming) error
	// anew: its order begins anew with a Welcome, for a controller that lost its memory.
	anew bool
}

// bodyKind is the type of a message's body.
type bodyKind = reflect.Type

func body[B any]() bodyKind { return reflect.TypeFor[B]() }

// incoming is a message, whose it is, and what orders it.
type incoming struct {
	*pb.ControllerMessage
	id   string
	node *node
	kind bodyKind
	at   position
}

// kinds is all that the link knows of each kind, but for how its body is read and who takes it: whichever decisions
// have its method.
func kinds() map[bodyKind]kind {
	return map[bodyKind]kind{
		body[*pb.ControllerMessage_LeaseRenewal](): {apply: func(*decisionTable, incoming) error { return nil }},
		body[*pb.ControllerMessage_Welcome]():      {apply: (*decisionTable).applyWelcome},
		body[*pb.ControllerMessage_Settings]():     {apply: (*decisionTable).applySettings},
		body[*pb.ControllerMessage_Policies](): {apply: ofLeader(
			(*pb.ControllerMessage).GetPolicies, policiesOf, model.PolicyDecisions.ApplyPolicies)},
		body[*pb.ControllerMessage_UnitShares](): {apply: (*decisionTable).applyShares},
		body[*pb.ControllerMessage_Notices](): {apply: byPort(
			(*pb.ControllerMessage).GetNotices, noticesOf, noticePort, model.NoticeDecisions.ApplyNotices)},
		body[*pb.ControllerMessage_NoticeKey](): {apply: whole(
			(*pb.ControllerMessage).GetNoticeKey, noticeKeyOf, model.NoticeDecisions.ApplyNoticeKey)},
		body[*pb.ControllerMessage_PeerAuthority](): {apply: ofLeader(
			(*pb.ControllerMessage).GetPeerAuthority, authorityOf, model.PeerDecisions.ApplyPeerAuthority)},
		body[*pb.ControllerMessage_PeerCertificates](): {apply: whole(
			(*pb.ControllerMessage).GetPeerCertificates, certificatesOf, model.PeerDecisions.ApplyPeerCertificates)},
		body[*pb.ControllerMessage_ReturnedMarks](): {apply: unordered(
			(*pb.ControllerMessage).GetReturnedMarks, returnedMarksOf, model.MarkDecisions.ApplyReturnedMarks)},
		body[*pb.ControllerMessage_UndeliveredMarks](): {apply: unordered(
			(*pb.ControllerMessage).GetUndeliveredMarks, undeliveredMarksOf, model.MarkDecisions.ApplyUndeliveredMarks)},
		body[*pb.ControllerMessage_FlowAnswer](): {apply: (*decisionTable).applyFlowAnswer},
		body[*pb.ControllerMessage_Grants](): {apply: byFlow(
			(*pb.ControllerMessage).GetGrants, grantsOf, grantedFlow, model.GrantDecisions.ApplyGrants)},
		body[*pb.ControllerMessage_LossAnswers](): {apply: byFlow(
			(*pb.ControllerMessage).GetLossAnswers, lossAnswersOf, lostFlow, model.LossAnswerDecisions.ApplyLossAnswers)},
		body[*pb.ControllerMessage_Resends](): {apply: byPort(
			(*pb.ControllerMessage).GetResends, resendsOf, resendPort, model.ResendDecisions.ApplyResends)},
		body[*pb.ControllerMessage_BackgroundQueues]():  {apply: (*decisionTable).applyQueues, anew: true},
		body[*pb.ControllerMessage_RateCaps]():          {apply: (*decisionTable).applyCaps, anew: true},
		body[*pb.ControllerMessage_MarkingThresholds](): {apply: (*decisionTable).applyThresholds, anew: true},
		body[*pb.ControllerMessage_TcpHints]():          {apply: (*decisionTable).applyHints, anew: true},
	}
}

// decide calls those decisions that take a kind.
func decide[To any](t *decisionTable, call func(to To)) {
	if to, takes := t.decisions.(To); takes {
		call(to)
	}
}

// unordered is for messages that order themselves.
func unordered[B, D, To any](
	of func(*pb.ControllerMessage) B, read func(B) (D, error), apply func(To, string, D),
) func(*decisionTable, incoming) error {
	return func(t *decisionTable, m incoming) error {
		decided, err := read(of(m.ControllerMessage))
		if err == nil {
			decide(t, func(to To) { apply(to, m.id, decided) })
		}
		return err
	}
}

// whole is for messages each of which replaces the one before.
func whole[B, D, To any](
	of func(*pb.ControllerMessage) B, read func(B) (D, error), apply func(To, string, D),
) func(*decisionTable, incoming) error {
	return func(t *decisionTable, m incoming) error {
		decided, err := read(of(m.ControllerMessage))
		if err == nil && t.fresh(m, subject{}) {
			decide(t, func(to To) { apply(to, m.id, decided) })
		}
		return err
	}
}

// ofLeader is whole for what the cluster's leader alone decides: a former one's are refused.
func ofLeader[B, D, To any](
	of func(*pb.ControllerMessage) B, read func(B) (D, error), apply func(To, string, D),
) func(*decisionTable, incoming) error {
	return func(t *decisionTable, m incoming) error {
		decided, err := read(of(m.ControllerMessage))
		if err == nil && t.ofLeader(m, subject{}) {
			decide(t, func(to To) { apply(to, m.id, decided) })
		}
		return err
	}
}

// byPort is for messages of which each port has an order of its own; several decisions may be about one.
func byPort[B, D, To any](
	of func(*pb.ControllerMessage) B, read func(B) ([]D, error), portOf func(D) model.Port, apply func(To, string, []D),
) func(*decisionTable, incoming) error {
	return func(t *decisionTable, m incoming) error {
		isFresh := map[model.Port]bool{}
		return eachFresh(t, m, of, read, apply, func(decided D) bool {
			port := portOf(decided)
			fresh, judged := isFresh[port]
			if !judged {
				fresh = t.fresh(m, subject{port: port})
				isFresh[port] = fresh
			}
			return fresh
		})
	}
}

// byFlow likewise of flows, one decision of each.
func byFlow[B, D, To any](
	of func(*pb.ControllerMessage) B, read func(B) ([]D, error), flowOf func(D) model.FlowID, apply func(To, string, []D),
) func(*decisionTable, incoming) error {
	return func(t *decisionTable, m incoming) error {
		return eachFresh(t, m, of, read, apply, func(decided D) bool { return t.freshFlow(m, flowOf(decided)) })
	}
}

func eachFresh[B, D, To any](
	t *decisionTable, m incoming, of func(*pb.ControllerMessage) B, read func(B) ([]D, error), apply func(To, string, []D),
	fresh func(D) bool,
) error {
	all, err := read(of(m.ControllerMessage))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one D) bool { return !fresh(one) })
	if len(all) > 0 {
		decide(t, func(to To) { apply(to, m.id, all) })
	}
	return nil
}
