// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/flowsocket"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func TestDeadlineRequestsNeedAnEndpointAndAController(t *testing.T) {
	t.Parallel()
	problem := func(h *host, flow model.FlowID) flowsocket.Problem {
		t.Helper()
		_, err := h.agent.HandleFlows(context.Background(), model.FlowRequest{Register: &model.DeadlineRequest{Flow: flow, SizeBytes: 1}})
		var problem flowsocket.Problem
		if !errors.As(err, &problem) {
			t.Errorf("%v", err)
		}
		return problem
	}
	own := model.FlowID{Source: ownIP, Destination: peerIP}
	alone := newHost(t, nil).run()
	if p := problem(alone, own); p.Status != 503 || p.Remedy == "" {
		t.Errorf("stand-alone: %+v", p)
	}
	if err := alone.stop(); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, nil).runWith((&observer{t: t}).connect)
	if p := problem(h, model.FlowID{Source: otherIP, Destination: peerIP}); p.Status != 400 || p.Field != "source" {
		t.Errorf("not its own: %+v", p)
	}
	if p := problem(h, own); p.Status != 503 {
		t.Errorf("no controller connected: %+v", p)
	}
}
