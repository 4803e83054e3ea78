// SPDX-License-Identifier: Apache-2.0

package model

// DeadlineRequest registers a flow with a deadline.
type DeadlineRequest struct {
	Flow      FlowID // may be a pattern
	SizeBytes uint64 // of payload, above 0
	// DueInNanos from now, above 0.
	DueInNanos uint64
	// BeginsInNanos from now, below DueInNanos: until its connection begins.
	BeginsInNanos uint64
	// Force registers it even if the deadline cannot be met.
	Force bool
}

// FlowRequest is one of three.
type FlowRequest struct {
	Register *DeadlineRequest
	Remove   uint64 // id of a registration
	List     bool   // this host's registrations
}

// FlowAnswer is one of five.
type FlowAnswer struct {
	Registered  *RegisteredFlow // ID and Promised alone
	CannotBeMet *CannotBeMet
	Refused     *Refusal
	Flows       []RegisteredFlow // not nil: a list
	// Removed is not nil in answer to a removal: false where there was nothing to remove.
	Removed *bool
}

// CannotBeMet has the deadline that could be met.
type CannotBeMet struct {
	// EarliestNanos from now; nil: no deadline at all could be met.
	EarliestNanos *uint64
}

// Refusal is what is wrong with a request.
type Refusal struct {
	Field  string // empty: none in particular
	Detail string // with the remedy
}

// RegisteredFlow is a registration as the controller has it.
type RegisteredFlow struct {
	ID             uint64
	Flow           FlowID
	SizeBytes      uint64
	RemainingBytes uint64
	DueInNanos     int64 // below 0: it has passed
	Promised       bool
	State          string
}
