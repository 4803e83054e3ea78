// SPDX-License-Identifier: Apache-2.0

package model

import "net/netip"

// Interval has one Control's counters since the last step of its law, about one tau ago.
type Interval struct {
	// NowNanos is the end of the interval, ElapsedNanos its length (> 0).
	NowNanos     int64
	ElapsedNanos int64
	// Packets and CEPackets arrived at receivers and were reported back within the interval.
	// CEPackets <= Packets.
	Packets   uint64
	CEPackets uint64
	// SentBytes left for destinations behind the port within the interval.
	SentBytes uint64
	// GovernedElsewhere: all of it obeys other ports: Packets and CEPackets are 0, and nothing is known of
	// the port itself.
	GovernedElsewhere bool
	// Backlogged: the class had packets at the end of the interval.
	Backlogged bool
	// LentPart of its share may be borrowed at all ports on its way; 0: nothing.
	LentPart float64
}

// Bounds are the limits that no law may leave.
type Bounds struct {
	// CeilingBitsPerSecond is E: the lowest of the NIC's capacity, the tenant's ceiling and an
	// operator's override.
	CeilingBitsPerSecond uint64
	// GuaranteeBitsPerSecond is never undercut; 0 is none.
	GuaranteeBitsPerSecond uint64
	// Weight of the endpoint, > 0.
	Weight float64
}

// Law decides the limit of one Control. One instance per Control, used by one goroutine. Time is
// an argument; a law keeps no clock.
type Law interface {
	// SetBounds sets its endpoint's policy; called before anything else and on change.
	SetBounds(Bounds)
	// SetShare gives the law the controller's latest unit share for its port.
	SetShare(UnitShare)
	// Notify gives the law a notice; a law that does not use notices ignores it.
	Notify(nowNanos int64, notice Notice)
	// Step ends an interval and returns the limit to hold until the next.
	Step(Interval) (limitBitsPerSecond uint64)
	// SignalDelayNanos is how much later than receivers' reports the signal arrives that the law uses now: a
	// period of the notices', or 0.
	SignalDelayNanos() int64
	// Idle reports that the law has no state worth keeping: its group may be removed (no share in force,
	// no marks for T_o, limit back at the ceiling).
	Idle(nowNanos int64) bool
}

// UnitShare is what weight 1 may send through a congested port (agent_link.proto, UnitShare).
type UnitShare struct {
	Port                   Port
	UnitShareBitsPerSecond uint64
	CapacityBitsPerSecond  uint64
	ActiveWeight           float64
	// Expired ends the control of this port.
	Expired bool
	// Endpoints of this host that send through the port.
	Endpoints []ControlledEndpoint
	// Reached are addresses of this host's endpoints that others reach through the port: the share
	// is to be relayed to the agents of sources whose packets to them are marked.
	Reached []netip.Addr
	// LentPart is by about what part of its own share who waits may exceed it while nothing is marked; 0: by
	// nothing.
	LentPart float64
	// EqualCost: LentPart is what several equal ports have free together. It is not known which of them
	// somebody crosses: marks there need not end.
	EqualCost bool
	// Stale: no controller has published this recently; it was relayed, or is the last one known.
	Stale bool
}

// ControlledEndpoint has those of an endpoint's destinations that are behind the port; the full set.
type ControlledEndpoint struct {
	Interface    string
	Destinations []netip.Addr
	// Terms of the endpoint at the port.
	Terms Terms
}

// Terms are what a controller published about an endpoint at a congested port, beside the share.
type Terms struct {
	// Floor of the endpoint through the port (hose model, both sides).
	Floor Floor
	// Weight of the endpoint against all others at the port; 0: its policy's.
	Weight float64
	// PairPart of the endpoint's share at the port is what each of its destinations that wants more is due:
	// a destination obeys the port where that comes to least. 0: unknown, which counts as 1.
	PairPart float64
}

// Floor is a minimum rate as the controller computed it. The zero value: it published none.
type Floor struct {
	Known         bool
	BitsPerSecond uint64
}

// Notice is SDN-GCC's congestion notification (agent_link.proto, Notice).
type Notice struct {
	Port                  Port
	Interface             string
	Marks                 float64
	PeriodNanos           int64
	ShareBitsPerSecond    uint64
	CapacityBitsPerSecond uint64
	Destinations          []netip.Addr
	// Packets of the endpoint of which the marks are a part; 0: unknown. SDN-GCC does not use it.
	Packets float64
}
