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

// AskFlow passes an application's request about flows with deadlines on to the controllers.
func (a *Agent) AskFlow(ctx context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
	if a.standsAlone() {
		return model.FlowAnswer{}, flowsocket.Unavailable(errStandsAlone)
	}
	if request.Register != nil {
		source := request.Register.Flow.Source
		known, err := engine.Call(a.inbox, func() (bool, error) { return a.endpoints.Of(source) != nil, nil })
		if err != nil {
			return model.FlowAnswer{}, flowsocket.Unavailable(err)
		}
		if !known {
			return model.FlowAnswer{}, flowsocket.NotAnEndpoint(source.String())
		}
	}
	answer, err := a.controllers.AskFlow(ctx, request)
	switch {
	case errors.Is(err, link.ErrNoAnswer):
		return answer, flowsocket.Late(err)
	case err != nil:
		return answer, flowsocket.Unavailable(err)
	}
	return answer, nil
}
