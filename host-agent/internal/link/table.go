// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"slices"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	minLease = 50 * time.Millisecond
	maxLease = 10 * time.Minute
)

// decisionTable has what the nodes have decided: in which order, until when, and which of several holds.
// Time is an argument. Not safe for concurrent use.
type decisionTable struct {
	decisions model.Decisions
	// answered takes answers to requests.
	answered func(request uint64, answer model.FlowAnswer)
	// defaultLease holds for messages that name none.
	defaultLease time.Duration
	nodes        map[string]*node
	shares       *shareTable
	queues       *queueTable
	hints        hintTable
	// queueDecisions are those about the queues of switch ports.
	queueDecisions model.QueueDecisions
	stale          uint64
}

// node is one controller node with a lease.
type node struct {
	alive    bool
	leaseEnd int64
	order    order
}

func newDecisionTable(decisions model.Decisions, defaultLease time.Duration) *decisionTable {
	return &decisionTable{
		decisions: decisions, defaultLease: defaultLease, answered: func(uint64, model.FlowAnswer) {},
		nodes: map[string]*node{}, shares: newShareTable(), queues: newQueueTable(), hints: newHintTable(),
		queueDecisions: noQueues{},
	}
}

func (t *decisionTable) alive(id string) bool { return t.nodes[id].alive }

// receive takes a message: renews its node's lease and applies what is not stale. An error means
// that nothing was applied because the message is malformed.
func (t *decisionTable) receive(nowNanos int64, message *pb.ControllerMessage) (staleRefused int, err error) {
	id := message.GetNode()
	if err := name("node", id); err != nil {
		return 0, err
	}
	lease := time.Duration(message.GetLeaseMillis()) * time.Millisecond
	if lease == 0 {
		lease = t.defaultLease
	}
	if lease < minLease || lease > maxLease {
		return 0, fmt.Errorf("lease_millis: %d must be from %d to %d", message.GetLeaseMillis(),
			minLease.Milliseconds(), maxLease.Milliseconds())
	}
	n := t.nodes[id]
	if n == nil {
		n = &node{order: newOrder()}
		t.nodes[id] = n
	}
	n.alive, n.leaseEnd = true, nowNanos+lease.Nanoseconds()
	at := position{message.GetTerm(), message.GetSequence()}
	before := t.stale
	err = t.apply(id, n, at, message)
	return int(t.stale - before), err
}

func (t *decisionTable) apply(id string, n *node, at position, message *pb.ControllerMessage) error {
	switch body := message.GetBody().(type) {
	case *pb.ControllerMessage_LeaseRenewal:
	case *pb.ControllerMessage_Welcome:
		// A controller that lost its memory would never release what it had granted.
		clear(n.order.flows)
		n.order.forget(backgroundQueuesBody, rateCapsBody, tcpHintsBody, markingThresholdsBody)
		t.decisions.VoidGrants(id)
		t.voidQueues(id)
		t.voidHints(id)
	case *pb.ControllerMessage_LossAnswers:
		answers, err := lossAnswersOf(body.LossAnswers)
		if err != nil {
			return err
		}
		answers = slices.DeleteFunc(answers, func(a model.LossAnswer) bool {
			return !t.freshFlow(n, flowSubject{lossAnswersBody, a.Flow}, at)
		})
		if len(answers) > 0 {
			t.decisions.ApplyLossAnswers(id, answers)
		}
	case *pb.ControllerMessage_Resends:
		resends, err := resendsOf(body.Resends)
		if err != nil {
			return err
		}
		t.applyResends(id, n, at, resends)
	case *pb.ControllerMessage_FlowAnswer:
		answer, err := flowAnswerOf(body.FlowAnswer)
		if err != nil {
			return err
		}
		t.answered(body.FlowAnswer.GetRequest(), answer)
	case *pb.ControllerMessage_Grants:
		grants, err := grantsOf(body.Grants)
		if err != nil {
			return err
		}
		grants = slices.DeleteFunc(grants, func(g model.WindowGrant) bool {
			return !t.freshFlow(n, flowSubject{grantsBody, g.Flow}, at)
		})
		if len(grants) > 0 {
			t.decisions.ApplyGrants(id, grants)
		}
	case *pb.ControllerMessage_Policies:
		policies, err := policiesOf(body.Policies)
		if err != nil {
			return err
		}
		if t.fresh(n, subject{kind: policiesBody}, at) {
			t.decisions.ApplyPolicies(id, policies)
		}
	case *pb.ControllerMessage_UnitShares:
		shares, err := sharesOf(body.UnitShares)
		if err != nil {
			return err
		}
		t.applyShares(id, n, at, shares)
	case *pb.ControllerMessage_Notices:
		notices, err := noticesOf(body.Notices)
		if err != nil {
			return err
		}
		t.applyNotices(id, n, at, notices)
	case *pb.ControllerMessage_Settings:
		settings, err := settingsOf(body.Settings)
		if err != nil {
			return err
		}
		if t.fresh(n, subject{kind: settingsBody}, at) {
			t.decisions.ApplySettings(id, settings)
		}
	case *pb.ControllerMessage_PeerAuthority:
		keys, err := authorityOf(body.PeerAuthority)
		if err != nil {
			return err
		}
		if t.fresh(n, subject{kind: authorityBody}, at) {
			t.decisions.ApplyPeerAuthority(id, keys)
		}
	case *pb.ControllerMessage_PeerCertificates:
		given, err := certificatesOf(body.PeerCertificates)
		if err != nil {
			return err
		}
		if t.fresh(n, subject{kind: certificatesBody}, at) {
			t.decisions.ApplyPeerCertificates(id, given)
		}
	case *pb.ControllerMessage_BackgroundQueues:
		return t.applyQueues(id, n, at, body.BackgroundQueues)
	case *pb.ControllerMessage_RateCaps:
		return t.applyCaps(id, n, at, body.RateCaps)
	case *pb.ControllerMessage_MarkingThresholds:
		return t.applyThresholds(id, n, at, body.MarkingThresholds)
	case *pb.ControllerMessage_TcpHints:
		hints, err := hintsOf(body.TcpHints)
		if err != nil {
			return err
		}
		if t.fresh(n, subject{kind: tcpHintsBody}, at) {
			t.applyHints(id, at, hints)
		}
	case *pb.ControllerMessage_ReturnedMarks:
		marks, err := marksOf("returned_marks.pairs", body.ReturnedMarks.GetPairs())
		if err != nil {
			return err
		}
		t.decisions.ApplyReturnedMarks(id, marks)
	case *pb.ControllerMessage_UndeliveredMarks:
		marks, err := marksOf("undelivered_marks.pairs", body.UndeliveredMarks.GetPairs())
		if err != nil {
			return err
		}
		t.decisions.ApplyUndeliveredMarks(id, marks)
	case *pb.ControllerMessage_NoticeKey:
		if err := key("notice_key.key", body.NoticeKey.GetKey()); err != nil {
			return err
		}
		if t.fresh(n, subject{kind: noticeKeyBody}, at) {
			t.decisions.ApplyNoticeKey(id, model.NoticeKey{ID: body.NoticeKey.GetKeyId(), Key: body.NoticeKey.GetKey()})
		}
	default:
		return errors.New("a message without a body of a known kind")
	}
	return nil
}

// fresh reports whether a message comes after the latest one about its subject, and counts it if not.
func (t *decisionTable) fresh(n *node, about subject, at position) bool {
	fresh := n.order.advance(about, at)
	if !fresh {
		t.stale++
	}
	return fresh
}

// freshFlow likewise.
func (t *decisionTable) freshFlow(n *node, about flowSubject, at position) bool {
	fresh := n.order.advanceFlow(about, at)
	if !fresh {
		t.stale++
	}
	return fresh
}

func (t *decisionTable) applyShares(id string, n *node, at position, shares []model.UnitShare) {
	effective := map[string][]model.UnitShare{}
	for _, share := range shares {
		if !t.fresh(n, subject{kind: sharesBody, port: share.Port}, at) {
			continue
		}
		t.shares.publish(id, share, t.alive)
		by, holds := t.shares.effective(share.Port, t.alive)
		if by == "" {
			by, holds = id, model.UnitShare{Port: share.Port, Expired: true}
		}
		effective[by] = append(effective[by], holds)
	}
	for by, shares := range effective {
		t.decisions.ApplyUnitShares(by, shares)
	}
}

// applyNotices applies the notices of ports for which the message is fresh; several may be for one
// port.
func (t *decisionTable) applyNotices(id string, n *node, at position, notices []model.Notice) {
	isFresh := map[model.Port]bool{}
	var kept []model.Notice
	for _, notice := range notices {
		fresh, judged := isFresh[notice.Port]
		if !judged {
			fresh = t.fresh(n, subject{kind: noticesBody, port: notice.Port}, at)
			isFresh[notice.Port] = fresh
		}
		if fresh {
			kept = append(kept, notice)
		}
	}
	if len(kept) > 0 {
		t.decisions.ApplyNotices(id, kept)
	}
}

// applyResends applies those of ports for which the message is fresh.
func (t *decisionTable) applyResends(id string, n *node, at position, resends []model.Resend) {
	isFresh := map[model.Port]bool{}
	var kept []model.Resend
	for _, r := range resends {
		if _, judged := isFresh[r.Port]; !judged {
			isFresh[r.Port] = t.fresh(n, subject{kind: resendsBody, port: r.Port}, at)
		}
		if isFresh[r.Port] {
			kept = append(kept, r)
		}
	}
	if len(kept) > 0 {
		t.decisions.ApplyResends(id, kept)
	}
}

// expire ends the leases that are over and returns whose. The order of such a node's messages is forgotten
// with its lease, so that the messages of a node that lost its memory are not stale.
func (t *decisionTable) expire(nowNanos int64) []string {
	var expired []string
	for id, n := range t.nodes {
		if n.alive && nowNanos >= n.leaseEnd {
			n.alive, n.order = false, newOrder()
			expired = append(expired, id)
		}
	}
	for _, id := range expired {
		t.decisions.LeaseExpired(id)
		t.decisions.VoidGrants(id)
		t.voidQueues(id)
		t.voidHints(id)
		for by, shares := range t.shares.expire(id, t.alive) {
			t.decisions.ApplyUnitShares(by, shares)
		}
	}
	return expired
}

// leaseEnd is when a node's lease ends; false for one that has none.
func (t *decisionTable) leaseEnd(id string) (int64, bool) {
	n := t.nodes[id]
	if n == nil || !n.alive {
		return 0, false
	}
	return n.leaseEnd, true
}
