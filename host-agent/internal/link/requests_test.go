// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"testing"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// latestRequest is the latest that was received.
func (f *fakeController) latestRequest() *pb.FlowRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	var last *pb.FlowRequest
	for _, m := range f.received {
		if request := m.GetFlowRequest(); request != nil {
			last = request
		}
	}
	return last
}

func (f *fakeController) answer(request uint64, answer *pb.FlowAnswer) {
	m := f.message(1, 1)
	answer.Request = request
	m.Body = &pb.ControllerMessage_FlowAnswer{FlowAnswer: answer}
	f.out <- m
}

func TestRequestsAreAnswered(t *testing.T) {
	s := newLinkFixture(t)
	leader, other := newFakeController("onos1"), newFakeController("onos2")
	leader.start(t, s.authority, "controller")
	other.start(t, s.authority, "controller")
	s.run(leader, other)
	eventually(t, "connected", func() bool { return s.client.Controllers()[0].Connected && s.client.Controllers()[1].Connected })
	request := func(what model.FlowRequest, answer *pb.FlowAnswer) model.FlowAnswer {
		t.Helper()
		before := leader.latestRequest().GetRequest()
		got := make(chan model.FlowAnswer, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			answered, err := s.client.RequestFlow(ctx, what)
			if err != nil {
				t.Error(err)
			}
			got <- answered
		}()
		eventually(t, "sent to all", func() bool {
			return leader.latestRequest().GetRequest() > before && other.latestRequest().GetRequest() > before
		})
		number := leader.latestRequest().GetRequest()
		leader.answer(number+1000, &pb.FlowAnswer{Answer: &pb.FlowAnswer_Removed{Removed: true}}) // of another request
		leader.answer(number, answer)
		answered := <-got
		leader.answer(number, answer) // again: no request waits for it
		return answered
	}
	deadlineRequest := model.DeadlineRequest{Flow: testFlow(1), SizeBytes: 400_000, DueInNanos: 300_000_000, Force: true}
	answer := request(model.FlowRequest{Register: &deadlineRequest}, &pb.FlowAnswer{Answer: &pb.FlowAnswer_Registered{
		Registered: &pb.Registered{Id: 7, Promised: true}}})
	if sent := leader.latestRequest().GetRegister(); sent.GetSizeBytes() != 400_000 || sent.GetDueInNanos() != 300_000_000 ||
		!sent.GetForce() || sent.GetFlow().GetDestinationPort() != 5001 {
		t.Errorf("sent %v", sent)
	}
	if answer.Registered == nil || answer.Registered.ID != 7 || !answer.Registered.Promised {
		t.Errorf("%+v", answer)
	}
	earliest := uint64(9)
	answer = request(model.FlowRequest{Register: &deadlineRequest}, &pb.FlowAnswer{Answer: &pb.FlowAnswer_CannotBeMet{
		CannotBeMet: &pb.CannotBeMet{EarliestNanos: &earliest}}})
	if answer.CannotBeMet == nil || *answer.CannotBeMet.EarliestNanos != 9 {
		t.Errorf("%+v", answer)
	}
	answer = request(model.FlowRequest{List: true}, &pb.FlowAnswer{Answer: &pb.FlowAnswer_Flows{Flows: &pb.FlowList{
		Flows: []*pb.RegisteredFlow{{Id: 3, Flow: flowIDOf(testFlow(0)), DueInNanos: -4, State: "missed"}}}}})
	if leader.latestRequest().GetQuery() == nil || len(answer.Flows) != 1 || answer.Flows[0].DueInNanos != -4 ||
		answer.Flows[0].Flow != testFlow(0) {
		t.Errorf("%+v", answer)
	}
	answer = request(model.FlowRequest{Remove: 3}, &pb.FlowAnswer{Answer: &pb.FlowAnswer_Removed{Removed: false}})
	if leader.latestRequest().GetRemove() != 3 || answer.Removed == nil || *answer.Removed {
		t.Errorf("%+v", answer)
	}
	answer = request(model.FlowRequest{Remove: 3}, &pb.FlowAnswer{Answer: &pb.FlowAnswer_Refused{
		Refused: &pb.Refused{Field: "id", Detail: "why"}}})
	if answer.Refused == nil || answer.Refused.Detail != "why" {
		t.Errorf("%+v", answer)
	}
}

func TestRequestsWithoutAnAnswer(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.client.RequestFlow(ctx, model.FlowRequest{List: true}); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("%v, want it to be late", err)
	}
	f.server.Stop()
	eventually(t, "disconnected", func() bool { return !s.connected() })
	if _, err := s.client.RequestFlow(context.Background(), model.FlowRequest{List: true}); !errors.Is(err, ErrNoController) {
		t.Errorf("%v, want no controller to be there", err)
	}
	var pending pendingRequests
	for range maxPendingRequests {
		if _, _, err := pending.begin(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := pending.begin(); !errors.Is(err, ErrTooManyRequests) {
		t.Errorf("%v, want a bound", err)
	}
}
