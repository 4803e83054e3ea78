// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"
	"testing"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func lossAnswers(sequence uint64, answers ...*pb.LossAnswer) *pb.ControllerMessage {
	m := message("a", 1, sequence)
	m.Body = &pb.ControllerMessage_LossAnswers{LossAnswers: &pb.LossAnswers{Answers: answers}}
	return m
}

func resends(sequence uint64, list ...*pb.Resend) *pb.ControllerMessage {
	m := message("a", 1, sequence)
	m.Body = &pb.ControllerMessage_Resends{Resends: &pb.Resends{Resends: list}}
	return m
}

func TestAnswersToLosses(t *testing.T) {
	b := newTableTest(t)
	good := &pb.LossAnswer{Flow: flowIDOf(testFlow(7)), Sequence: 1000, PayloadBytes: 1448}
	b.receive(lossAnswers(1, good), 0, "a lost 10.0.0.1:7 > 10.0.0.5:5001 1000+1448")
	b.receive(lossAnswers(1, good), 1)
	b.receive(resends(1, &pb.Resend{Port: "p/1", Kept: 9}), 0, "a resend p/1 9")
	b.receive(resends(1, &pb.Resend{Port: "p/1", Kept: 9}), 1)
	for name, m := range map[string]*pb.ControllerMessage{
		"a pattern":    lossAnswers(2, good, &pb.LossAnswer{Flow: flowIDOf(testFlow(0)), PayloadBytes: 1}),
		"nothing lost": lossAnswers(2, good, &pb.LossAnswer{Flow: flowIDOf(testFlow(1))}),
		"too much":     lossAnswers(2, &pb.LossAnswer{Flow: flowIDOf(testFlow(1)), PayloadBytes: 1 << 31}),
		"no packet":    resends(2, &pb.Resend{Port: "p/1"}),
		"no port":      resends(2, &pb.Resend{Kept: 1}),
	} {
		if _, err := b.table.receive(b.now, m); err == nil {
			t.Errorf("%s: accepted", name)
		}
		b.expect()
	}
}

func TestLossesAreReported(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	s.client.ReportLosses([]model.Loss{{Port: "p/1", Flow: testFlow(7), Sequence: 1000, PayloadBytes: 1448, Kept: 9}})
	eventually(t, "reported", func() bool {
		return f.receivedAny(func(m *pb.AgentMessage) bool {
			losses := m.GetLossReport().GetLosses()
			return len(losses) == 1 && losses[0].GetPort() == "p/1" && losses[0].GetFlow().GetSourcePort() == 7 &&
				losses[0].GetSequence() == 1000 && losses[0].GetPayloadBytes() == 1448 && losses[0].GetKept() == 9
		})
	})
	// Of frames as many as a message has room for; what is lost is reported all the same.
	big := make([]byte, 1514)
	message := lossReportOf(slices.Repeat([]model.Loss{{Port: "p/1", Flow: testFlow(7), Frame: big}}, maxWaitingLosses))
	withFrame := 0
	for _, l := range message.GetLosses() {
		withFrame += len(l.GetFrame()) / len(big)
	}
	if want := maxLostFrameBytes / len(big); withFrame != want || len(message.GetLosses()) != maxWaitingLosses {
		t.Errorf("%d of %d with their frames, want %d", withFrame, len(message.GetLosses()), want)
	}
	// Only connected controllers receive them, and of too many the newest.
	o := newOutbox()
	o.reportLosses([]model.Loss{{Kept: 1}})
	if waiting := o.takeLosses(); len(waiting) != 0 {
		t.Errorf("%d wait without a session", len(waiting))
	}
	o.begin()
	o.reportLosses(slices.Repeat([]model.Loss{{Kept: 1}}, maxWaitingLosses))
	o.reportLosses([]model.Loss{{Kept: 2}})
	if waiting := o.takeLosses(); len(waiting) != maxWaitingLosses || waiting[maxWaitingLosses-1].Kept != 2 {
		t.Errorf("%d wait", len(waiting))
	}
	if _, dropped := o.dropped(); dropped != 1 {
		t.Errorf("%d counted as dropped", dropped)
	}
}
