// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-sdn/sluice/host-agent/internal/port"
)

// Of a switch port's queue.
var (
	portInfo      = gauge("sluice_port_info", "1, with what the queue is.", "port", "ingress", "egress")
	portCapacity  = gauge("sluice_port_capacity_bytes_per_second", "What the port sends at most.", "port")
	portBuffer    = gauge("sluice_port_buffer_packets", "What the queue, or each level's, has room for.", "port")
	portThreshold = gauge("sluice_port_mark_threshold_packets", "Backlog above which packets are marked; 0: never.", "port")
	queueBacklog  = gauge("sluice_port_backlog_packets", "Packets that wait, by level, 0 is served first.", "port", "level")
	queueBytes    = gauge("sluice_port_backlog_bytes", "Bytes that wait, by level, 0 is served first.", "port", "level")
	sentPackets   = counter("sluice_port_sent_packets_total", "Packets sent, by level.", "port", "level")
	sentBytes     = counter("sluice_port_sent_bytes_total", "Bytes sent, by level.", "port", "level")
	marked        = counter("sluice_port_marked_packets_total", "Packets that the queue set to CE, by level.", "port", "level")
	over          = counter("sluice_port_over_threshold_packets_total", "Packets that found more than the threshold, by level.", "port", "level")
	portDropped   = counter("sluice_port_dropped_packets_total", "Packets that the queue dropped.", "port", "level", "reason")
	losses        = counter("sluice_port_losses_reported_total", "Losses of TCP that were reported to controllers.", "port")
	resent        = counter("sluice_port_resent_packets_total", "Lost packets that were sent again.", "port")
	backgroundCap = gauge("sluice_port_background_cap_bytes_per_second", "Cap of a background queue; 0: none.", "port", "downstream")
)

// Port collects the status of a port's agent.
type Port struct {
	// Read is called once for each collection.
	Read func() (port.Status, error)
}

// Describe describes nothing: which families there are depends on the configuration.
func (p Port) Describe(chan<- *prometheus.Desc) {}

// Collect reads the status; a failure fails the whole collection.
func (p Port) Collect(out chan<- prometheus.Metric) {
	status, err := p.Read()
	if err != nil {
		out <- prometheus.NewInvalidMetric(portInfo.desc, err)
		return
	}
	s := samples(out)
	s.port(status)
	s.link(status.Controllers, status.Link, status.Certificates)
	for level, queue := range queues(status) {
		s.queue(status.Port, strconv.Itoa(level), queue)
	}
	if status.Background != nil {
		for _, queue := range status.Background.Queues {
			if !queue.Draining { // it may have a successor of the same name
				s.rate(backgroundCap, queue.CapBitsPerSecond, status.Port, queue.Downstream)
			}
		}
	}
}

func (s samples) port(p port.Status) {
	s.add(portInfo, 1, p.Port, p.Ingress, p.Egress)
	s.rate(portCapacity, p.CapacityBitsPerSecond, p.Port)
	s.add(portBuffer, float64(p.BufferPackets), p.Port)
	s.add(portThreshold, float64(p.MarkThresholdPackets), p.Port)
	s.count(losses, p.ReportedLosses, p.Port)
	s.count(resent, p.ResentPackets, p.Port)
}

// queues are one for each level; a port without levels has one.
func queues(p port.Status) []port.QueueCounters {
	if len(p.Levels) == 0 {
		return []port.QueueCounters{{
			BacklogPackets: p.BacklogPackets, BacklogBytes: p.BacklogBytes,
			SentPackets: p.SentPackets, SentBytes: p.SentBytes,
			MarkedPackets: p.MarkedPackets, OverThresholdPackets: p.OverThresholdPackets,
			DroppedFullPackets: p.DroppedFullPackets, DroppedNotEctPackets: p.DroppedNotEctPackets,
		}}
	}
	levels := make([]port.QueueCounters, len(p.Levels))
	for i, level := range p.Levels {
		levels[i] = level.QueueCounters
	}
	return levels
}

func (s samples) queue(name, level string, q port.QueueCounters) {
	s.count(queueBacklog, q.BacklogPackets, name, level)
	s.count(queueBytes, q.BacklogBytes, name, level)
	s.count(sentPackets, q.SentPackets, name, level)
	s.count(sentBytes, q.SentBytes, name, level)
	s.count(marked, q.MarkedPackets, name, level)
	s.count(over, q.OverThresholdPackets, name, level)
	s.count(portDropped, q.DroppedFullPackets, name, level, "full")
	s.count(portDropped, q.DroppedNotEctPackets, name, level, "not-ect")
}
