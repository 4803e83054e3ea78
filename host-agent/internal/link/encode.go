// SPDX-License-Identifier: Apache-2.0

package link

import (
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func helloOf(hello model.Hello) *pb.Hello {
	message := &pb.Hello{
		ProtocolVersion: protocolVersion,
		Host:            hello.Host,
		AgentVersion:    hello.AgentVersion,
		Endpoints:       endpointsOf(hello.Endpoints),
		PeerPublicKey:   hello.PeerPublicKey,
	}
	if hello.UplinkInterface != "" {
		message.Uplink = &pb.Nic{
			Interface: hello.UplinkInterface, Mac: hello.UplinkMAC,
			CapacityBitsPerSecond:       hello.UplinkCapacityBitsPerSecond,
			ReceiveCeilingBitsPerSecond: hello.UplinkReceiveCeilingBitsPerSecond,
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
		message := &pb.Endpoint{Interface: e.Interface, Mac: e.MAC, Metadata: metadataOf(e.Metadata)}
		for _, ip := range e.IPs {
			message.Ips = append(message.Ips, ip.AsSlice())
		}
		for _, ip := range e.Learned {
			message.LearnedIps = append(message.LearnedIps, ip.AsSlice())
		}
		result = append(result, message)
	}
	return result
}

// metadataOf is nil of an interface of which nothing is known.
func metadataOf(m model.Metadata) *pb.EndpointMetadata {
	if m.Equal(model.Metadata{}) {
		return nil
	}
	return &pb.EndpointMetadata{
		Bridge: m.Bridge, Vlan: uint32(m.VLAN), Domain: m.Domain, Network: m.Network,
		Namespace: m.Namespace, Pod: m.Pod, Labels: m.Labels,
	}
}

func eventOf(event model.Event) *pb.Event {
	kinds := map[model.EventKind]pb.Event_Kind{
		model.EndpointsChanged:  pb.Event_KIND_ENDPOINTS_CHANGED,
		model.StaleRefused:      pb.Event_KIND_STALE_REFUSED,
		model.LeaseExpired:      pb.Event_KIND_LEASE_EXPIRED,
		model.EnforcementFailed: pb.Event_KIND_ENFORCEMENT_FAILED,
		model.Spoofed:           pb.Event_KIND_SPOOFED,
		model.ConditionsChanged: pb.Event_KIND_CONDITIONS_CHANGED,
		model.Leaving:           pb.Event_KIND_LEAVING,
	}
	return &pb.Event{
		Kind: kinds[event.Kind], Detail: event.Detail, Endpoints: endpointsOf(event.Endpoints), Conditions: event.Conditions,
	}
}

func observationOf(observation model.Observation) *pb.Observation {
	message := &pb.Observation{IntervalNanos: uint64(max(observation.IntervalNanos, 1))}
	for _, p := range observation.Pairs {
		message.Pairs = append(message.Pairs, &pb.PairSample{
			Source: p.Source.AsSlice(), Destination: p.Destination.AsSlice(),
			SentPackets: p.SentPackets, SentBytes: p.SentBytes,
			ReceivedPackets: p.ReceivedPackets, ReceivedBytes: p.ReceivedBytes, CePackets: p.CEPackets,
			Waits: p.Waits,
		})
	}
	for _, e := range observation.Endpoints {
		sample := &pb.EndpointSample{
			Interface: e.Interface, RateBitsPerSecond: e.RateBitsPerSecond, BacklogBytes: e.BacklogBytes,
			DroppedPackets: e.DroppedPackets, SpoofedPackets: e.SpoofedPackets, ForgedPackets: e.ForgedPackets,
			RoguePackets: e.RoguePackets, ResidualDroppedPackets: e.ResidualDroppedPackets,
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
			BufferPackets: p.BufferPackets, Levels: levelSamplesOf(p.Levels), Background: backgroundSamplesOf(p.Background),
			MarkThresholdPackets: p.MarkThresholdPackets,
		})
	}
	return message
}
