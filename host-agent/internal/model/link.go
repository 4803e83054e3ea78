// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"net/netip"
	"slices"
)

// EndpointPolicy is what the controller decided about one endpoint (agent_link.proto).
type EndpointPolicy struct {
	Interface              string
	Tenant                 string
	Weight                 float64
	GuaranteeBitsPerSecond uint64 // 0: none
	CeilingBitsPerSecond   uint64 // 0: the NIC's capacity
	PreserveECN            bool
	// ReceiveCeilingBitsPerSecond is what the network shall bring it at most; 0: no limit.
	ReceiveCeilingBitsPerSecond uint64
	// RefusedIPs are addresses of the endpoint that it must not use.
	RefusedIPs []netip.Addr
}

// Equal reports whether two policies are equal.
func (p EndpointPolicy) Equal(other EndpointPolicy) bool {
	return slices.Equal(p.RefusedIPs, other.RefusedIPs) && p.withoutRefused() == other.withoutRefused()
}

// terms are all of a policy but the addresses that it refuses.
type terms struct {
	networkInterface, tenant           string
	weight                             float64
	guarantee, ceiling, receiveCeiling uint64
	preserveECN                        bool
}

func (p EndpointPolicy) withoutRefused() terms {
	return terms{
		networkInterface: p.Interface, tenant: p.Tenant, weight: p.Weight,
		guarantee: p.GuaranteeBitsPerSecond, ceiling: p.CeilingBitsPerSecond,
		receiveCeiling: p.ReceiveCeilingBitsPerSecond, preserveECN: p.PreserveECN,
	}
}

// HostSettings configure the shim, for all of its endpoints.
type HostSettings struct {
	Enforcement        bool
	Law                LawKind
	ControlPeriodNanos int64 // T_i
	TauNanos           int64 // 0: the agent's own configuration
	// NoticesAlone: no feedback between agents, sources receive marks by notices only.
	NoticesAlone    bool
	NoticeTransport NoticeTransport
	// ReportFlows: connections are reported to controllers.
	ReportFlows bool
	// HandshakeWaitNanos is how long a SYN-ACK is held back for the first grant for its connection; 0: it is
	// not.
	HandshakeWaitNanos int64
	// ReportLosses: port agents report what they drop, and keep it for a while.
	ReportLosses bool
	// SendLostFrames: with the packets themselves.
	SendLostFrames bool
	// SignConnections: segments that begin or end a TCP connection are sent as ECT(1), and no others are.
	SignConnections bool
	// ReportFlowSizes: how much flows have sent is reported, where there are levels.
	ReportFlowSizes bool
	// LevelThresholdBytes replace the configured thresholds, ascending from 1 on; empty: they do not.
	LevelThresholdBytes []uint64
	// ReceiversMark: no switch marks, and an uplink without a receive ceiling has its capacity for one.
	ReceiversMark bool
}

// NoticeTransport is the format of notices in band, if any. The link always accepts them.
type NoticeTransport int

// The formats (agent_link.proto, HostSettings.NoticeTransport).
const (
	NoticesByLink NoticeTransport = iota
	NoticesInBandV1
	NoticesInBandSdnGcc
)

// NoticeKey authenticates in-band notices from one controller node to this host.
type NoticeKey struct {
	ID  uint32
	Key []byte // 32 bytes
}

// AuthorityKey is a public key by which agents are certified to each other.
type AuthorityKey struct {
	ID uint32
	// PublicKey is a point of P-256, uncompressed: 65 bytes.
	PublicKey []byte
}

// PeerCertificates prove to other agents that addresses are this host's.
type PeerCertificates struct {
	// PublicKey is the one of this agent's that they certify (Hello.PeerPublicKey).
	PublicKey    [32]byte
	Certificates []PeerCertificate
}

// PeerCertificate is of one address.
type PeerCertificate struct {
	IP           netip.Addr
	AuthorityID  uint32
	IssuedMillis uint64 // grows with every certificate
	Signature    [64]byte
}

// The *Decisions receive what controllers decided: verified, in order, never stale. An agent takes those kinds of
// which it has the methods. Calls come from the link's goroutines and must not block.

// PolicyDecisions are those about this host's endpoints.
type PolicyDecisions interface {
	ApplyPolicies(node string, policies []EndpointPolicy)
}

// ShareDecisions are those about congested ports.
type ShareDecisions interface {
	ApplyUnitShares(node string, shares []UnitShare)
}

// NoticeDecisions are notices, and the key that signs those in band.
type NoticeDecisions interface {
	ApplyNotices(node string, notices []Notice)
	ApplyNoticeKey(node string, key NoticeKey)
}

// SettingDecisions are those about the agent.
type SettingDecisions interface {
	ApplySettings(node string, settings HostSettings)
}

// PeerDecisions are about what agents prove to each other.
type PeerDecisions interface {
	// ApplyPeerAuthority: who certifies agents to each other, the newest key first.
	ApplyPeerAuthority(node string, keys []AuthorityKey)
	// ApplyPeerCertificates: in addition to those that came before.
	ApplyPeerCertificates(node string, given PeerCertificates)
}

// MarkDecisions are marks that controllers pass on.
type MarkDecisions interface {
	// ApplyReturnedMarks: what other hosts' agents reported of pairs from here. Numbered by them, so that several
	// nodes may bring the same.
	ApplyReturnedMarks(node string, marks []Feedback)
	// ApplyUndeliveredMarks: the node has no path to those pairs' sources.
	ApplyUndeliveredMarks(node string, marks []Feedback)
}

// LeaseDecisions are the ends of leases.
type LeaseDecisions interface {
	// LeaseExpired: a node has sent nothing for its lease. Its notices and the key that signs them are void,
	// its unit shares and policies stay.
	LeaseExpired(node string)
}

// Observer receives what the agent observes. Calls never block: a link that cannot send keeps the
// increments and adds the next ones to them.
type Observer interface {
	Observe(Observation)
	Report(Event)
	// Controllers lists the configured controllers and the state of each session, for status.
	Controllers() []ControllerStatus
}

// ControllerStatus is one controller as the link sees it.
type ControllerStatus struct {
	Address   string `json:"address"`
	Connected bool   `json:"connected"`
	Node      string `json:"node,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// ReceivedNanos is when its last message came, on the link's clock.
	ReceivedNanos int64 `json:"-"`
}

// Hello introduces this host (agent_link.proto, Hello).
type Hello struct {
	Host                        string
	AgentVersion                string
	UplinkInterface             string
	UplinkMAC                   []byte
	UplinkCapacityBitsPerSecond uint64
	// UplinkReceiveCeilingBitsPerSecond: more shall not arrive over the uplink; 0: no limit.
	UplinkReceiveCeilingBitsPerSecond uint64
	Endpoints                         []Endpoint
	Features                          []Feature
	// SwitchPorts are the ports whose queues this agent keeps. One that keeps nothing else has no
	// uplink.
	SwitchPorts []Port
	// PeerPublicKey is the X25519 public key of this start of the agent, 32 bytes; empty where there is none.
	PeerPublicKey []byte
}

// Feature is one finding of the probe.
type Feature struct {
	Name    string `json:"name"`
	Present bool   `json:"present"`
	// Detail has what is missing and the effect; empty when present.
	Detail string `json:"detail,omitempty"`
}

// Observation is what this host counted in an interval; all counters are increments.
type Observation struct {
	IntervalNanos int64
	Pairs         []PairSample
	Endpoints     []EndpointSample
}

// PairSample is one Pair's increments, at egress (Sent) or at ingress (Received, CE).
type PairSample struct {
	Pair
	SentPackets     uint64
	SentBytes       uint64
	ReceivedPackets uint64
	ReceivedBytes   uint64
	CEPackets       uint64
	// Waits: what the source sends waits for its limit. No increment, but how it is now.
	Waits bool
}

// EndpointSample is one endpoint's state and increments.
type EndpointSample struct {
	Interface         string
	RateBitsPerSecond uint64 // limit in force, 0 = none
	BacklogBytes      uint64
	DroppedPackets    uint64
	SpoofedPackets    uint64
	ForgedPackets     uint64
	// RoguePackets were dropped: what only a router, a DHCP server or a switch sends.
	RoguePackets uint64
	// ResidualDroppedPackets exceeded what the endpoint may send as residual traffic.
	ResidualDroppedPackets uint64
	Groups                 []GroupSample
}

// GroupSample is one Control of an endpoint.
type GroupSample struct {
	Port              Port
	RateBitsPerSecond uint64
	CEShare           float64 // F of the last interval
	SentBytes         uint64
}

// PortObservation has the counters of the queues of this agent's switch ports, or of the phantom queues of
// its receive ceilings, in an interval; all but backlogs are increments.
type PortObservation struct {
	IntervalNanos int64
	Ports         []PortQueueSample
}

// PortQueueSample is one queue's increments and state.
type PortQueueSample struct {
	Port                 Port
	SentPackets          uint64
	SentBytes            uint64
	MarkedPackets        uint64
	OverThresholdPackets uint64 // not less than MarkedPackets
	DroppedPackets       uint64
	BacklogPackets       uint64
	BacklogBytes         uint64
	BufferPackets        uint32 // room of the queue, or of each level's; 0: unknown
	MarkThresholdPackets uint32 // as configured, of the queue or each level's; 0: it does not mark
	// Levels are empty where there is one queue. Neither they nor Background are changed once they are made.
	Levels     []LevelQueueSample
	Background []BackgroundQueueSample
}

// Add makes a sample of two in a row.
func (s *PortQueueSample) Add(next PortQueueSample) {
	s.SentPackets += next.SentPackets
	s.SentBytes += next.SentBytes
	s.MarkedPackets += next.MarkedPackets
	s.OverThresholdPackets += next.OverThresholdPackets
	s.DroppedPackets += next.DroppedPackets
	s.BacklogPackets, s.BacklogBytes = next.BacklogPackets, next.BacklogBytes
	s.BufferPackets, s.MarkThresholdPackets = next.BufferPackets, next.MarkThresholdPackets
	s.Levels = addLevels(s.Levels, next.Levels)
	s.Background = addBackground(s.Background, next.Background)
}

// ErrLeaving is the cause with which an agent's context ends that is stopped for good: it announces that to its controllers,
// which miss it otherwise.
var ErrLeaving = errors.New("the agent is stopped for good")

// EventKind distinguishes events (agent_link.proto, Event.Kind).
type EventKind int

// The events that an agent reports.
const (
	EndpointsChanged EventKind = iota + 1
	StaleRefused
	LeaseExpired
	EnforcementFailed
	Spoofed
	ConditionsChanged
	Leaving
)

// Event is reported to controllers at once.
type Event struct {
	Kind      EventKind
	Detail    string
	Endpoints []Endpoint
	// Conditions are what is wrong on the host and lasts, with ConditionsChanged: all of them.
	Conditions []string
}
