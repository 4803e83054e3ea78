// SPDX-License-Identifier: Apache-2.0

package model

import "net/netip"

// TCPHints are parameters that a controller node gives this host's TCP: the full set (agent_link.proto, TcpHints).
type TCPHints struct {
	Revision uint64
	Hints    []TCPHint
}

// TCPHint is what connections towards some addresses are to use. Zero values leave the host's own.
type TCPHint struct {
	// Destinations are masked; empty: all that no other hint names.
	Destinations          []netip.Prefix
	InitialWindowSegments uint32
	RtoMinNanos           uint64
	CongestionControl     string
	PacingBitsPerSecond   uint64
}

// TCPHintReport is what this host made of a node's hints.
type TCPHintReport struct {
	Revision uint64
	Hints    []AppliedTCPHint // in the order of the TCPHints
	// Refused is what is in force nowhere, each with the reason.
	Refused []string
}

// AppliedTCPHint is what is in force of a hint; zero values: the host's own.
type AppliedTCPHint struct {
	InitialWindowSegments uint32 `json:"initialWindowSegments"`
	// RtoMinNanos is the longest where it differs.
	RtoMinNanos         uint64 `json:"rtoMinNanos"`
	CongestionControl   string `json:"congestionControl,omitempty"`
	PacingBitsPerSecond uint64 `json:"pacingBitsPerSecond"`
	// Routes and Cgroups are how many have it.
	Routes  uint32 `json:"routes"`
	Cgroups uint32 `json:"cgroups"`
}

// HintDecisions are those about the host's own TCP.
type HintDecisions interface {
	// ApplyTCPHints replaces the set that was in force. An empty node: no controller's are any more.
	ApplyTCPHints(node string, hints TCPHints)
}
