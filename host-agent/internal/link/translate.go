// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"math"
	"net/netip"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxRateBitsPerSecond = 100_000_000_000_000
	maxPeriodMicros      = 60_000_000
	maxNameLength        = 256
	// maxHandshakeWaitMicros is far less than what a TCP repeats its SYN after.
	maxHandshakeWaitMicros = 100_000
)

// ---------------------------------------------------------------- controller -> agent

func sharesOf(message *pb.UnitShares) ([]model.UnitShare, error) {
	shares := make([]model.UnitShare, 0, len(message.GetShares()))
	for i, s := range message.GetShares() {
		at := fmt.Sprintf("shares[%d]", i)
		if err := name(at+".port", s.GetPort()); err != nil {
			return nil, err
		}
		share := model.UnitShare{
			Port:                   model.Port(s.GetPort()),
			UnitShareBitsPerSecond: s.GetUnitShareBitsPerSecond(),
			CapacityBitsPerSecond:  s.GetCapacityBitsPerSecond(),
			ActiveWeight:           s.GetActiveWeight(),
			Expired:                s.GetExpired(),
		}
		if !share.Expired {
			if err := rate(at+".unit_share_bits_per_second", share.UnitShareBitsPerSecond); err != nil {
				return nil, err
			}
			if err := rate(at+".capacity_bits_per_second", share.CapacityBitsPerSecond); err != nil {
				return nil, err
			}
			if !(share.ActiveWeight >= 0) || math.IsInf(share.ActiveWeight, 1) {
				return nil, fmt.Errorf("%s.active_weight: %v must be at least 0", at, share.ActiveWeight)
			}
		}
		for j, e := range s.GetEndpoints() {
			within := fmt.Sprintf("%s.endpoints[%d]", at, j)
			if err := name(within+".interface", e.GetInterface()); err != nil {
				return nil, err
			}
			destinations, err := addresses(within+".destinations", e.GetDestinations())
			if err != nil {
				return nil, err
			}
			if e.GetFloorBitsPerSecond() > maxRateBitsPerSecond {
				return nil, fmt.Errorf("%s.floor_bits_per_second: %d must be at most %d bit/s", within,
					e.GetFloorBitsPerSecond(), uint64(maxRateBitsPerSecond))
			}
			share.Endpoints = append(share.Endpoints, model.ControlledEndpoint{
				Interface: e.GetInterface(), Destinations: destinations,
				Floor: model.Floor{Told: e.FloorBitsPerSecond != nil, BitsPerSecond: e.GetFloorBitsPerSecond()},
			})
		}
		reached, err := addresses(at+".reached", s.GetReached())
		if err != nil {
			return nil, err
		}
		share.Reached = reached
		shares = append(shares, share)
	}
	return shares, nil
}

func noticesOf(message *pb.Notices) ([]model.Notice, error) {
	notices := make([]model.Notice, 0, len(message.GetNotices()))
	for i, n := range message.GetNotices() {
		at := fmt.Sprintf("notices[%d]", i)
		if err := name(at+".port", n.GetPort()); err != nil {
			return nil, err
		}
		if err := name(at+".interface", n.GetInterface()); err != nil {
			return nil, err
		}
		if !(n.GetMarks() >= 0) || math.IsInf(n.GetMarks(), 1) {
			return nil, fmt.Errorf("%s.marks: %v must be at least 0", at, n.GetMarks())
		}
		if !(n.GetPackets() >= 0) || math.IsInf(n.GetPackets(), 1) {
			return nil, fmt.Errorf("%s.packets: %v must be at least 0", at, n.GetPackets())
		}
		if n.GetPeriodNanos() > maxPeriodMicros*1000 {
			return nil, fmt.Errorf("%s.period_nanos: %d must be at most a minute", at, n.GetPeriodNanos())
		}
		if err := rate(at+".capacity_bits_per_second", n.GetCapacityBitsPerSecond()); err != nil {
			return nil, err
		}
		if n.GetShareBitsPerSecond() > maxRateBitsPerSecond {
			return nil, rate(at+".share_bits_per_second", n.GetShareBitsPerSecond())
		}
		destinations, err := addresses(at+".destinations", n.GetDestinations())
		if err != nil {
			return nil, err
		}
		notices = append(notices, model.Notice{
			Port: model.Port(n.GetPort()), Interface: n.GetInterface(), Marks: n.GetMarks(),
			PeriodNanos:           int64(n.GetPeriodNanos()),
			ShareBitsPerSecond:    n.GetShareBitsPerSecond(),
			CapacityBitsPerSecond: n.GetCapacityBitsPerSecond(),
			Destinations:          destinations,
			Packets:               n.GetPackets(),
		})
	}
	return notices, nil
}

func policiesOf(message *pb.EndpointPolicies) ([]model.EndpointPolicy, error) {
	policies := make([]model.EndpointPolicy, 0, len(message.GetEndpoints()))
	seen := map[string]bool{}
	for i, p := range message.GetEndpoints() {
		at := fmt.Sprintf("endpoints[%d]", i)
		if err := name(at+".interface", p.GetInterface()); err != nil {
			return nil, err
		}
		if seen[p.GetInterface()] {
			return nil, fmt.Errorf("%s.interface: %q occurs twice", at, p.GetInterface())
		}
		seen[p.GetInterface()] = true
		if !(p.GetWeight() > 0) || math.IsInf(p.GetWeight(), 1) {
			return nil, fmt.Errorf("%s.weight: %v must be more than 0", at, p.GetWeight())
		}
		if max(p.GetGuaranteeBitsPerSecond(), p.GetCeilingBitsPerSecond()) > maxRateBitsPerSecond {
			return nil, fmt.Errorf("%s: guarantee %d, ceiling %d: must be at most %d bit/s", at,
				p.GetGuaranteeBitsPerSecond(), p.GetCeilingBitsPerSecond(), uint64(maxRateBitsPerSecond))
		}
		policies = append(policies, model.EndpointPolicy{
			Interface: p.GetInterface(), Tenant: p.GetTenant(), Weight: p.GetWeight(),
			GuaranteeBitsPerSecond: p.GetGuaranteeBitsPerSecond(),
			CeilingBitsPerSecond:   p.GetCeilingBitsPerSecond(),
			PreserveECN:            p.GetPreserveEcn(),
		})
	}
	return policies, nil
}

func settingsOf(message *pb.HostSettings) (model.HostSettings, error) {
	settings := model.HostSettings{
		Enforcement:        message.GetEnforcement(),
		ControlPeriodNanos: int64(message.GetControlPeriodMicros()) * 1000,
		TauNanos:           int64(message.GetTauMicros()) * 1000,
		NoticesAlone:       message.GetNoticesAlone(),
		ReportFlows:        message.GetReportFlows(),
		HandshakeWaitNanos: int64(message.GetHandshakeWaitMicros()) * 1000,
		ReportLosses:       message.GetReportLosses(),
		SignConnections:    message.GetSignConnections(),
	}
	if wait := message.GetHandshakeWaitMicros(); wait > maxHandshakeWaitMicros {
		return settings, fmt.Errorf("handshake_wait_micros: %d must be at most %d: whoever connects waits for it",
			wait, maxHandshakeWaitMicros)
	}
	switch message.GetLaw() {
	case pb.HostSettings_TWO_TIME_SCALE:
		settings.Law = model.TwoTimeScale
	case pb.HostSettings_SDN_GCC:
		settings.Law = model.SdnGcc
	default:
		return settings, fmt.Errorf("law: %v is unknown; this agent knows TWO_TIME_SCALE and SDN_GCC", message.GetLaw())
	}
	switch message.GetNoticeTransport() {
	case pb.HostSettings_LINK:
		settings.NoticeTransport = model.NoticesByLink
	case pb.HostSettings_IN_BAND_V1:
		settings.NoticeTransport = model.NoticesInBandV1
	case pb.HostSettings_IN_BAND_PAPER:
		settings.NoticeTransport = model.NoticesInBandPaper
	default:
		return settings, fmt.Errorf("notice_transport: %v is unknown; this agent knows LINK, IN_BAND_V1 and IN_BAND_PAPER",
			message.GetNoticeTransport())
	}
	if message.GetControlPeriodMicros() == 0 || message.GetControlPeriodMicros() > maxPeriodMicros {
		return settings, fmt.Errorf("control_period_micros: %d must be from 1 to a minute", message.GetControlPeriodMicros())
	}
	if tau := message.GetTauMicros(); tau != 0 && (tau < 100 || tau > maxPeriodMicros) {
		return settings, fmt.Errorf("tau_micros: %d must be 0 or from 100 to a minute", tau)
	}
	return settings, nil
}

func key(field string, value []byte) error {
	if len(value) != keyLength {
		return fmt.Errorf("%s: %d bytes; a key has %d", field, len(value), keyLength)
	}
	return nil
}

func name(field, value string) error {
	if value == "" || len(value) > maxNameLength {
		return fmt.Errorf("%s: %q must have 1 to %d characters", field, value, maxNameLength)
	}
	return nil
}

func rate(field string, value uint64) error {
	if value == 0 || value > maxRateBitsPerSecond {
		return fmt.Errorf("%s: %d must be from 1 to %d bit/s", field, value, uint64(maxRateBitsPerSecond))
	}
	return nil
}

func addresses(field string, raw [][]byte) ([]netip.Addr, error) {
	var result []netip.Addr
	for i, bytes := range raw {
		address, ok := netip.AddrFromSlice(bytes)
		if !ok {
			return nil, fmt.Errorf("%s[%d]: %d bytes; an IP address has 4 or 16", field, i, len(bytes))
		}
		result = append(result, address.Unmap()) // addresses are compared
	}
	return result, nil
}

// ---------------------------------------------------------------- agent -> controller

func helloOf(hello model.Hello) *pb.Hello {
	message := &pb.Hello{
		ProtocolVersion: protocolVersion,
		Host:            hello.Host,
		AgentVersion:    hello.AgentVersion,
		Endpoints:       endpointsOf(hello.Endpoints),
	}
	if hello.UplinkInterface != "" {
		message.Uplink = &pb.Nic{
			Interface: hello.UplinkInterface, Mac: hello.UplinkMAC,
			CapacityBitsPerSecond: hello.UplinkCapacityBitsPerSecond,
		}
	}
	for _, port := range hello.SwitchPorts {
		message.SwitchPorts = append(message.SwitchPorts, string(port))
	}
	for _, f := range hello.Features {
		message.Features = append(message.Features,
			&pb.Feature{Name: f.Name, Present: f.Present, Detail: f.Detail})
	}
	return message
}

func endpointsOf(endpoints []model.Endpoint) []*pb.Endpoint {
	var result []*pb.Endpoint
	for _, e := range endpoints {
		message := &pb.Endpoint{Interface: e.Interface, Mac: e.MAC}
		for _, ip := range e.IPs {
			message.Ips = append(message.Ips, ip.AsSlice())
		}
		result = append(result, message)
	}
	return result
}

func eventOf(event model.Event) *pb.Event {
	kinds := map[model.EventKind]pb.Event_Kind{
		model.EndpointsChanged:  pb.Event_ENDPOINTS_CHANGED,
		model.StaleRefused:      pb.Event_STALE_REFUSED,
		model.LeaseExpired:      pb.Event_LEASE_EXPIRED,
		model.EnforcementFailed: pb.Event_ENFORCEMENT_FAILED,
		model.Spoofed:           pb.Event_SPOOFED,
	}
	return &pb.Event{Kind: kinds[event.Kind], Detail: event.Detail, Endpoints: endpointsOf(event.Endpoints)}
}

func observationOf(observation model.Observation) *pb.Observation {
	message := &pb.Observation{IntervalNanos: uint64(max(observation.IntervalNanos, 1))}
	for _, p := range observation.Pairs {
		message.Pairs = append(message.Pairs, &pb.PairSample{
			Source: p.Source.AsSlice(), Destination: p.Destination.AsSlice(),
			SentPackets: p.SentPackets, SentBytes: p.SentBytes,
			ReceivedPackets: p.ReceivedPackets, ReceivedBytes: p.ReceivedBytes, CePackets: p.CEPackets,
		})
	}
	for _, e := range observation.Endpoints {
		sample := &pb.EndpointSample{
			Interface: e.Interface, RateBitsPerSecond: e.RateBitsPerSecond, BacklogBytes: e.BacklogBytes,
			DroppedPackets: e.DroppedPackets, SpoofedPackets: e.SpoofedPackets, ForgedPackets: e.ForgedPackets,
		}
		for _, g := range e.Groups {
			sample.Groups = append(sample.Groups, &pb.GroupSample{
				Port: string(g.Port), RateBitsPerSecond: g.RateBitsPerSecond, CeShare: g.CEShare, SentBytes: g.SentBytes,
			})
		}
		message.Endpoints = append(message.Endpoints, sample)
	}
	return message
}

func portObservationOf(observation model.PortObservation) *pb.PortObservation {
	message := &pb.PortObservation{IntervalNanos: uint64(max(observation.IntervalNanos, 1))}
	for _, p := range observation.Ports {
		message.Ports = append(message.Ports, &pb.PortQueueSample{
			Port: string(p.Port), SentPackets: p.SentPackets, SentBytes: p.SentBytes,
			MarkedPackets: p.MarkedPackets, OverThresholdPackets: p.OverThresholdPackets,
			DroppedPackets: p.DroppedPackets, BacklogPackets: p.BacklogPackets, BacklogBytes: p.BacklogBytes,
		})
	}
	return message
}
