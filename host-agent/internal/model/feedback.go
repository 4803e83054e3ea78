// SPDX-License-Identifier: Apache-2.0

package model

// Feedback is a receiving agent's report to the sending one about a Pair: cumulative counters since
// the receiver's instance began, so that a lost message costs nothing. In band it goes as a packet between
// the two, by the link through a controller.
type Feedback struct {
	Pair     Pair
	Instance uint32 // of the receiving agent; counters restart with it
	Sequence uint64
	// PeriodNanos is the time that passed since the previous feedback on this pair.
	PeriodNanos int64
	Packets     uint64
	CEPackets   uint64
	Bytes       uint64
}
