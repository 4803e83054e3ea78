// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const capHold = 100 * time.Millisecond

// backgroundQueues of the port "p/1": a downstream port and its destinations, an empty word, and the next.
func backgroundQueues(node string, term, sequence uint64, words ...string) *pb.ControllerMessage {
	m := message(node, term, sequence)
	body := &pb.BackgroundQueues{Port: "p/1"}
	var queue *pb.BackgroundQueue
	for _, word := range words {
		switch {
		case word == "":
			queue = nil
		case queue == nil:
			queue = &pb.BackgroundQueue{Downstream: word}
			body.Queues = append(body.Queues, queue)
		default:
			queue.Destinations = append(queue.Destinations, netip.MustParseAddr(word).AsSlice())
		}
	}
	m.Body = &pb.ControllerMessage_BackgroundQueues{BackgroundQueues: body}
	return m
}

func rateCap(downstream string, bitsPerSecond uint64) *pb.RateCap {
	return &pb.RateCap{Port: "p/1", Downstream: downstream, BitsPerSecond: bitsPerSecond, HoldNanos: uint64(capHold)}
}

func rateCaps(node string, term, sequence uint64, caps ...*pb.RateCap) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_RateCaps{RateCaps: &pb.RateCaps{Caps: caps}}
	return m
}

// leased is a message with the lease of a controller.
func (f *fakeController) leased(m *pb.ControllerMessage) *pb.ControllerMessage {
	m.LeaseMillis = uint32(f.lease.Milliseconds())
	return m
}

func welcome(node string) *pb.ControllerMessage {
	m := message(node, 0, 1)
	m.Body = &pb.ControllerMessage_Welcome{Welcome: &pb.Welcome{ProtocolVersion: protocolVersion}}
	return m
}

func TestBackgroundQueuesApplyInOrder(t *testing.T) {
	b := newTableTest(t)
	b.receive(backgroundQueues("a", 2, 1, "d/1", "10.0.0.1", "::ffff:10.0.0.2", "", "d/2", "fd00::1"), 0,
		"queues of p/1: [{d/1 [10.0.0.1 10.0.0.2]} {d/2 [fd00::1]}]")
	b.receive(backgroundQueues("a", 2, 1), 1)
	b.receive(backgroundQueues("a", 1, 9), 1)
	b.receive(backgroundQueues("a", 2, 2), 0, "queues of p/1: []")
}

// Of a switch's masters the newest decides: its term is the highest.
func TestTheNewestMastersBackgroundQueuesHold(t *testing.T) {
	b := newTableTest(t)
	b.receive(backgroundQueues("a", 5, 1, "d/1"), 0, "queues of p/1: [{d/1 []}]")
	b.receive(backgroundQueues("b", 6, 1, "d/2"), 0, "queues of p/1: [{d/2 []}]")
	b.receive(backgroundQueues("a", 5, 2, "d/3"), 0) // it has not received it yet
	b.now = testLease.Nanoseconds() / 2
	b.receive(backgroundQueues("a", 5, 3, "d/4"), 0)
	b.now = testLease.Nanoseconds()
	b.table.expire(b.now)
	b.expect("b lease", "queues of p/1: [{d/4 []}]")
	b.now *= 2
	b.table.expire(b.now)
	b.expect("a lease", "queues of p/1: []")
	// It comes back, having lost its memory.
	b.receive(backgroundQueues("b", 0, 1, "d/5"), 0, "queues of p/1: [{d/5 []}]")
}

// A controller that has lost its memory must not leave queues behind; what it sends anew is not stale.
func TestANewSessionVoidsBackgroundQueues(t *testing.T) {
	b := newTableTest(t)
	b.receive(backgroundQueues("a", 5, 7, "d/1"), 0, "queues of p/1: [{d/1 []}]")
	b.receive(rateCaps("a", 5, 7, rateCap("d/1", 8)), 0, "cap p/1>d/1 8 for 100ms")
	b.receive(welcome("a"), 0, "queues of p/1: []")
	b.receive(welcome("a"), 0)
	b.receive(backgroundQueues("a", 5, 1, "d/1"), 0, "queues of p/1: [{d/1 []}]")
	b.receive(rateCaps("a", 5, 1, rateCap("d/1", 9)), 0, "cap p/1>d/1 9 for 100ms")
}

func TestRateCapsApplyInOrder(t *testing.T) {
	b := newTableTest(t)
	b.receive(rateCaps("a", 2, 1, rateCap("d/1", 8_000_000), rateCap("d/2", 0)), 0,
		"cap p/1>d/1 8000000 for 100ms", "cap p/1>d/2 0 for 100ms")
	// Each downstream port has a master of its own, with terms of its own.
	b.receive(rateCaps("a", 1, 2, rateCap("d/1", 1), rateCap("d/3", 1)), 1, "cap p/1>d/3 1 for 100ms")
	b.receive(rateCaps("a", 2, 2, rateCap("d/1", 2), rateCap("d/1", 3)), 1, "cap p/1>d/1 2 for 100ms")
	// Of two masters the newer decides while it lives.
	b.receive(rateCaps("b", 1, 1, rateCap("d/1", 4)), 1)
	b.receive(rateCaps("b", 3, 1, rateCap("d/1", 5)), 0, "cap p/1>d/1 5 for 100ms")
	b.receive(rateCaps("a", 2, 3, rateCap("d/1", 6)), 1)
	b.now = testLease.Nanoseconds() - 1
	b.receive(rateCaps("a", 2, 4, rateCap("d/1", 6)), 1)
	b.now++
	b.table.expire(b.now)
	b.expect("b lease")
	b.receive(rateCaps("a", 2, 5, rateCap("d/1", 7)), 0, "cap p/1>d/1 7 for 100ms")
	// They end by themselves, not with their node.
	b.now *= 3
	b.table.expire(b.now)
	b.expect("a lease")
}

func TestMalformedQueuesAndCapsAreRefused(t *testing.T) {
	many := make([]string, 0, 3*model.MaxBackgroundQueues)
	for i := range model.MaxBackgroundQueues + 1 {
		many = append(many, fmt.Sprintf("d/%d", i), "")
	}
	full := backgroundQueues("a", 1, 1, "d/1", "", "d/2")
	for i := range model.MaxBackgroundDestinations + 1 {
		at := full.GetBackgroundQueues().Queues[i%2]
		at.Destinations = append(at.Destinations, []byte{10, 1, byte(i >> 8), byte(i)})
	}
	short := backgroundQueues("a", 1, 1, "d/1", "10.0.0.1")
	short.GetBackgroundQueues().Queues[0].Destinations[0] = []byte{1, 2, 3}
	nameless := backgroundQueues("a", 1, 1, "d/1")
	nameless.GetBackgroundQueues().Port = ""
	unnamed := backgroundQueues("a", 1, 1, "d/1")
	unnamed.GetBackgroundQueues().Queues[0].Downstream = ""
	spoiled := func(spoil func(*pb.RateCap)) *pb.ControllerMessage {
		c := rateCap("d/2", 8)
		spoil(c)
		return rateCaps("a", 1, 1, rateCap("d/1", 8), c)
	}
	manyCaps := rateCaps("a", 1, 1)
	for i := range maxCaps + 1 {
		manyCaps.GetRateCaps().Caps = append(manyCaps.GetRateCaps().Caps, rateCap(fmt.Sprintf("d/%d", i), 8))
	}
	for _, c := range []struct {
		message *pb.ControllerMessage
		names   string
	}{
		{backgroundQueues("a", 1, 1, many...), "background_queues.queues: 65"},
		{full, "background_queues.queues[1].destinations"},
		{short, "background_queues.queues[0].destinations[0]"},
		{nameless, "background_queues.port"},
		{unnamed, "background_queues.queues[0].downstream"},
		{backgroundQueues("a", 1, 1, "d/1", "", "d/1"), "background_queues.queues[1].downstream"},
		{backgroundQueues("a", 1, 1, "d/1", "10.0.0.1", "", "d/2", "::ffff:10.0.0.1"), "background_queues.queues[1].destinations[0]"},
		{manyCaps, "rate_caps.caps: 65"},
		{spoiled(func(c *pb.RateCap) { c.Port = "" }), "rate_caps.caps[1].port"},
		{spoiled(func(c *pb.RateCap) { c.Downstream = "" }), "rate_caps.caps[1].downstream"},
		{spoiled(func(c *pb.RateCap) { c.BitsPerSecond = 1 << 60 }), "rate_caps.caps[1].bits_per_second"},
		{spoiled(func(c *pb.RateCap) { c.HoldNanos = 0 }), "rate_caps.caps[1].hold_nanos"},
		{spoiled(func(c *pb.RateCap) { c.HoldNanos = 10_000_000_001 }), "rate_caps.caps[1].hold_nanos"},
	} {
		b := newTableTest(t)
		_, err := b.table.receive(0, c.message)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("error %v, want it to name %s", err, c.names)
		}
		b.expect()
	}
}

// A port agent's end of the link takes them; that of an agent without queues does nothing with them.
func TestQueuesAndCapsAreApplied(t *testing.T) {
	s := newPortFixture(t, "of:0000000000000001")
	f := newFakeController("onos1")
	f.lease = time.Second
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	f.out <- f.leased(backgroundQueues("onos1", 1, 1, "d/1", "10.0.0.1"))
	f.out <- f.leased(rateCaps("onos1", 1, 1, rateCap("d/1", 8_000_000)))
	eventually(t, "applied", func() bool {
		return s.notes.has("queues of p/1: [{d/1 [10.0.0.1]}]") && s.notes.has("cap p/1>d/1 8000000 for 100ms")
	})
	// It is killed: its queues end with its lease. Nobody need end its caps.
	s.notes.since()
	f.server.Stop()
	eventually(t, "its queues have ended", func() bool { return s.notes.has("queues of p/1: []") })
	if lines := s.notes.since(); !slices.Equal(lines, []string{"onos1 lease", "queues of p/1: []"}) {
		t.Errorf("%q", lines)
	}
	table := newDecisionTable(&validator{t}, testLease)
	for _, m := range []*pb.ControllerMessage{
		backgroundQueues("a", 1, 1, "d/1"), rateCaps("a", 1, 1, rateCap("d/1", 8)), welcome("a"),
	} {
		if stale, err := table.receive(0, m); err != nil || stale != 0 {
			t.Errorf("%v: %d, %v", m, stale, err)
		}
	}
}
