// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"net/netip"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// Status is one virtual NIC as `sluice-agent status` shows it; counters since the agent's start.
type Status struct {
	Interface string       `json:"interface"`
	Ifindex   int          `json:"ifindex"`
	VLAN      uint16       `json:"vlan,omitempty"` // of an interface that is a trunk
	MAC       string       `json:"mac"`
	IPs       []netip.Addr `json:"ips"`
	// Metadata is what the host knows of the interface.
	Metadata model.Metadata `json:"metadata"`
	// RefusedIPs are those that the controller does not let it use, in order.
	RefusedIPs             []netip.Addr `json:"refusedIps"`
	Tenant                 string       `json:"tenant"`
	Weight                 float64      `json:"weight"`
	GuaranteeBitsPerSecond uint64       `json:"guaranteeBitsPerSecond"`
	// ReceiveCeilingBitsPerSecond is what the network shall bring it at most; 0: no limit.
	ReceiveCeilingBitsPerSecond uint64 `json:"receiveCeilingBitsPerSecond"`
	// ShareBitsPerSecond is what it owns of the uplink when everybody sends.
	ShareBitsPerSecond    uint64        `json:"shareBitsPerSecond"`
	RateBitsPerSecond     uint64        `json:"rateBitsPerSecond"` // limit in force, 0 = none
	OverrideBitsPerSecond uint64        `json:"overrideBitsPerSecond"`
	Groups                []GroupStatus `json:"groups"`
	// Tx*: offered by the VM; what a class sent or dropped stands in its group.
	TxPackets uint64 `json:"txPackets"`
	TxBytes   uint64 `json:"txBytes"`
	// Neighbours are the other endpoints of the host.
	Neighbours NeighbourStatus `json:"neighbours"`
	// Residual belongs to no pair: to groups, without IP, without an address of
	// its own, beyond the table of pairs or the congested ports that an endpoint can be controlled for.
	Residual    ResidualStatus `json:"residual"`
	RxPackets   uint64         `json:"rxPackets"`
	RxBytes     uint64         `json:"rxBytes"`
	RxCEPackets uint64         `json:"rxCePackets"`
	// RxOverCeilingPackets exceeded the receive ceiling: their sources slow down.
	RxOverCeilingPackets uint64 `json:"rxOverCeilingPackets"`
	// RxClamped had their TCP window lowered; RxUnclamped should have had, but its scale is not known,
	// since the connection's beginning was not seen, or the path is longer than 20 ms.
	RxClampedPackets   uint64 `json:"rxClampedPackets"`
	RxUnclampedPackets uint64 `json:"rxUnclampedPackets"`
	// TxClamped had their TCP window lowered, so that what many senders begin with fits the port before the host.
	TxClampedPackets   uint64 `json:"txClampedPackets"`
	DroppedPackets     uint64 `json:"droppedPackets"`
	BacklogBytes       uint64 `json:"backlogBytes"`
	SpoofedPackets     uint64 `json:"spoofedPackets"`
	RoguePackets       uint64 `json:"roguePackets"`
	ForgedCEPackets    uint64 `json:"forgedCePackets"`
	ForgedReservedBits uint64 `json:"forgedReservedBitPackets"`
	ForgedControl      uint64 `json:"forgedControlPackets"`
	// RefusedConnections are SYNs that were dropped while marks had the path to their destination congested.
	RefusedConnections uint64 `json:"refusedConnections"`
	LargestFrameBytes  uint64 `json:"largestFrameBytes"`
	// Levels are nil without any.
	Levels *LevelStatus `json:"levels,omitempty"`
	// Tables are its parts of what all endpoints of the host share.
	Tables shim.Tables `json:"tables"`
}

// LevelStatus is what an endpoint has sent by levels.
type LevelStatus struct {
	SentBytes []uint64 `json:"sentBytes"` // by each level, the first one first
	// DemotedFlows went to the last level because the endpoint had more to send by the others than half of
	// a limit.
	DemotedFlows uint64 `json:"demotedFlows"`
	// OwnDSCPPackets had a DSCP from the VM, which was replaced.
	OwnDSCPPackets uint64 `json:"ownDscpPackets"`
}

// NeighbourStatus is what an endpoint sends to others of its host; it passes no class.
type NeighbourStatus struct {
	RateBitsPerSecond uint64 `json:"rateBitsPerSecond"` // limit in force, 0 = none
	SentPackets       uint64 `json:"sentPackets"`
	SentBytes         uint64 `json:"sentBytes"`
	DroppedPackets    uint64 `json:"droppedPackets"`
}

// ResidualStatus is what an endpoint sends that belongs to no pair.
type ResidualStatus struct {
	RateBitsPerSecond uint64 `json:"rateBitsPerSecond"` // limit in force, 0 = none
	SentPackets       uint64 `json:"sentPackets"`
	SentBytes         uint64 `json:"sentBytes"`
	DroppedPackets    uint64 `json:"droppedPackets"`
	// PortsBeyond are congested ports beyond those that the endpoint can be controlled for.
	PortsBeyond []model.Port `json:"portsBeyond,omitempty"`
}

// GroupStatus is one unit of control; the default group has no port.
type GroupStatus struct {
	Port model.Port `json:"port"`
	// LeastPort is the one whose share limits, if another one that carries the same gives less than Port.
	LeastPort model.Port `json:"leastPort,omitempty"`
	// Relayed: its share came from a destination's agent, no controller has published it to this host.
	Relayed bool `json:"relayed"`
	// Held: an earlier agent's limit, which holds until another decision.
	Held              bool    `json:"held,omitempty"`
	RateBitsPerSecond uint64  `json:"rateBitsPerSecond"`
	CEShare           float64 `json:"ceShare"`
	SentPackets       uint64  `json:"sentPackets"`
	SentBytes         uint64  `json:"sentBytes"`
	SparseBytes       uint64  `json:"sparseBytes"`
	DroppedPackets    uint64  `json:"droppedPackets"`
	BacklogPackets    uint64  `json:"backlogPackets"`
	BacklogBytes      uint64  `json:"backlogBytes"`
}

// Tables are its parts of what all endpoints of the host share.
func (e *Endpoint) Tables() shim.Tables { return e.table.host.Shim.Tables(e.index) }

// Status reads an endpoint's counters and limits. Of a class that cannot be read the counters are those that were read
// last.
func (e *Endpoint) Status() Status {
	counters := e.table.host.Shim.Endpoint(e.index)
	s := Status{
		Interface: e.Interface, Ifindex: e.place.Ifindex, VLAN: e.VLAN, MAC: e.MAC.String(), IPs: append([]netip.Addr{}, e.IPs...),
		Metadata:   e.Metadata,
		RefusedIPs: e.refused.list(),
		Tenant:     e.allowance.policy.Tenant, Weight: e.allowance.policy.Weight,
		GuaranteeBitsPerSecond:      e.allowance.policy.GuaranteeBitsPerSecond,
		ReceiveCeilingBitsPerSecond: e.allowance.policy.ReceiveCeilingBitsPerSecond,
		ShareBitsPerSecond:          e.table.uplink.ShareBitsPerSecond(e.index),
		OverrideBitsPerSecond:       e.allowance.override,
		TxPackets:                   counters.SentPackets,
		TxBytes:                     counters.SentBytes,
		RxPackets:                   counters.ReceivedPackets,
		RxBytes:                     counters.ReceivedBytes,
		RxCEPackets:                 counters.CEPackets,
		RxClampedPackets:            counters.ClampedPackets,
		RxUnclampedPackets:          counters.UnclampedPackets,
		TxClampedPackets:            counters.LoweredOffers,
		SpoofedPackets:              counters.SpoofedPackets,
		RoguePackets:                counters.RoguePackets,
		ForgedCEPackets:             counters.ForgedCE,
		ForgedReservedBits:          counters.ForgedReserved,
		ForgedControl:               counters.ForgedControl,
		RefusedConnections:          counters.RefusedConnections,
		RxOverCeilingPackets:        e.Phantom(clock.Nanos()).OverThresholdPackets,
		LargestFrameBytes:           counters.LargestFrameBytes,
		Tables:                      e.Tables(),
	}
	if e.table.enforcing {
		s.RateBitsPerSecond = e.allowance.ceiling()
	}
	e.classes.addTo(&s)
	near := e.table.host.Shim.Neighbours(e.index)
	s.Neighbours = NeighbourStatus{
		RateBitsPerSecond: e.division.neighbours.ceiling,
		SentPackets:       near.Packets - near.DroppedPackets, SentBytes: near.Bytes - near.DroppedBytes,
		DroppedPackets: near.DroppedPackets,
	}
	residual := e.table.host.Shim.Residual(e.index)
	s.Residual = ResidualStatus{
		SentPackets: residual.Packets - residual.DroppedPackets, SentBytes: residual.Bytes - residual.DroppedBytes,
		DroppedPackets: residual.DroppedPackets, PortsBeyond: e.Control.PortsBeyond(),
	}
	if e.table.enforcing {
		s.Residual.RateBitsPerSecond = htb.ResidualRate(e.allowance.ceiling(), e.classes.limiter.capacity)
	}
	s.DroppedPackets += near.DroppedPackets + residual.DroppedPackets
	if levels := e.table.host.Config.Levels; levels != nil {
		counters := e.table.host.Shim.Levels(e.index)
		s.Levels = &LevelStatus{
			SentBytes: slices.Clone(counters.SentBytes[:len(levels.DSCP)]), DemotedFlows: counters.DemotedFlows,
			OwnDSCPPackets: counters.OwnDSCPPackets,
		}
	}
	return s
}

// addTo adds the groups that are in use, and what all of them queue and have dropped.
func (c *classes) addTo(s *Status) {
	s.DroppedPackets = c.host.Shim.PolicedPackets(c.index)
	for slot, g := range c.groups {
		policed := c.host.Shim.PolicedGroupPackets(c.index, slot)
		s.DroppedPackets += policed
		if g == nil {
			continue
		}
		stats, err := c.countersOf(slot)
		if err != nil {
			stats = g.counters
		}
		total := stats.Total()
		s.BacklogBytes += total.BacklogBytes
		if g.vacantSince != 0 {
			continue
		}
		decided := c.decided(slot)
		if decided.LeastPort == g.port {
			decided.LeastPort = ""
		}
		s.Groups = append(s.Groups, GroupStatus{
			Port: g.port, LeastPort: decided.LeastPort, Relayed: decided.Relayed, Held: g.held, RateBitsPerSecond: g.limit, CEShare: g.ceShare,
			SentPackets: total.SentPackets, SentBytes: total.SentBytes, SparseBytes: stats.Sparse.SentBytes,
			DroppedPackets: total.DroppedPackets + policed - g.policedBefore,
			BacklogPackets: total.BacklogPackets, BacklogBytes: total.BacklogBytes,
		})
	}
	s.DroppedPackets += c.droppedPackets
}

// settledReadings without a change show that nothing is on its way to a class any more.
const settledReadings = 3

// countersOf reads a group's counters; where nothing has been offered to it since, it is not read again: of a
// thousand endpoints most are silent.
func (c *classes) countersOf(slot int) (htb.GroupStats, error) {
	g := c.groups[slot]
	offered := c.host.Shim.Offered(c.index, slot).Bytes
	if offered == g.readOffered && g.quietReadings >= settledReadings {
		return g.counters, nil
	}
	stats, err := c.host.Tree.Group(c.index, slot)
	if err != nil {
		return stats, err
	}
	if offered == g.readOffered && stats.Total().BacklogPackets == 0 {
		g.quietReadings++
	} else {
		g.quietReadings = 0
	}
	c.droppedPackets += increment(g.counters.Total().DroppedPackets, stats.Total().DroppedPackets)
	g.counters, g.readOffered = stats, offered
	return stats, nil
}
