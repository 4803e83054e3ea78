// SPDX-License-Identifier: Apache-2.0

// Package hintset finds which of a controller's hints hold for an address.
package hintset

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Parameters are what connections are to use. Zero values leave the host's own.
type Parameters struct {
	InitialWindowSegments uint32
	RtoMinNanos           uint64
	CongestionControl     string
	PacingBitsPerSecond   uint64
}

// IsEmpty reports whether nothing is hinted.
func (p Parameters) IsEmpty() bool { return p == Parameters{} }

// Found is what holds for some addresses, and by which hints.
type Found struct {
	Parameters
	// Hints are the indices of those that have a part in it, ascending.
	Hints []int
}

// Set are hints, of both families of addresses.
type Set struct {
	hints    []model.TCPHint
	byPrefix map[netip.Prefix][]int
}

// all has every address in it.
var all = []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)}

// New makes the set of hints.
func New(hints []model.TCPHint) *Set {
	s := &Set{hints: hints, byPrefix: map[netip.Prefix][]int{}}
	for i, hint := range hints {
		destinations := hint.Destinations
		if len(destinations) == 0 {
			destinations = all
		}
		for _, prefix := range destinations {
			s.byPrefix[prefix] = append(s.byPrefix[prefix], i)
		}
	}
	return s
}

// IsEmpty reports whether there are no hints.
func (s *Set) IsEmpty() bool { return len(s.hints) == 0 }

// Prefixes are those that hints name, the shortest first.
func (s *Set) Prefixes() []netip.Prefix {
	return slices.SortedFunc(maps.Keys(s.byPrefix), func(a, b netip.Prefix) int {
		if a.Bits() != b.Bits() {
			return a.Bits() - b.Bits()
		}
		return a.Addr().Compare(b.Addr())
	})
}

// At is what holds for a prefix, as far as hints name it or a shorter one: of the longest, field by field.
func (s *Set) At(prefix netip.Prefix) Found {
	var found Found
	for bits := prefix.Bits(); bits >= 0; bits-- {
		for _, i := range s.byPrefix[netip.PrefixFrom(prefix.Addr(), bits).Masked()] {
			if found.fill(&s.hints[i]) {
				found.Hints = append(found.Hints, i)
			}
		}
	}
	slices.Sort(found.Hints)
	return found
}

// fill takes the fields that are open; false if the hint has nothing for them.
func (f *Found) fill(hint *model.TCPHint) bool {
	before := f.Parameters
	if f.InitialWindowSegments == 0 {
		f.InitialWindowSegments = hint.InitialWindowSegments
	}
	if f.RtoMinNanos == 0 {
		f.RtoMinNanos = hint.RtoMinNanos
	}
	if f.CongestionControl == "" {
		f.CongestionControl = hint.CongestionControl
	}
	if f.PacingBitsPerSecond == 0 {
		f.PacingBitsPerSecond = hint.PacingBitsPerSecond
	}
	return f.Parameters != before
}
