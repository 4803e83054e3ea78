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

// book holds what the nodes have decided: in which order, until when, and which of several holds.
// Time is an argument. Not safe for concurrent use.
type book struct {
	decisions model.Decisions
	// answered takes answers to requests.
	answered func(request uint64, answer model.FlowAnswer)
	// defaultLease holds for messages that name none.
	defaultLease time.Duration
	nodes        map[string]*node
	shares       map[model.Port]map[string]heldShare
	received     uint64
	stale        uint64
}

// node is one controller node with a lease.
type node struct {
	alive    bool
	leaseEnd int64
	applied  map[duty]position
	flows    flowPositions
}

// duty is what a node's messages are ordered by.
type duty struct {
	kind bodyKind
	port model.Port // for shares and notices
}

type bodyKind uint8

const (
	policiesBody bodyKind = iota + 1
	sharesBody
	noticesBody
	settingsBody
	keyBody
	noticeKeyBody
	grantsBody
	lossAnswersBody
	resendsBody
)

// position orders the messages of one duty.
type position struct{ term, sequence uint64 }

func (p position) after(other position) bool {
	return p.term > other.term || p.term == other.term && p.sequence > other.sequence
}

// heldShare is a unit share as one node published it last.
type heldShare struct {
	share    model.UnitShare
	received uint64 // grows
}

func newBook(decisions model.Decisions, defaultLease time.Duration) *book {
	return &book{
		decisions: decisions, defaultLease: defaultLease, answered: func(uint64, model.FlowAnswer) {},
		nodes: map[string]*node{}, shares: map[model.Port]map[string]heldShare{},
	}
}

// receive takes a message: renews its node's lease and applies what is not stale. An error means
// that nothing was applied because the message makes no sense.
func (b *book) receive(nowNanos int64, message *pb.ControllerMessage) (staleRefused int, err error) {
	id := message.GetNode()
	if err := name("node", id); err != nil {
		return 0, err
	}
	lease := time.Duration(message.GetLeaseMillis()) * time.Millisecond
	if lease == 0 {
		lease = b.defaultLease
	}
	if lease < minLease || lease > maxLease {
		return 0, fmt.Errorf("lease_millis: %d must be from %d to %d", message.GetLeaseMillis(),
			minLease.Milliseconds(), maxLease.Milliseconds())
	}
	n := b.nodes[id]
	if n == nil {
		n = &node{applied: map[duty]position{}, flows: flowPositions{}}
		b.nodes[id] = n
	}
	n.alive, n.leaseEnd = true, nowNanos+lease.Nanoseconds()
	at := position{message.GetTerm(), message.GetSequence()}
	before := b.stale
	err = b.apply(id, n, at, message)
	return int(b.stale - before), err
}

func (b *book) apply(id string, n *node, at position, message *pb.ControllerMessage) error {
	switch body := message.GetBody().(type) {
	case *pb.ControllerMessage_LeaseRenewal:
	case *pb.ControllerMessage_Welcome:
		// A controller that lost its memory would never lift what it had granted.
		n.flows = flowPositions{}
		b.decisions.VoidGrants(id)
	case *pb.ControllerMessage_LossAnswers:
		answers, err := lossAnswersOf(body.LossAnswers)
		if err != nil {
			return err
		}
		answers = slices.DeleteFunc(answers, func(a model.LossAnswer) bool {
			return !b.freshFlow(n, flowDuty{lossAnswersBody, a.Flow}, at)
		})
		if len(answers) > 0 {
			b.decisions.ApplyLossAnswers(id, answers)
		}
	case *pb.ControllerMessage_Resends:
		resends, err := resendsOf(body.Resends)
		if err != nil {
			return err
		}
		b.applyResends(id, n, at, resends)
	case *pb.ControllerMessage_FlowAnswer:
		answer, err := flowAnswerOf(body.FlowAnswer)
		if err != nil {
			return err
		}
		b.answered(body.FlowAnswer.GetRequest(), answer)
	case *pb.ControllerMessage_Grants:
		grants, err := grantsOf(body.Grants)
		if err != nil {
			return err
		}
		grants = slices.DeleteFunc(grants, func(g model.WindowGrant) bool {
			return !b.freshFlow(n, flowDuty{grantsBody, g.Flow}, at)
		})
		if len(grants) > 0 {
			b.decisions.ApplyGrants(id, grants)
		}
	case *pb.ControllerMessage_Policies:
		policies, err := policiesOf(body.Policies)
		if err != nil {
			return err
		}
		if b.fresh(n, duty{kind: policiesBody}, at) {
			b.decisions.ApplyPolicies(id, policies)
		}
	case *pb.ControllerMessage_UnitShares:
		shares, err := sharesOf(body.UnitShares)
		if err != nil {
			return err
		}
		b.applyShares(id, n, at, shares)
	case *pb.ControllerMessage_Notices:
		notices, err := noticesOf(body.Notices)
		if err != nil {
			return err
		}
		b.applyNotices(id, n, at, notices)
	case *pb.ControllerMessage_Settings:
		settings, err := settingsOf(body.Settings)
		if err != nil {
			return err
		}
		if b.fresh(n, duty{kind: settingsBody}, at) {
			b.decisions.ApplySettings(id, settings)
		}
	case *pb.ControllerMessage_PeerKey:
		if err := key("peer_key.key", body.PeerKey.GetKey()); err != nil {
			return err
		}
		if b.fresh(n, duty{kind: keyBody}, at) {
			b.decisions.ApplyPeerKey(id, model.PeerKey{ID: body.PeerKey.GetKeyId(), Key: body.PeerKey.GetKey()})
		}
	case *pb.ControllerMessage_NoticeKey:
		if err := key("notice_key.key", body.NoticeKey.GetKey()); err != nil {
			return err
		}
		if b.fresh(n, duty{kind: noticeKeyBody}, at) {
			b.decisions.ApplyNoticeKey(id, model.NoticeKey{ID: body.NoticeKey.GetKeyId(), Key: body.NoticeKey.GetKey()})
		}
	default:
		return errors.New("a message without a body that is known here")
	}
	return nil
}

// fresh says whether a message comes after the last one of its duty, and remembers it if so.
func (b *book) fresh(n *node, d duty, at position) bool {
	if last, ok := n.applied[d]; ok && !at.after(last) {
		b.stale++
		return false
	}
	n.applied[d] = at
	return true
}

func (b *book) applyShares(id string, n *node, at position, shares []model.UnitShare) {
	effective := map[string][]model.UnitShare{}
	for _, share := range shares {
		if !b.fresh(n, duty{sharesBody, share.Port}, at) {
			continue
		}
		b.hold(id, share)
		by, holds := b.effective(share.Port)
		if by == "" {
			by, holds = id, model.UnitShare{Port: share.Port, Expired: true}
		}
		effective[by] = append(effective[by], holds)
	}
	for by, shares := range effective {
		b.decisions.ApplyUnitShares(by, shares)
	}
}

// hold enters a node's share, and drops what dead nodes had published for the port: it was kept for
// want of anything better.
func (b *book) hold(id string, share model.UnitShare) {
	held := b.shares[share.Port]
	if held == nil {
		held = map[string]heldShare{}
		b.shares[share.Port] = held
	}
	b.received++
	held[id] = heldShare{share, b.received}
	if share.Expired {
		delete(held, id)
	}
	for other := range held {
		if !b.nodes[other].alive {
			delete(held, other)
		}
	}
	if len(held) == 0 {
		delete(b.shares, share.Port)
	}
}

// effective is the share that holds for a port: the lowest of living nodes, else the last one.
func (b *book) effective(port model.Port) (by string, share model.UnitShare) {
	var best heldShare
	for id, held := range b.shares[port] {
		better := by == ""
		switch {
		case better:
		case b.nodes[id].alive != b.nodes[by].alive:
			better = b.nodes[id].alive
		case b.nodes[id].alive:
			better = held.share.UnitShareBitsPerSecond < best.share.UnitShareBitsPerSecond
		default:
			better = held.received > best.received
		}
		if better {
			by, best = id, held
		}
	}
	return by, best.share
}

// applyNotices hands on the notices of ports for which the message is fresh; several may be for one
// port.
func (b *book) applyNotices(id string, n *node, at position, notices []model.Notice) {
	isFresh := map[model.Port]bool{}
	var kept []model.Notice
	for _, notice := range notices {
		fresh, judged := isFresh[notice.Port]
		if !judged {
			fresh = b.fresh(n, duty{noticesBody, notice.Port}, at)
			isFresh[notice.Port] = fresh
		}
		if fresh {
			kept = append(kept, notice)
		}
	}
	if len(kept) > 0 {
		b.decisions.ApplyNotices(id, kept)
	}
}

// expire ends the leases that are over and returns whose. Where living nodes have published for a
// port, the dead one's share goes; where none has, it stays. The order of a dead node's messages is
// forgotten with its lease, so that a node that lost its memory is heard again.
func (b *book) expire(nowNanos int64) []string {
	var expired []string
	for id, n := range b.nodes {
		if n.alive && nowNanos >= n.leaseEnd {
			n.alive = false
			n.applied, n.flows = map[duty]position{}, flowPositions{}
			expired = append(expired, id)
		}
	}
	for _, id := range expired {
		b.decisions.LeaseExpired(id)
		b.decisions.VoidGrants(id)
		for port, held := range b.shares {
			if _, did := held[id]; !did {
				continue
			}
			if by, share := b.effective(port); by != id && b.nodes[by].alive {
				delete(held, id)
				b.decisions.ApplyUnitShares(by, []model.UnitShare{share})
			}
		}
	}
	return expired
}

// leaseEnd is when a node's lease ends; false for one that has none.
func (b *book) leaseEnd(id string) (int64, bool) {
	n := b.nodes[id]
	if n == nil || !n.alive {
		return 0, false
	}
	return n.leaseEnd, true
}
