// SPDX-License-Identifier: Apache-2.0

// Package peers is the exchange with other hosts' agents, in band: signed messages of package wire, beside
// the data that they are about.
//
//	feedback  what arrived of a pair, from the receiver's agent to the sender's, whose laws go by it
//	shares    what controllers published of ports on the path, relayed the same way, so that a sender that
//	          no controller has named yet, or that has lost its controller, can go by it as well
//	echoes    measure the round trip, of which the host loop's period is a multiple
//
// All of it is for the engine's goroutine.
package peers
