// SPDX-License-Identifier: Apache-2.0

package model

import "math/bits"

const (
	sizeBits     = 2
	perDoubling  = 1 << sizeBits
	sizeBins     = 40 * perDoubling
	wordBits     = 64
	mostBinBytes = 1<<63 - 1
)

// FlowSizeCounts are how many flows have which size, with four bins to each doubling, as the shim has them
// (bpf/size.h): what is beyond 1.9 terabytes counts in the last.
type FlowSizeCounts [sizeBins]uint64

// Add counts a flow.
func (c *FlowSizeCounts) Add(bytes uint64) {
	if bytes < perDoubling {
		c[bytes]++
		return
	}
	exponent := wordBits - 1 - bits.LeadingZeros64(bytes)
	within := int(bytes>>(exponent-sizeBits)) & (perDoubling - 1)
	c[min((exponent-sizeBits+1)*perDoubling+within, sizeBins-1)]++
}

// AddAll adds other counts.
func (c *FlowSizeCounts) AddAll(other *FlowSizeCounts) {
	for i, count := range other {
		c[i] += count
	}
}

// Since takes earlier counts away.
func (c *FlowSizeCounts) Since(earlier *FlowSizeCounts) {
	for i, count := range earlier {
		c[i] -= count
	}
}

// LargestOf is the largest size of a bin, bytes: no flow in it is larger, and it is at most a quarter more.
func (c *FlowSizeCounts) LargestOf(bin int) uint64 {
	switch {
	case bin < perDoubling:
		return uint64(bin)
	case bin == sizeBins-1:
		return mostBinBytes
	}
	return (uint64(perDoubling+bin%perDoubling)+1)<<(bin/perDoubling-1) - 1
}

// LargeFlow is what a flow that passed all thresholds has sent.
type LargeFlow struct {
	Flow      FlowID
	SentBytes uint64 // since it began
	Ended     bool
}

// FlowSizes is what flows have sent since the last report.
type FlowSizes struct {
	Large []LargeFlow
	Ended FlowSizeCounts
}
