// SPDX-License-Identifier: Apache-2.0

package shim

import "sync/atomic"

// Reflecting is how marks get back to the sending host, as the programs have it.
type Reflecting uint32

// The values of enum reflecting.
const (
	// ReflectingNothing: the agent reports counters.
	ReflectingNothing Reflecting = iota
	// ReflectingMessages: marks wait for the agent's messages.
	ReflectingMessages
	// ReflectingBits: for these, and for the reserved bit of what goes back.
	ReflectingBits
)

// Reflect sets how marks get back.
func (s *Shim) Reflect(how Reflecting) {
	atomic.StoreUint32(&s.state.At(0).Reflecting, uint32(how))
}

// RefuseConnections has endpoints begin no TCP connection in a pair's direction, or lets them, as long as the lease
// is renewed.
func (s *Shim) RefuseConnections(slot int, refused bool) {
	var word uint8
	if refused {
		word = 1
	}
	s.pairs.At(slot).RefusesConnections = word // the programs only read it
}
