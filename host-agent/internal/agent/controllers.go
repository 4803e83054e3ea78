// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// controllers is the agent link as the agent uses it.
type controllers interface {
	model.Observer
	Counters() link.Counters
	WatchFlows(on bool)
	ObserveFlows([]model.FlowUpdate)
	AskFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error)
	Run(ctx context.Context)
}

// standAlone stands in for the link of an agent whose configuration names no controllers.
type standAlone struct{}

var errStandsAlone = errors.New("this agent has no controllers: its configuration names none")

func (standAlone) Observe(model.Observation)             {}
func (standAlone) Report(model.Event)                    {}
func (standAlone) Controllers() []model.ControllerStatus { return []model.ControllerStatus{} }
func (standAlone) Counters() link.Counters               { return link.Counters{} }
func (standAlone) WatchFlows(bool)                       {}
func (standAlone) ObserveFlows([]model.FlowUpdate)       {}
func (standAlone) Run(context.Context)                   {}
func (standAlone) AskFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error) {
	return model.FlowAnswer{}, errStandsAlone
}

// standsAlone says that there is nobody to report to.
func (a *Agent) standsAlone() bool { return a.controllers == controllers(standAlone{}) }

// connector prepares the agent link.
type connector func(a *Agent, endpoints []model.Endpoint) (controllers, error)

// linkControllers finds a certificate that does not fit before anything on the host is changed.
func linkControllers(a *Agent, endpoints []model.Endpoint) (controllers, error) {
	if len(a.config.Controllers) == 0 {
		return standAlone{}, nil
	}
	return link.New(link.Config{
		Controllers:     a.config.Controllers,
		CAFile:          a.config.TLS.CA,
		CertificateFile: a.config.TLS.Certificate,
		KeyFile:         a.config.TLS.Key,
		Lease:           a.config.Lease(),
		Tau:             a.pacer.Tau(),
		Log:             a.log,
		Clock:           clock.Nanos,
	}, a.hello(endpoints), a)
}

func (a *Agent) hello(endpoints []model.Endpoint) model.Hello {
	hello := model.Hello{
		Host: a.config.Host, AgentVersion: a.version,
		UplinkInterface:             a.uplink.Name,
		UplinkMAC:                   a.uplink.MAC,
		UplinkCapacityBitsPerSecond: a.config.Uplink.CapacityBitsPerSecond(),
		Endpoints:                   endpoints,
	}
	for _, result := range a.features {
		hello.Features = append(hello.Features, result.Feature)
	}
	return hello
}

// reportEndpoints reports all endpoints whose addresses are known to controllers, if there was a change.
func (a *Agent) reportEndpoints() {
	if known, changed := a.endpoints.Changes(); changed {
		a.controllers.Report(model.Event{Kind: model.EndpointsChanged, Endpoints: known})
	}
}
