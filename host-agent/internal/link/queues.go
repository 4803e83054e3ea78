// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxCapHold = 10 * time.Second
	// maxCaps of one message: one for each queue that a port may have.
	maxCaps = model.MaxBackgroundQueues
)

// queueTable has the background queues that nodes published, and decides whose hold. Terms of a switch's masters
// grow from one to the next, so the newest master's hold; the former master may not have been notified yet.
type queueTable struct {
	ports    map[model.Port]map[string]publishedQueues
	received uint64
}

// publishedQueues are a port's as one node published them last.
type publishedQueues struct {
	term     uint64
	received uint64 // grows
	queues   model.BackgroundQueues
}

func (p publishedQueues) newerThan(other publishedQueues) bool {
	return p.term > other.term || p.term == other.term && p.received > other.received
}

func newQueueTable() *queueTable {
	return &queueTable{ports: map[model.Port]map[string]publishedQueues{}}
}

// publish enters a node's queues for a port; true if they hold.
func (t *queueTable) publish(id string, term uint64, queues model.BackgroundQueues) bool {
	published := t.ports[queues.Port]
	if published == nil {
		published = map[string]publishedQueues{}
		t.ports[queues.Port] = published
	}
	t.received++
	published[id] = publishedQueues{term, t.received, queues}
	by, _ := t.effective(queues.Port)
	return by == id
}

// effective are the queues that hold for a port; without any they have no node.
func (t *queueTable) effective(port model.Port) (by string, queues model.BackgroundQueues) {
	var newest publishedQueues
	for id, published := range t.ports[port] {
		if by == "" || published.newerThan(newest) {
			by, newest = id, published
		}
	}
	newest.queues.Port = port
	return by, newest.queues
}

// void removes what a node has published, and returns what holds instead for the ports where its queues did.
func (t *queueTable) void(id string) []model.BackgroundQueues {
	var replaced []model.BackgroundQueues
	for port, published := range t.ports {
		if _, did := published[id]; !did {
			continue
		}
		by, _ := t.effective(port)
		delete(published, id)
		if len(published) == 0 {
			delete(t.ports, port)
		}
		if by == id {
			_, instead := t.effective(port)
			replaced = append(replaced, instead)
		}
	}
	return replaced
}

func (t *decisionTable) applyQueues(m incoming) error {
	queues, err := backgroundQueuesOf(m.GetBackgroundQueues())
	if err == nil && t.fresh(m, subject{port: queues.Port}) && t.queues.publish(m.id, m.at.term, queues) {
		t.decideQueues(queues)
	}
	return err
}

func (t *decisionTable) decideQueues(queues model.BackgroundQueues) {
	decide(t, func(to model.QueueDecisions) { to.ApplyBackgroundQueues(queues) })
}

func (t *decisionTable) applyCaps(m incoming) error {
	caps, err := rateCapsOf(m.GetRateCaps())
	if err != nil {
		return err
	}
	caps = slices.DeleteFunc(caps, func(c model.RateCap) bool { return !t.ofLeader(m, subject{port: c.Port, downstream: c.Downstream}) })
	if len(caps) > 0 {
		decide(t, func(to model.QueueDecisions) { to.ApplyRateCaps(caps) })
	}
	return nil
}

// voidQueues ends the background queues of a node. Caps end by themselves.
func (t *decisionTable) voidQueues(id string) {
	for _, instead := range t.queues.void(id) {
		t.decideQueues(instead)
	}
}

func backgroundQueuesOf(message *pb.BackgroundQueues) (model.BackgroundQueues, error) {
	result := model.BackgroundQueues{Port: model.Port(message.GetPort())}
	if err := name("background_queues.port", message.GetPort()); err != nil {
		return result, err
	}
	if count := len(message.GetQueues()); count > model.MaxBackgroundQueues {
		return result, fmt.Errorf("background_queues.queues: %d; a port has at most %d", count, model.MaxBackgroundQueues)
	}
	queueOf := map[netip.Addr]int{}
	downstreams := map[string]bool{}
	for i, q := range message.GetQueues() {
		at := fmt.Sprintf("background_queues.queues[%d]", i)
		if err := name(at+".downstream", q.GetDownstream()); err != nil {
			return result, err
		}
		if downstreams[q.GetDownstream()] {
			return result, fmt.Errorf("%s.downstream: %q occurs twice", at, q.GetDownstream())
		}
		downstreams[q.GetDownstream()] = true
		if count := len(queueOf) + len(q.GetDestinations()); count > model.MaxBackgroundDestinations {
			return result, fmt.Errorf("%s.destinations: %d with those before; a port has at most %d", at, count,
				model.MaxBackgroundDestinations)
		}
		destinations, err := addresses(at+".destinations", q.GetDestinations())
		if err != nil {
			return result, err
		}
		for j, destination := range destinations {
			if other, is := queueOf[destination]; is {
				return result, fmt.Errorf("%s.destinations[%d]: %v is in queues[%d], too: it waits in one", at, j, destination, other)
			}
			queueOf[destination] = i
		}
		result.Queues = append(result.Queues, model.BackgroundQueue{
			Downstream: model.Port(q.GetDownstream()), Destinations: destinations,
		})
	}
	return result, nil
}

func rateCapsOf(message *pb.RateCaps) ([]model.RateCap, error) {
	if count := len(message.GetCaps()); count > maxCaps {
		return nil, fmt.Errorf("rate_caps.caps: %d; send at most %d at once", count, maxCaps)
	}
	caps := make([]model.RateCap, 0, len(message.GetCaps()))
	for i, c := range message.GetCaps() {
		at := fmt.Sprintf("rate_caps.caps[%d]", i)
		if err := name(at+".port", c.GetPort()); err != nil {
			return nil, err
		}
		if err := name(at+".downstream", c.GetDownstream()); err != nil {
			return nil, err
		}
		if c.GetBitsPerSecond() > maxRateBitsPerSecond {
			return nil, fmt.Errorf("%s.bits_per_second: %d must be at most %d bit/s, or 0 to end the cap", at,
				c.GetBitsPerSecond(), uint64(maxRateBitsPerSecond))
		}
		hold := c.GetHoldNanos()
		if c.GetBitsPerSecond() > 0 && (hold == 0 || hold > uint64(maxCapHold.Nanoseconds())) {
			return nil, fmt.Errorf("%s.hold_nanos: %d must be from 1 to %d", at, hold, maxCapHold.Nanoseconds())
		}
		caps = append(caps, model.RateCap{
			Port: model.Port(c.GetPort()), Downstream: model.Port(c.GetDownstream()), BitsPerSecond: c.GetBitsPerSecond(),
			HoldNanos: int64(min(hold, uint64(maxCapHold.Nanoseconds()))),
		})
	}
	return caps, nil
}

func levelSamplesOf(samples []model.LevelQueueSample) []*pb.LevelQueueSample {
	var result []*pb.LevelQueueSample
	for _, s := range samples {
		result = append(result, &pb.LevelQueueSample{
			SentPackets: s.SentPackets, SentBytes: s.SentBytes, DroppedPackets: s.DroppedPackets, BacklogPackets: s.BacklogPackets,
		})
	}
	return result
}

func backgroundSamplesOf(samples []model.BackgroundQueueSample) []*pb.BackgroundQueueSample {
	var result []*pb.BackgroundQueueSample
	for _, s := range samples {
		result = append(result, &pb.BackgroundQueueSample{
			Downstream: string(s.Downstream), SentBytes: s.SentBytes, DroppedPackets: s.DroppedPackets,
			BacklogPackets: s.BacklogPackets, CapBitsPerSecond: s.CapBitsPerSecond,
		})
	}
	return result
}
