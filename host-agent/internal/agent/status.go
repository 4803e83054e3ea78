// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/connections"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsizes"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/notices"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints"
)

// Status is what `sluice-agent status` shows of a host.
type Status struct {
	Role        string `json:"role"`
	Host        string `json:"host"`
	Version     string `json:"version"`
	Enforcement bool   `json:"enforcement"`
	// NotEnforced is what is not in force although enforcement is on, and why; empty: everything is.
	NotEnforced []string `json:"notEnforced"`
	Limiter     string   `json:"limiter"`
	// Law decides where no controller does.
	Law       string `json:"law"`
	TauMicros int64  `json:"tauMicros"`
	// RoundTripMicros is the least RTT_base of the agents that feedback comes from; 0: unknown.
	RoundTripMicros int64                    `json:"roundTripMicros"`
	Controllers     []model.ControllerStatus `json:"controllers"`
	// Link counts what went wrong with the controllers; nil without any.
	Link *link.Counters `json:"link,omitempty"`
	// Certificates likewise.
	Certificates *link.Certificates `json:"certificates,omitempty"`
	Uplink       UplinkStatus       `json:"uplink"`
	// Levels are nil without any.
	Levels *LevelsStatus `json:"levels,omitempty"`
	// Congestion are the congestion controls in the kernel; nil where none are configured.
	Congestion *congestion.Overview `json:"congestion,omitempty"`
	Endpoints  []endpoints.Status   `json:"endpoints"`
	// Waiting are interfaces that should be endpoints, or make them, and are not or do not.
	Waiting []interfaces.Missing `json:"waiting"`
	// Neighbours are programs and filters of others at the interfaces that the agent has programs on.
	Neighbours []interfaces.Neighbour `json:"neighbours"`
	Pairs      []pairs.Status         `json:"pairs"`
	Shim       shim.Totals            `json:"shim"`
	Feedback   peers.Status           `json:"feedback"`
	Notices    notices.Status         `json:"notices"`
	Flows      connections.Status     `json:"flows"`
	// TCPHints is nil while hints are off.
	TCPHints *tcphints.Status `json:"tcpHints,omitempty"`
}

// UplinkStatus is the device towards the network.
type UplinkStatus struct {
	Interface             string `json:"interface"`
	CapacityBitsPerSecond uint64 `json:"capacityBitsPerSecond"`
	// ReceiveCeilingBitsPerSecond is what shall arrive over it at most; 0: no limit.
	ReceiveCeilingBitsPerSecond uint64 `json:"receiveCeilingBitsPerSecond"`
	// RxOverCeilingPackets exceeded that.
	RxOverCeilingPackets uint64 `json:"rxOverCeilingPackets"`
	// Open* count what passed without a limit.
	OpenPackets uint64 `json:"openPackets"`
	OpenBytes   uint64 `json:"openBytes"`
}

// LevelsStatus are the levels that flows go through, the first one first.
type LevelsStatus struct {
	// ThresholdBytes are in force; Decided: a controller's, not the configured ones.
	ThresholdBytes []uint64 `json:"thresholdBytes"`
	Decided        bool     `json:"decided"`
	DSCP           []int    `json:"dscp"`
	IdleMillis     int      `json:"idleMillis"`
	// Sizes are what is known of how much flows send.
	Sizes flowsizes.Status `json:"sizes"`
	// Condition is why a controller's thresholds are not in force; empty: they are.
	Condition string `json:"condition,omitempty"`
}

// Handle answers the control socket.
func (a *Agent) Handle(request status.Request) (any, error) {
	switch request.Command {
	case status.CommandStatus:
		return a.Status()
	case status.CommandLimit:
		return engine.Call(a.inbox, func() (endpoints.Status, error) {
			return a.loop.endpoints.Override(request.Interface, request.RateBitsPerSecond)
		})
	}
	return nil, fmt.Errorf("command %q is unknown to a host agent", request.Command)
}

// Status reads everything; for any goroutine.
func (a *Agent) Status() (Status, error) { return engine.Call(a.inbox, a.status) }

func (a *Agent) status() (Status, error) {
	l, uplink := a.loop, &a.installation.uplink
	open, _ := a.installation.tree.Open() // what is wrong with the classes stands in NotEnforced
	s := Status{
		Role: "host", Host: a.config.Host, Version: a.version,
		Enforcement: l.enforcing, Limiter: a.config.Limiter, Law: a.config.Law,
		TauMicros: l.pacer.Tau().Microseconds(), RoundTripMicros: l.peers.RoundTrip(clock.Nanos()).Microseconds(),
		Controllers: l.controllers.Controllers(),
		Uplink: UplinkStatus{
			Interface: uplink.Name, CapacityBitsPerSecond: a.config.Uplink.CapacityBitsPerSecond(),
			ReceiveCeilingBitsPerSecond: l.uplinkCeiling,
			RxOverCeilingPackets:        l.shim.UplinkPhantom(clock.Nanos()).OverThresholdPackets,
			OpenPackets:                 open.SentPackets, OpenBytes: open.SentBytes,
		},
		Endpoints: []endpoints.Status{}, Waiting: a.reconciler.Missing(),
		NotEnforced: l.notEnforced(), Neighbours: append([]interfaces.Neighbour{}, a.reconciler.Neighbours()...), Pairs: l.pairs.Status(),
		Shim: l.shim.Totals(), Feedback: l.peers.Status(), Notices: l.notices.Status(), Flows: l.connections.Status(),
	}
	if !standsAlone(l.controllers) {
		counters, certificates := l.controllers.Counters(), l.controllers.Certificates()
		s.Link, s.Certificates = &counters, &certificates
	}
	if levels := a.config.Levels; levels != nil {
		thresholds, decided := l.sizes.Thresholds()
		s.Levels = &LevelsStatus{
			ThresholdBytes: thresholds, Decided: decided, DSCP: levels.DSCP, IdleMillis: levels.IdleMillis,
			Sizes: l.sizes.Status(), Condition: l.sizes.Condition(),
		}
	}
	if a.hints != nil {
		hints := a.hints.Status()
		s.TCPHints = &hints
	}
	var arrivedMarks uint64
	for _, e := range l.endpoints.All() {
		one := e.Status()
		s.Endpoints = append(s.Endpoints, one)
		arrivedMarks += one.RxCEPackets
	}
	s.Congestion = a.installation.congestion.Overview(arrivedMarks)
	return s, nil
}
