// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
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
	kinds map[bodyKind]kind
	// decisions are, of model's *Decisions, those that the agent takes.
	decisions any
	// answered takes answers to requests, settled the settings of the link itself.
	answered func(request uint64, answer model.FlowAnswer)
	settled  func(settings model.HostSettings)
	// defaultLease holds for messages that name none.
	defaultLease time.Duration
	nodes        map[string]*node
	shares       *shareTable
	queues       *queueTable
	hints        hintTable
	// leaders are, of what one node decides alone, as the cluster's leader or a switch's master: who did last.
	leaders map[subject]leader
	stale   uint64
}

// leader is a node in a term of its leadership or mastership. Terms are the cluster's: a later leader's is higher.
type leader struct {
	node string
	term uint64
}

// node is one controller node with a lease.
type node struct {
	alive    bool
	leaseEnd int64
	order    order
}

func newDecisionTable(decisions any, defaultLease time.Duration) *decisionTable {
	return &decisionTable{
		kinds: kinds(), decisions: decisions, defaultLease: defaultLease,
		answered: func(uint64, model.FlowAnswer) {}, settled: func(model.HostSettings) {},
		nodes: map[string]*node{}, shares: newShareTable(), queues: newQueueTable(), hints: newHintTable(),
		leaders: map[subject]leader{},
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
	body := reflect.TypeOf(message.GetBody())
	kind, known := t.kinds[body]
	if !known {
		return 0, errors.New("a message without a body of a known kind")
	}
	before := t.stale
	err = kind.apply(t, incoming{message, id, n, body, position{message.GetTerm(), message.GetSequence()}})
	return int(t.stale - before), err
}

// applyWelcome has what a node decided before end: a controller that lost its memory would never release what it
// had granted.
func (t *decisionTable) applyWelcome(m incoming) error {
	clear(m.node.order.flows)
	m.node.order.forget(func(about bodyKind) bool { return t.kinds[about].anew })
	t.void(m.id)
	return nil
}

// void ends what ends with a node's session.
func (t *decisionTable) void(id string) {
	decide(t, func(to model.GrantDecisions) { to.VoidGrants(id) })
	t.voidQueues(id)
	t.voidHints(id)
}

// applySettings applies those that concern the link itself, too.
func (t *decisionTable) applySettings(m incoming) error {
	settings, err := settingsOf(m.GetSettings())
	if err == nil && t.ofLeader(m, subject{}) {
		t.settled(settings)
		decide(t, func(to model.SettingDecisions) { to.ApplySettings(m.id, settings) })
	}
	return err
}

func (t *decisionTable) applyFlowAnswer(m incoming) error {
	answer, err := flowAnswerOf(m.GetFlowAnswer())
	if err == nil {
		t.answered(m.GetFlowAnswer().GetRequest(), answer)
	}
	return err
}

// fresh reports whether a message comes after the latest one of its kind about a subject, and counts it if not.
func (t *decisionTable) fresh(m incoming, about subject) bool {
	about.kind = m.kind
	fresh := m.node.order.advance(about, m.at)
	if !fresh {
		t.stale++
	}
	return fresh
}

// ofLeader reports whether a message is fresh and no former leader's, who may not know yet that there is another, and
// counts it if it is not. One that went away without a word leads until its lease ends.
func (t *decisionTable) ofLeader(m incoming, about subject) bool {
	if !t.fresh(m, about) {
		return false
	}
	about.kind = m.kind
	if by, known := t.leaders[about]; known && by.node != m.id && by.term > m.at.term && t.alive(by.node) {
		t.stale++
		return false
	}
	t.leaders[about] = leader{m.id, m.at.term}
	return true
}

// freshFlow is fresh for what is decided about a flow.
func (t *decisionTable) freshFlow(m incoming, flow model.FlowID) bool {
	fresh := m.node.order.advanceFlow(flowSubject{m.kind, flow}, m.at)
	if !fresh {
		t.stale++
	}
	return fresh
}

func (t *decisionTable) applyShares(m incoming) error {
	shares, err := sharesOf(m.GetUnitShares())
	if err != nil {
		return err
	}
	effective := map[string][]model.UnitShare{}
	latest := m.at.term
	for i, share := range shares {
		m.at.term = cmp.Or(m.GetUnitShares().GetShares()[i].GetTerm(), latest)
		if !t.ofLeader(m, subject{port: share.Port}) {
			continue
		}
		t.shares.publish(m.id, m.at.term, share, t.alive)
		by, holds := t.shares.effective(share.Port, t.alive)
		if by == "" {
			by, holds = m.id, model.UnitShare{Port: share.Port, Expired: true}
		}
		effective[by] = append(effective[by], holds)
	}
	t.decideShares(effective)
	return nil
}

func (t *decisionTable) decideShares(effective map[string][]model.UnitShare) {
	for by, shares := range effective {
		decide(t, func(to model.ShareDecisions) { to.ApplyUnitShares(by, shares) })
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
		decide(t, func(to model.LeaseDecisions) { to.LeaseExpired(id) })
		t.void(id)
		t.decideShares(t.shares.expire(id, t.alive))
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
