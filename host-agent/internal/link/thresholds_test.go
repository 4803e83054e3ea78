// SPDX-License-Identifier: Apache-2.0

package link

import (
	"strings"
	"testing"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
)

func markingThresholds(node string, term, sequence uint64, packets ...uint32) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_MarkingThresholds{MarkingThresholds: &pb.MarkingThresholds{
		Ports: []*pb.PortThresholds{{Port: "p/1", Packets: packets, HoldNanos: uint64(capHold)}},
	}}
	return m
}

func TestTheNewestMastersMarkingThresholdsHold(t *testing.T) {
	b := newTableTest(t)
	b.receive(markingThresholds("a", 5, 1, 8, 4), 0, "thresholds of p/1: [8 4] for 100ms")
	b.receive(markingThresholds("a", 5, 1, 9, 3), 1)
	b.receive(markingThresholds("b", 6, 1, 7, 5), 0, "thresholds of p/1: [7 5] for 100ms")
	b.receive(markingThresholds("a", 5, 2, 9, 3), 1)
	b.now = testLease.Nanoseconds()
	b.table.expire(b.now)
	b.expect("a lease", "b lease")
	b.receive(markingThresholds("a", 5, 3, 9, 3), 0, "thresholds of p/1: [9 3] for 100ms")
	// A controller that has lost its memory begins anew.
	b.receive(welcome("a"), 0)
	b.receive(markingThresholds("a", 5, 1, 6), 0, "thresholds of p/1: [6] for 100ms")
}

func TestMalformedMarkingThresholdsAreRefused(t *testing.T) {
	nameless, forever := markingThresholds("a", 1, 1, 8), markingThresholds("a", 1, 1, 8)
	nameless.GetMarkingThresholds().Ports[0].Port = ""
	forever.GetMarkingThresholds().Ports[0].HoldNanos = uint64(maxCapHold) + 1
	for _, c := range []struct {
		message *pb.ControllerMessage
		names   string
	}{
		{nameless, "marking_thresholds.ports[0].port"},
		{forever, "marking_thresholds.ports[0].hold_nanos"},
		{markingThresholds("a", 1, 1), "marking_thresholds.ports[0].packets"},
		{markingThresholds("a", 1, 1, 8, 0), "marking_thresholds.ports[0].packets[1]"},
		{markingThresholds("a", 1, 1, 1, 2, 3, 4, 5), "marking_thresholds.ports[0].packets"},
	} {
		b := newTableTest(t)
		if _, err := b.table.receive(0, c.message); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%v, want a refusal that names %s", err, c.names)
		}
	}
}
