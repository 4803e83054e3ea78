// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"
	"net/netip"
)

// FlowID names a TCP flow in the direction in which its data goes. In patterns a port of 0 is any.
type FlowID struct {
	Source          netip.Addr
	SourcePort      uint16
	Destination     netip.Addr
	DestinationPort uint16
}

// IsPattern reports that several flows may match.
func (f FlowID) IsPattern() bool { return f.SourcePort == 0 || f.DestinationPort == 0 }

// String is for people.
func (f FlowID) String() string {
	return fmt.Sprintf("%s > %s", withPort(f.Source, f.SourcePort), withPort(f.Destination, f.DestinationPort))
}

func withPort(address netip.Addr, port uint16) string {
	if port == 0 {
		return address.String() + ":*"
	}
	return netip.AddrPortFrom(address, port).String()
}

// Compare orders flows, for lists.
func (f FlowID) Compare(other FlowID) int {
	return cmp.Or(f.Source.Compare(other.Source), cmp.Compare(f.SourcePort, other.SourcePort),
		f.Destination.Compare(other.Destination), cmp.Compare(f.DestinationPort, other.DestinationPort))
}

// FlowState is the state of a connection (agent_link.proto, FlowUpdate.State).
type FlowState int

// The states of a connection, in the order in which it takes them.
const (
	FlowOpened FlowState = iota + 1
	FlowEstablished
	FlowClosed
)

func (s FlowState) String() string {
	return map[FlowState]string{FlowOpened: "opened", FlowEstablished: "established", FlowClosed: "closed"}[s]
}

// FlowUpdate is a connection of an endpoint of this host, in the direction in which the endpoint sends.
type FlowUpdate struct {
	Flow  FlowID // exact
	State FlowState
	// DeliveredBytes of payload the peer has acknowledged since the beginning.
	DeliveredBytes uint64
	// ProgressNanos is when they grew last, of CLOCK_MONOTONIC; 0: they have not.
	ProgressNanos int64
	// AcknowledgedSequence: the peer has acknowledged all below it.
	AcknowledgedSequence uint32
	RoundTripNanos       int64 // latest; 0: unknown
	// ScaleUnknown: its window cannot be written.
	ScaleUnknown bool
}

// WindowGrant is what a flow may have in flight, or, for a pattern, each one that matches it.
type WindowGrant struct {
	Flow        FlowID
	WindowBytes uint64
	Released    bool
}

// GrantDecisions are those about the windows of flows.
type GrantDecisions interface {
	ApplyGrants(node string, grants []WindowGrant)
	// VoidGrants: a node's session or lease has ended, and its grants with it.
	VoidGrants(node string)
}

// LossAnswerDecisions are those about what flows have lost.
type LossAnswerDecisions interface {
	// ApplyLossAnswers has three duplicate acknowledgements sent to the source of each flow.
	ApplyLossAnswers(node string, answers []LossAnswer)
}

// ResendDecisions are those about lost packets that are kept.
type ResendDecisions interface {
	ApplyResends(node string, resends []Resend)
}

// Loss is a packet that a full queue dropped.
type Loss struct {
	Port     Port
	Flow     FlowID // exact
	Sequence uint32 // of the first byte of payload
	// PayloadBytes that were lost.
	PayloadBytes uint32
	// Kept identifies the packet while it is kept; 0: it is not.
	Kept uint64
	// Frame is the kept packet itself, while controllers have it sent to them; never changed.
	Frame []byte
}

// LossAnswer is for the source of a flow whose bytes were lost.
type LossAnswer struct {
	Flow         FlowID // exact
	Sequence     uint32 // of the first lost byte
	PayloadBytes uint32
}

// Resend is a kept packet to be retransmitted.
type Resend struct {
	Port Port
	Kept uint64
}
