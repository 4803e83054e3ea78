// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"

	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsocket"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// HandleFlows hands an application's request about flows with deadlines to the controllers.
func (a *Agent) HandleFlows(ctx context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
	if standsAlone(a.loop.controllers) {
		return model.FlowAnswer{}, flowsocket.Unavailable(errNoControllers)
	}
	if request.Register != nil {
		source := request.Register.Flow.Source
		own, err := engine.Call(a.inbox, func() (bool, error) { return a.loop.endpoints.Of(source) != nil, nil })
		if err != nil {
			return model.FlowAnswer{}, flowsocket.Unavailable(err)
		}
		if !own {
			return model.FlowAnswer{}, flowsocket.NotAnEndpoint(source.String())
		}
	}
	answer, err := a.loop.controllers.RequestFlow(ctx, request)
	switch {
	case errors.Is(err, link.ErrNoAnswer):
		return answer, flowsocket.Late(err)
	case err != nil:
		return answer, flowsocket.Unavailable(err)
	}
	return answer, nil
}
