// SPDX-License-Identifier: Apache-2.0

// Package law holds the control laws of the shim, one law in one file. A law turns what happened
// to one Control (an endpoint's traffic through one congested port) in an interval into the limit
// for the next. It is pure: time is an argument, there is no clock, goroutine, lock or logger in
// here, and a step allocates nothing.
//
//   - TwoTimeScale is Sluice's own law and the default.
//   - SdnGcc is the shim of SDN-GCC (Algorithm 3 of the paper) as its authors ran it.
//   - HyGenIcc is the sender of HyGenICC (Algorithm 1 of the paper), which has no controller.
//   - Endpoint puts the laws of one endpoint's congested ports together: which destination obeys
//     which port, and how a guarantee is spread.
//
// Rates are in bit/s of whole frames on the wire and times in nanoseconds of any monotonic clock.
// All arithmetic is float64 in the order written here; the same formulas exist in Java for the
// simulator, and the JSON vectors in the API module (docs/control-law-vectors.md) are run by both.
package law

import (
	"math"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// DefaultQuietNanos is T_o: a group that saw neither marks nor shares or notices of the controller for
// so long is not needed any more. The paper leaves T_o open and uses one second for idle sources
// (SDN-GCC, section VII.A, footnote 7); so do we.
const DefaultQuietNanos int64 = 1_000_000_000

// Host has the properties of the host that a law without a controller needs.
type Host struct {
	// NICBitsPerSecond is the uplink's capacity.
	NICBitsPerSecond uint64
	// TauNanos is the host loop's period, five round trips.
	TauNanos int64
}

// New makes the law that kind names, with its default parameters.
func New(kind model.LawKind, host Host) model.Law {
	switch kind {
	case model.SdnGcc:
		return NewSdnGcc(DefaultSdnGccParameters())
	case model.HyGenIcc:
		return NewHyGenIcc(HyGenIccParametersOf(host))
	default:
		return NewTwoTimeScale(DefaultTwoTimeScaleParameters())
	}
}

// clamp returns value, no lower than low and no higher than high; high wins where they cross.
func clamp(value, low, high float64) float64 {
	return math.Min(math.Max(value, low), high)
}

// wholeBits rounds a rate for those who set kernel classes with it.
func wholeBits(rate float64) uint64 {
	return uint64(math.Round(rate))
}
