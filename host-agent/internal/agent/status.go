// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
)

// Status is what `sluice-agent status` shows of a host.
type Status struct {
	Role        string `json:"role"`
	Host        string `json:"host"`
	Version     string `json:"version"`
	Enforcement bool   `json:"enforcement"`
	Limiter     string `json:"limiter"`
	TauMicros   int64  `json:"tauMicros"`
	// RoundTripMicros is the largest RTT_base of the agents that feedback comes from; 0: unknown.
	RoundTripMicros int64                    `json:"roundTripMicros"`
	Controllers     []model.ControllerStatus `json:"controllers"`
	// Link counts what went wrong with the controllers; nil without any.
	Link      *link.Counters   `json:"link,omitempty"`
	Uplink    UplinkStatus     `json:"uplink"`
	Endpoints []EndpointStatus `json:"endpoints"`
	// Waiting are interfaces that should be endpoints, or make them, and are not or do not.
	Waiting  []Waiting      `json:"waiting"`
	Pairs    []PairStatus   `json:"pairs"`
	Shim     shim.Totals    `json:"shim"`
	Feedback FeedbackStatus `json:"feedback"`
	Notices  NoticeStatus   `json:"notices"`
	Flows    FlowsStatus    `json:"flows"`
}

// UplinkStatus is the device towards the network.
type UplinkStatus struct {
	Interface             string `json:"interface"`
	CapacityBitsPerSecond uint64 `json:"capacityBitsPerSecond"`
	// Open* count what passed without a limit.
	OpenPackets uint64 `json:"openPackets"`
	OpenBytes   uint64 `json:"openBytes"`
}

// EndpointStatus is one virtual NIC; counters since the agent's start.
type EndpointStatus struct {
	Interface              string        `json:"interface"`
	Ifindex                int           `json:"ifindex"`
	MAC                    string        `json:"mac"`
	IPs                    []netip.Addr  `json:"ips"`
	Tenant                 string        `json:"tenant"`
	Weight                 float64       `json:"weight"`
	GuaranteeBitsPerSecond uint64        `json:"guaranteeBitsPerSecond"`
	RateBitsPerSecond      uint64        `json:"rateBitsPerSecond"` // limit in force, 0 = none
	OverrideBitsPerSecond  uint64        `json:"overrideBitsPerSecond"`
	Groups                 []GroupStatus `json:"groups"`
	// Tx*: offered by the VM; what a class sent or dropped stands in its group.
	TxPackets   uint64 `json:"txPackets"`
	TxBytes     uint64 `json:"txBytes"`
	RxPackets   uint64 `json:"rxPackets"`
	RxBytes     uint64 `json:"rxBytes"`
	RxCEPackets uint64 `json:"rxCePackets"`
	// RxClamped had their TCP window lowered; RxUnclamped should have had, but its scale is not known,
	// since the connection's beginning was not seen, or the way is longer than 20 ms.
	RxClampedPackets   uint64 `json:"rxClampedPackets"`
	RxUnclampedPackets uint64 `json:"rxUnclampedPackets"`
	DroppedPackets     uint64 `json:"droppedPackets"`
	BacklogBytes       uint64 `json:"backlogBytes"`
	SpoofedPackets     uint64 `json:"spoofedPackets"`
	ForgedCEPackets    uint64 `json:"forgedCePackets"`
	ForgedReservedBits uint64 `json:"forgedReservedBitPackets"`
	ForgedControl      uint64 `json:"forgedControlPackets"`
	LargestFrameBytes  uint64 `json:"largestFrameBytes"`
}

// GroupStatus is one unit of control; the default group has no port.
type GroupStatus struct {
	Port model.Port `json:"port"`
	// Learnt: its share was passed on by a destination's agent, the controller has not told of it.
	Learnt            bool    `json:"learnt"`
	RateBitsPerSecond uint64  `json:"rateBitsPerSecond"`
	CEShare           float64 `json:"ceShare"`
	SentPackets       uint64  `json:"sentPackets"`
	SentBytes         uint64  `json:"sentBytes"`
	SparseBytes       uint64  `json:"sparseBytes"`
	DroppedPackets    uint64  `json:"droppedPackets"`
	BacklogPackets    uint64  `json:"backlogPackets"`
	BacklogBytes      uint64  `json:"backlogBytes"`
}

// PairStatus is one direction of traffic between two addresses.
type PairStatus struct {
	Source          netip.Addr `json:"source"`
	Destination     netip.Addr `json:"destination"`
	Port            model.Port `json:"port"`
	SentPackets     uint64     `json:"sentPackets"`
	SentBytes       uint64     `json:"sentBytes"`
	ReceivedPackets uint64     `json:"receivedPackets"`
	ReceivedBytes   uint64     `json:"receivedBytes"`
	CEPackets       uint64     `json:"cePackets"`
}

// Handle answers the control socket.
func (a *Agent) Handle(request status.Request) (any, error) {
	switch request.Command {
	case status.CommandStatus:
		return engine.Call(a.inbox, a.status)
	case status.CommandLimit:
		return engine.Call(a.inbox, func() (EndpointStatus, error) {
			return a.limit(request.Interface, request.RateBitsPerSecond)
		})
	}
	return nil, fmt.Errorf("command %q is unknown to a host agent", request.Command)
}

func (a *Agent) status() (Status, error) {
	open, err := a.tree.Open()
	if err != nil {
		return Status{}, err
	}
	s := Status{
		Role: "host", Host: a.config.Host, Version: a.version,
		Enforcement: a.settings.Enforcement, Limiter: a.config.Limiter,
		TauMicros: a.pacer.Tau().Microseconds(), RoundTripMicros: a.roundTrips.slowest(clock.Nanos()).Base.Microseconds(),
		Controllers: a.controllers.Controllers(),
		Uplink: UplinkStatus{
			Interface: a.uplink.name, CapacityBitsPerSecond: a.config.Uplink.CapacityBitsPerSecond(),
			OpenPackets: open.SentPackets, OpenBytes: open.SentBytes,
		},
		Endpoints: []EndpointStatus{}, Waiting: append([]Waiting{}, a.waiting...), Pairs: []PairStatus{},
		Shim: a.shim.Totals(), Feedback: a.feedback.counters, Notices: a.noticeStatus(), Flows: a.flowsStatus(),
	}
	if !a.standsAlone() {
		counters := a.controllers.Counters()
		s.Link = &counters
	}
	for _, e := range a.endpoints {
		one, err := e.status()
		if err != nil {
			return Status{}, err
		}
		s.Endpoints = append(s.Endpoints, one)
	}
	for pair := range a.shim.Pairs() {
		addresses := a.shim.Address(pair.Slot)
		one := PairStatus{
			Source: addresses.Source, Destination: addresses.Destination,
			SentPackets: pair.SentPackets, SentBytes: pair.SentBytes,
			ReceivedPackets: pair.ReceivedPackets, ReceivedBytes: pair.ReceivedBytes,
			CEPackets: pair.CEPackets,
		}
		if g := a.groupOf(pair); g != nil {
			one.Port = g.port
		}
		s.Pairs = append(s.Pairs, one)
	}
	return s, nil
}

// groupOf is the group that an outward pair's traffic goes to.
func (a *Agent) groupOf(pair shim.PairCounters) *group {
	e := a.endpointAt(pair.Endpoint)
	if e == nil || !pair.Outward || pair.Group > htb.MaxGroups {
		return nil
	}
	return e.groups[pair.Group]
}

func (e *endpoint) status() (EndpointStatus, error) {
	counters := e.agent.shim.Endpoint(e.index)
	s := EndpointStatus{
		Interface: e.Interface, Ifindex: e.ifindex, MAC: e.MAC.String(), IPs: append([]netip.Addr{}, e.IPs...),
		Tenant: e.policy.Tenant, Weight: e.policy.Weight,
		GuaranteeBitsPerSecond: e.policy.GuaranteeBitsPerSecond,
		OverrideBitsPerSecond:  e.agent.overrides[e.Interface],
		TxPackets:              counters.SentPackets,
		TxBytes:                counters.SentBytes,
		RxPackets:              counters.ReceivedPackets,
		RxBytes:                counters.ReceivedBytes,
		RxCEPackets:            counters.CEPackets,
		RxClampedPackets:       counters.ClampedPackets,
		RxUnclampedPackets:     counters.UnclampedPackets,
		SpoofedPackets:         counters.SpoofedPackets,
		ForgedCEPackets:        counters.ForgedCE,
		ForgedReservedBits:     counters.ForgedReserved,
		ForgedControl:          counters.ForgedControl,
		LargestFrameBytes:      counters.LargestFrameBytes,
	}
	if e.agent.settings.Enforcement {
		s.RateBitsPerSecond = e.ceiling()
	}
	s.DroppedPackets = e.agent.shim.PolicedPackets(e.index)
	for slot, g := range e.groups {
		policed := e.agent.shim.PolicedGroupPackets(e.index, slot)
		s.DroppedPackets += policed
		if g == nil || g.vacantSince != 0 {
			continue
		}
		stats, err := e.agent.tree.Group(e.index, slot)
		if err != nil {
			return EndpointStatus{}, err
		}
		total := stats.Total()
		s.Groups = append(s.Groups, GroupStatus{
			Port: g.port, Learnt: g.learnt, RateBitsPerSecond: g.limit, CEShare: g.ceShare,
			SentPackets: total.SentPackets, SentBytes: total.SentBytes, SparseBytes: stats.Sparse.SentBytes,
			DroppedPackets: total.DroppedPackets + policed - g.policedBefore,
			BacklogPackets: total.BacklogPackets, BacklogBytes: total.BacklogBytes,
		})
		s.DroppedPackets += total.DroppedPackets
		s.BacklogBytes += total.BacklogBytes
	}
	return s, nil
}
