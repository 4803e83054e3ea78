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

// Set are the hints of one family of addresses.
type Set struct {
	hints    []model.TCPHint
	all      netip.Prefix
	byPrefix map[netip.Prefix][]int
}

// New makes the set of those hints that concern IPv4, or IPv6.
func New(hints []model.TCPHint, isIPv6 bool) *Set {
	s := &Set{hints: hints, byPrefix: map[netip.Prefix][]int{}}
	s.all = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	if isIPv6 {
		s.all = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	for i, hint := range hints {
		if len(hint.Destinations) == 0 {
			s.byPrefix[s.all] = append(s.byPrefix[s.all], i)
		}
		for _, prefix := range hint.Destinations {
			if prefix.Addr().Is6() == isIPv6 {
				s.byPrefix[prefix] = append(s.byPrefix[prefix], i)
			}
		}
	}
	return s
}

// All has every address of the family in it.
func (s *Set) All() netip.Prefix { return s.all }

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
