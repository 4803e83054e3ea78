// SPDX-License-Identifier: Apache-2.0

package link

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func marksFrom(source string, sequence, marks uint64) model.Feedback {
	return model.Feedback{
		Pair:     model.Pair{Source: netip.MustParseAddr(source), Destination: netip.MustParseAddr("10.0.0.1")},
		Instance: 7, Sequence: sequence, Packets: 10 * marks, CEPackets: marks, Bytes: 15_000 * marks,
	}
}

// The newest totals of each pair wait, for a millisecond after the last report.
func TestPendingMarksAreTheNewestTotals(t *testing.T) {
	o := newMarksOutbox()
	o.add([]model.Feedback{marksFrom("10.0.0.5", 1, 1), marksFrom("10.0.0.6", 1, 1)})
	o.add([]model.Feedback{marksFrom("10.0.0.5", 2, 5)})
	taken, _ := o.take(1_000_000)
	if report := markReportOf(taken); len(report.GetPairs()) != 2 || taken[marksFrom("10.0.0.5", 0, 0).Pair].CEPackets != 5 {
		t.Errorf("%v", report)
	}
	o.add([]model.Feedback{marksFrom("10.0.0.5", 3, 6)})
	if taken, due := o.take(1_500_000); taken != nil || due != 2_000_000 {
		t.Errorf("%v, due %d, want it at 2 ms", taken, due)
	}
	if taken, _ := o.take(2_000_000); len(taken) != 1 {
		t.Errorf("%v", taken)
	}
	if taken, due := o.take(9_000_000); taken != nil || due != 0 {
		t.Errorf("%v, due %d, where nothing waits", taken, due)
	}
}

// A controller that does not pass marks on gets none, and the agent knows.
func TestMarksAreSentToControllersThatRelayThem(t *testing.T) {
	s := newLinkFixture(t)
	older, newer := newFakeController("onos1"), newFakeController("onos2")
	newer.relaysMarks = true
	older.start(t, s.authority, "controller")
	newer.start(t, s.authority, "controller")
	s.run(older, newer)
	eventually(t, "connected with the older one", s.connected)
	sent := marksFrom("10.0.0.5", 1, 3)
	eventually(t, "the session takes marks", func() bool { return s.client.ReturnMarks([]model.Feedback{sent}) })
	isIt := func(m *pb.AgentMessage) bool {
		pairs := m.GetMarkReport().GetPairs()
		return len(pairs) == 1 && pairs[0].GetInstance() == 7 && pairs[0].GetSequence() == 1 && pairs[0].GetPackets() == 30 &&
			pairs[0].GetMarks() == 3 && pairs[0].GetBytes() == 45_000 && slices.Equal(pairs[0].GetSource(), []byte{10, 0, 0, 5})
	}
	eventually(t, "the marks are there", func() bool { return newer.receivedAny(isIt) })
	if older.receivedAny(func(m *pb.AgentMessage) bool { return m.GetMarkReport() != nil }) {
		t.Error("an older controller got marks")
	}
	newer.server.Stop()
	eventually(t, "nobody passes marks on", func() bool { return !s.client.ReturnMarks([]model.Feedback{sent}) })
	if !s.connected() {
		t.Error("the older controller has gone, too")
	}
}

// They have an order of their own, and bring up a node's lease like all messages.
func TestReturnedMarksAreNeverStale(t *testing.T) {
	seen := &recorder{}
	table := newDecisionTable(seen, time.Second)
	returned := message("n1", 5, 9)
	returned.Body = &pb.ControllerMessage_ReturnedMarks{ReturnedMarks: &pb.ReturnedMarks{
		Pairs: markReportOf(map[model.Pair]model.Feedback{{}: {}}).GetPairs()}}
	if _, err := table.receive(0, returned); err == nil {
		t.Error("marks without addresses were taken")
	}
	one := marksFrom("10.0.0.5", 1, 3)
	pairs := markReportOf(map[model.Pair]model.Feedback{one.Pair: one}).GetPairs()
	for range 2 {
		returned := message("n1", 0, 9)
		returned.Body = &pb.ControllerMessage_ReturnedMarks{ReturnedMarks: &pb.ReturnedMarks{Pairs: pairs}}
		if stale, err := table.receive(0, returned); stale != 0 || err != nil {
			t.Errorf("%d stale, %v", stale, err)
		}
	}
	undelivered := message("n1", 0, 1)
	undelivered.Body = &pb.ControllerMessage_UndeliveredMarks{UndeliveredMarks: &pb.UndeliveredMarks{Pairs: pairs}}
	if _, err := table.receive(0, undelivered); err != nil {
		t.Error(err)
	}
	want := []string{"n1 marks 10.0.0.5>10.0.0.1 3", "n1 marks 10.0.0.5>10.0.0.1 3", "n1 undelivered 10.0.0.5>10.0.0.1"}
	if !slices.Equal(seen.lines, want) {
		t.Errorf("%q", seen.lines)
	}
}
