// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// controllers is the agent link as the engine uses it; nil where the agent stands alone.
type controllers interface {
	model.Observer
	Counters() link.Counters
	WatchFlows(on bool)
	ObserveFlows([]model.FlowUpdate)
	AskFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error)
	Run(ctx context.Context)
}

// dialControllers prepares the agent link; a certificate that does not fit is found here, before
// anything on the host is changed.
func (a *Agent) dialControllers(endpoints []model.Endpoint) error {
	if len(a.config.Controllers) == 0 {
		return nil
	}
	client, err := link.New(link.Config{
		Controllers:     a.config.Controllers,
		CAFile:          a.config.TLS.CA,
		CertificateFile: a.config.TLS.Certificate,
		KeyFile:         a.config.TLS.Key,
		Lease:           a.config.Lease(),
		Tau:             a.pacer.Tau(),
		Log:             a.log,
		Clock:           clock.Nanos,
	}, a.hello(endpoints), a)
	if err != nil {
		return err
	}
	a.controllers = client
	return nil
}

func (a *Agent) hello(endpoints []model.Endpoint) model.Hello {
	hello := model.Hello{
		Host: a.config.Host, AgentVersion: a.version,
		UplinkInterface:             a.uplink.name,
		UplinkMAC:                   a.uplink.mac,
		UplinkCapacityBitsPerSecond: a.config.Uplink.CapacityBitsPerSecond(),
		Endpoints:                   endpoints,
	}
	for _, result := range a.features {
		hello.Features = append(hello.Features, result.Feature)
	}
	return hello
}

// reportEndpoints tells controllers of all endpoints whose addresses are known, if there is news.
func (a *Agent) reportEndpoints() {
	if !a.endpointsChanged {
		return
	}
	a.endpointsChanged = false
	if a.controllers == nil {
		return
	}
	endpoints := []model.Endpoint{}
	for _, e := range a.endpoints {
		if e.known() {
			endpoints = append(endpoints, e.Endpoint)
		}
	}
	a.controllers.Report(model.Event{Kind: model.EndpointsChanged, Endpoints: endpoints})
}
