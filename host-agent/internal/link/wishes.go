// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"fmt"
	"sync"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxWishes that wait for an answer at once.
const maxWishes = 1024

// Why a wish has no answer.
var (
	ErrNoController  = errors.New("no controller is connected")
	ErrNoAnswer      = errors.New("no controller has answered in time")
	ErrTooManyWishes = errors.New("too many requests wait for an answer already")
)

// wishes are requests about flows that wait for an answer. All connected controllers are asked; the one
// that keeps the policy leadership answers.
type wishes struct {
	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan model.FlowAnswer
}

func (w *wishes) begin() (uint64, chan model.FlowAnswer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) >= maxWishes {
		return 0, nil, ErrTooManyWishes
	}
	if w.waiting == nil {
		w.waiting = map[uint64]chan model.FlowAnswer{}
	}
	w.last++
	answer := make(chan model.FlowAnswer, 1)
	w.waiting[w.last] = answer
	return w.last, answer, nil
}

func (w *wishes) end(request uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, request)
}

// answered takes an answer; one that nobody waits for any more is dropped.
func (w *wishes) answered(request uint64, answer model.FlowAnswer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if waits, ok := w.waiting[request]; ok {
		waits <- answer
		delete(w.waiting, request)
	}
}

// AskFlow asks the controllers about flows with deadlines and waits for the answer, until ctx ends.
func (c *Client) AskFlow(ctx context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
	number, answer, err := c.wishes.begin()
	if err != nil {
		return model.FlowAnswer{}, err
	}
	defer c.wishes.end(number)
	asked := false
	for _, to := range c.controllers {
		asked = to.outbox.ask(numberedRequest{number, request}) || asked
	}
	if !asked {
		return model.FlowAnswer{}, ErrNoController
	}
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done():
		return model.FlowAnswer{}, ErrNoAnswer
	}
}

type numberedRequest struct {
	number uint64
	model.FlowRequest
}

func flowRequestOf(request numberedRequest) *pb.FlowRequest {
	message := &pb.FlowRequest{Request: request.number}
	switch {
	case request.Register != nil:
		wish := request.Register
		message.What = &pb.FlowRequest_Register{Register: &pb.FlowWish{
			Flow: flowIDOf(wish.Flow), SizeBytes: wish.SizeBytes, DueInNanos: wish.DueInNanos, Force: wish.Force,
		}}
	case request.List:
		message.What = &pb.FlowRequest_Query{Query: &pb.FlowQuery{}}
	default:
		message.What = &pb.FlowRequest_Remove{Remove: request.Remove}
	}
	return message
}

func flowAnswerOf(message *pb.FlowAnswer) (model.FlowAnswer, error) {
	switch answer := message.GetAnswer().(type) {
	case *pb.FlowAnswer_Registered:
		return model.FlowAnswer{Registered: &model.RegisteredFlow{
			ID: answer.Registered.GetId(), Promised: answer.Registered.GetPromised(),
		}}, nil
	case *pb.FlowAnswer_CannotBeMet:
		return model.FlowAnswer{CannotBeMet: &model.CannotBeMet{EarliestNanos: answer.CannotBeMet.EarliestNanos}}, nil
	case *pb.FlowAnswer_Refused:
		return model.FlowAnswer{Refused: &model.Refusal{
			Field: answer.Refused.GetField(), Detail: answer.Refused.GetDetail(),
		}}, nil
	case *pb.FlowAnswer_Removed:
		return model.FlowAnswer{Removed: &answer.Removed}, nil
	case *pb.FlowAnswer_Flows:
		list := []model.RegisteredFlow{}
		for i, one := range answer.Flows.GetFlows() {
			flow, err := flowOf(fmt.Sprintf("flow_answer.flows[%d].flow", i), one.GetFlow())
			if err != nil {
				return model.FlowAnswer{}, err
			}
			list = append(list, model.RegisteredFlow{
				ID: one.GetId(), Flow: flow, SizeBytes: one.GetSizeBytes(), RemainingBytes: one.GetRemainingBytes(),
				DueInNanos: one.GetDueInNanos(), Promised: one.GetPromised(), State: one.GetState(),
			})
		}
		return model.FlowAnswer{Flows: list}, nil
	}
	return model.FlowAnswer{}, errors.New("flow_answer: without an answer that is known here")
}
