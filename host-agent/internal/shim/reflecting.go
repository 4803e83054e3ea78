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
