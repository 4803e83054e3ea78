// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints"
)

// controllers is the agent link as the agent uses it.
type controllers interface {
	model.Observer
	ObserveQueues(model.PortObservation)
	Counters() link.Counters
	Certificates() link.Certificates
	WatchFlows(on bool)
	ObserveFlows([]model.FlowUpdate)
	WatchFlowSizes(on bool)
	ObserveFlowSizes(model.FlowSizes)
	ReportTCPHints(node string, report model.TCPHintReport)
	ReturnMarks([]model.Feedback) bool
	RequestFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error)
	Run(ctx context.Context)
}

// noControllers is the link of an agent whose configuration names none: to nobody.
type noControllers struct{ *link.Client }

var errNoControllers = errors.New("this agent has no controllers: its configuration names none")

func (noControllers) Observe(model.Observation) {}
func (noControllers) Run(context.Context)       {}
func (noControllers) RequestFlow(context.Context, model.FlowRequest) (model.FlowAnswer, error) {
	return model.FlowAnswer{}, errNoControllers
}

// standsAlone reports whether the agent has no controllers.
func standsAlone(c controllers) bool {
	_, alone := c.(noControllers)
	return alone
}

// connector prepares the agent link, for a host with these endpoints.
type connector func(known []model.Endpoint) (controllers, error)

func (a *Agent) linkControllers(known []model.Endpoint) (controllers, error) {
	if len(a.config.Controllers) == 0 {
		return noControllers{&link.Client{}}, nil
	}
	client, err := link.New(link.Config{
		Controllers: a.config.Controllers,
		TLS:         a.config.TLS,
		Lease:       a.config.Lease(),
		Tau:         a.loop.pacer.Tau(),
		Unhurried:   a.decisions.usesMarksAlone(),
		Log:         a.log,
		Clock:       clock.Nanos,
	}, a.hello(known), a.decisions)
	if err != nil {
		return nil, err
	}
	return client, nil
}

func (a *Agent) hello(known []model.Endpoint) model.Hello {
	uplink, key := a.installation.uplink, a.loop.keys.PublicKey()
	hello := model.Hello{
		Host: a.config.Host, AgentVersion: a.version,
		UplinkInterface:             uplink.Name,
		UplinkMAC:                   uplink.MAC,
		UplinkCapacityBitsPerSecond: a.config.Uplink.CapacityBitsPerSecond(),

		UplinkReceiveCeilingBitsPerSecond: a.config.Uplink.ReceiveCeilingBitsPerSecond(),
		Endpoints:                         known,
		PeerPublicKey:                     key[:],
	}
	for _, result := range a.features {
		if result.Present || isUsed(result.Name, a.config) {
			hello.Features = append(hello.Features, result.Feature)
		}
	}
	hints := model.Feature{Name: tcphints.Feature, Present: a.config.TCPHints != nil}
	if !hints.Present {
		hints.Detail = "the configuration has no section tcpHints"
	}
	hello.Features = append(hello.Features, hints)
	return hello
}

// isUsed reports whether a configuration uses a feature: what no one uses is not missing.
func isUsed(feature string, settings config.Host) bool {
	switch feature {
	case probe.CongestionControls:
		return len(settings.CongestionControls) > 0
	case probe.CgroupHints:
		return len(settings.CongestionCgroups) > 0 || settings.TCPHints != nil && len(settings.TCPHints.Cgroups) > 0
	}
	return true
}
