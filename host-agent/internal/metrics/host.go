// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
)

// Of a host.
var (
	hostInfo    = gauge("sluice_agent_info", "1, with what the agent is.", "host", "version", "limiter")
	enforcing   = gauge("sluice_agent_enforcing", "Whether limits and ECN rules are in force.")
	notEnforced = gauge("sluice_agent_not_enforced", "Reasons why some of them are not although they should be; sluice-agent status has them.")
	tau         = gauge("sluice_agent_tau_seconds", "Period of the host loop.")
	waiting     = gauge("sluice_agent_interfaces_waiting", "Interfaces that should be endpoints and are not.")
	watched     = gauge("sluice_agent_connections_watched", "TCP connections that are followed for deadlines.")
	granted     = gauge("sluice_agent_window_grants", "Flows and patterns for which receive windows are granted.")
	unknown     = counter("sluice_agent_pairs_unknown_packets_total", "Packets of pairs for which the table had no room.")
	malformed   = counter("sluice_agent_malformed_packets_total", "Packets whose headers could not be read.")
	held        = counter("sluice_agent_held_packets_total", "Packets dropped because they came from interfaces, or in VLANs, without an endpoint.")
	lostEvents  = counter("sluice_agent_events_lost_total", "Events of BPF programs that found their ring full.")
	messages    = counter("sluice_agent_feedback_messages_total", "In-band messages between agents.", "result")
	hinted      = gauge("sluice_agent_tcp_hint_routes", "Routes that have parameters of controllers' policies.")
	unhinted    = gauge("sluice_agent_tcp_hints_refused", "Reasons for which hints are not in force, or in part.")
	notified    = counter("sluice_agent_notices_total", "Congestion notices that were taken.", "transport")
)

// Of the uplink.
var (
	uplinkCapacity = gauge("sluice_uplink_capacity_bytes_per_second", "What all endpoints together may send.", "interface")
	uplinkOpen     = counter("sluice_uplink_open_bytes_total", "Bytes that left without a limit.", "interface")
	uplinkOver     = counter("sluice_uplink_over_receive_ceiling_packets_total", "Packets beyond the uplink's receive ceiling.", "interface")
)

// Of an endpoint; `sluice_endpoint_info` joins its tenant to the others.
var (
	endpointInfo       = gauge("sluice_endpoint_info", "1, with whose the endpoint is.", "endpoint", "mac", "tenant")
	weight             = gauge("sluice_endpoint_weight", "Weight among endpoints.", "endpoint")
	guarantee          = gauge("sluice_endpoint_guarantee_bytes_per_second", "Guaranteed rate; 0: none.", "endpoint")
	share              = gauge("sluice_endpoint_uplink_share_bytes_per_second", "What it owns of the uplink when all send.", "endpoint")
	limit              = gauge("sluice_endpoint_limit_bytes_per_second", "Limit of all that it sends; 0: none.", "endpoint")
	receiveCeiling     = gauge("sluice_endpoint_receive_ceiling_bytes_per_second", "What it shall receive at most; 0: no limit.", "endpoint")
	offeredBytes       = counter("sluice_endpoint_offered_bytes_total", "Bytes that the VM sent, before any limit.", "endpoint")
	offeredPackets     = counter("sluice_endpoint_offered_packets_total", "Packets that the VM sent, before any limit.", "endpoint")
	receivedBytes      = counter("sluice_endpoint_received_bytes_total", "Bytes that came for the VM.", "endpoint")
	receivedPackets    = counter("sluice_endpoint_received_packets_total", "Packets that came for the VM.", "endpoint")
	receivedCE         = counter("sluice_endpoint_received_ce_packets_total", "Packets with CE that came for the VM.", "endpoint")
	overCeiling        = counter("sluice_endpoint_over_receive_ceiling_packets_total", "Packets beyond its receive ceiling.", "endpoint")
	dropped            = counter("sluice_endpoint_dropped_packets_total", "Packets that limits dropped.", "endpoint")
	backlog            = gauge("sluice_endpoint_backlog_bytes", "Bytes that wait for their limit.", "endpoint")
	refusedConnections = counter("sluice_endpoint_refused_connections_total", "SYNs dropped while marks had the path to their destination congested.", "endpoint")
	refusedPackets     = counter("sluice_endpoint_refused_packets_total", "Packets dropped, or bits cleared, that a VM must not send.", "endpoint", "reason")
	pairCount          = gauge("sluice_endpoint_pairs", "Pairs of addresses in the table.", "endpoint", "direction")
	levelBytes         = counter("sluice_endpoint_level_sent_bytes_total", "Bytes sent by level, 0 is served first.", "endpoint", "level")
	neighbourBytes     = counter("sluice_endpoint_neighbour_sent_bytes_total", "Bytes sent to VMs of the same host.", "endpoint")
	neighbourDropped   = counter("sluice_endpoint_neighbour_dropped_packets_total", "Packets to VMs of the same host that its limit dropped.", "endpoint")
)

// Of an endpoint and a congested port that it sends through; the port is empty for all that is not congested.
var (
	classLimit   = gauge("sluice_class_limit_bytes_per_second", "Limit in force through the port; 0: none.", "endpoint", "port")
	classCE      = gauge("sluice_class_ce_ratio", "Part of what it sends through the port that is marked.", "endpoint", "port")
	classBytes   = counter("sluice_class_sent_bytes_total", "Bytes sent through the port.", "endpoint", "port")
	classPackets = counter("sluice_class_sent_packets_total", "Packets sent through the port.", "endpoint", "port")
	classDropped = counter("sluice_class_dropped_packets_total", "Packets through the port that the limit dropped.", "endpoint", "port")
	classBacklog = gauge("sluice_class_backlog_bytes", "Bytes that wait for the port's limit.", "endpoint", "port")
)

// Host collects the status of a host's agent.
type Host struct {
	// Read is called once for each collection.
	Read func() (agent.Status, error)
}

// Describe describes nothing: which families there are depends on the configuration.
func (h Host) Describe(chan<- *prometheus.Desc) {}

// Collect reads the status; a failure fails the whole collection.
func (h Host) Collect(out chan<- prometheus.Metric) {
	status, err := h.Read()
	if err != nil {
		out <- prometheus.NewInvalidMetric(hostInfo.desc, err)
		return
	}
	s := samples(out)
	s.host(status)
	s.link(status.Controllers, status.Link, status.Certificates)
	for _, e := range status.Endpoints {
		s.endpoint(e)
	}
}

func (s samples) host(h agent.Status) {
	s.add(hostInfo, 1, h.Host, h.Version, h.Limiter)
	s.is(enforcing, h.Enforcement)
	s.add(notEnforced, float64(len(h.NotEnforced)))
	s.add(tau, (time.Duration(h.TauMicros) * time.Microsecond).Seconds())
	s.add(waiting, float64(len(h.Waiting)))
	s.add(watched, float64(len(h.Flows.Connections)))
	s.add(granted, float64(h.Flows.Grants))
	s.count(unknown, h.Shim.UnknownPairs)
	s.count(malformed, h.Shim.MalformedPackets)
	s.count(held, h.Shim.HeldPackets)
	s.count(lostEvents, h.Shim.LostEvents)
	s.count(messages, h.Feedback.Sent, "sent")
	s.count(messages, h.Feedback.Unsent, "unsent")
	s.count(messages, h.Feedback.Accepted, "accepted")
	s.count(messages, h.Feedback.Refused, "refused")
	s.count(messages, h.Feedback.Unknown, "unknown")
	s.count(notified, h.Notices.ByLink, "link")
	s.count(notified, h.Notices.InBand, "in-band")
	s.rate(uplinkCapacity, h.Uplink.CapacityBitsPerSecond, h.Uplink.Interface)
	s.count(uplinkOpen, h.Uplink.OpenBytes, h.Uplink.Interface)
	if hints := h.TCPHints; hints != nil {
		routes := uint64(0)
		for _, hint := range hints.Hints {
			routes += uint64(hint.Routes)
		}
		s.count(hinted, routes)
		s.count(unhinted, uint64(len(hints.Refused)))
	}
	s.count(uplinkOver, h.Uplink.RxOverCeilingPackets, h.Uplink.Interface)
}

func (s samples) endpoint(e endpoints.Status) {
	name := e.Interface
	s.add(endpointInfo, 1, name, e.MAC, e.Tenant)
	s.add(weight, e.Weight, name)
	s.rate(guarantee, e.GuaranteeBitsPerSecond, name)
	s.rate(share, e.ShareBitsPerSecond, name)
	s.rate(limit, e.RateBitsPerSecond, name)
	s.rate(receiveCeiling, e.ReceiveCeilingBitsPerSecond, name)
	s.count(offeredBytes, e.TxBytes, name)
	s.count(offeredPackets, e.TxPackets, name)
	s.count(receivedBytes, e.RxBytes, name)
	s.count(receivedPackets, e.RxPackets, name)
	s.count(receivedCE, e.RxCEPackets, name)
	s.count(overCeiling, e.RxOverCeilingPackets, name)
	s.count(dropped, e.DroppedPackets, name)
	s.count(backlog, e.BacklogBytes, name)
	s.count(refusedPackets, e.SpoofedPackets, name, "spoofed")
	s.count(refusedPackets, e.RoguePackets, name, "rogue")
	s.count(refusedPackets, e.ForgedCEPackets, name, "forged-ce")
	s.count(refusedPackets, e.ForgedReservedBits, name, "forged-reserved-bit")
	s.count(refusedPackets, e.ForgedControl, name, "forged-control")
	s.count(refusedConnections, e.RefusedConnections, name)
	s.add(pairCount, float64(e.Tables.SentPairs.Used), name, "sent")
	s.add(pairCount, float64(e.Tables.ReceivedPairs.Used), name, "received")
	s.count(neighbourBytes, e.Neighbours.SentBytes, name)
	s.count(neighbourDropped, e.Neighbours.DroppedPackets, name)
	if e.Levels != nil {
		for level, bytes := range e.Levels.SentBytes {
			s.count(levelBytes, bytes, name, strconv.Itoa(level))
		}
	}
	for _, g := range e.Groups {
		port := string(g.Port)
		s.rate(classLimit, g.RateBitsPerSecond, name, port)
		s.add(classCE, g.CEShare, name, port)
		s.count(classBytes, g.SentBytes, name, port)
		s.count(classPackets, g.SentPackets, name, port)
		s.count(classDropped, g.DroppedPackets, name, port)
		s.count(classBacklog, g.BacklogBytes, name, port)
	}
}
