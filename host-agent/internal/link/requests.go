// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"sync"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxPendingRequests that wait for an answer at once.
const maxPendingRequests = 1024

// Why a request has no answer.
var (
	ErrNoController    = errors.New("no controller is connected")
	ErrNoAnswer        = errors.New("no controller has answered in time")
	ErrTooManyRequests = errors.New("too many requests are pending")
)

// numberedRequest has the number that its answer repeats.
type numberedRequest struct {
	number uint64
	model.FlowRequest
}

// pendingRequests are requests about flows that wait for an answer. They are sent to all connected
// controllers; the policy leader answers.
type pendingRequests struct {
	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan model.FlowAnswer
}

func (p *pendingRequests) begin() (uint64, chan model.FlowAnswer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) >= maxPendingRequests {
		return 0, nil, ErrTooManyRequests
	}
	if p.waiting == nil {
		p.waiting = map[uint64]chan model.FlowAnswer{}
	}
	p.last++
	answer := make(chan model.FlowAnswer, 1)
	p.waiting[p.last] = answer
	return p.last, answer, nil
}

func (p *pendingRequests) end(request uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, request)
}

// answered takes an answer; one to a request that waits no longer is dropped.
func (p *pendingRequests) answered(request uint64, answer model.FlowAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waits, ok := p.waiting[request]; ok {
		waits <- answer
		delete(p.waiting, request)
	}
}

// RequestFlow sends a request about flows with deadlines and waits for the answer, until ctx ends.
func (c *Client) RequestFlow(ctx context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
	number, answer, err := c.requests.begin()
	if err != nil {
		return model.FlowAnswer{}, err
	}
	defer c.requests.end(number)
	sent := false
	for _, to := range c.controllers {
		sent = to.outbox.request(numberedRequest{number, request}) || sent
	}
	if !sent {
		return model.FlowAnswer{}, ErrNoController
	}
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done():
		return model.FlowAnswer{}, ErrNoAnswer
	}
}
