// SPDX-License-Identifier: Apache-2.0

package hintset

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func prefixes(texts ...string) []netip.Prefix {
	result := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		result[i] = netip.MustParsePrefix(text)
	}
	return result
}

func TestTheLongestPrefixHoldsFieldByField(t *testing.T) {
	set := New([]model.TCPHint{
		{Destinations: prefixes("10.1.0.0/16", "fd00::/64"), InitialWindowSegments: 20},
		{Destinations: prefixes("10.1.2.0/24"), RtoMinNanos: 4, CongestionControl: "reno"},
		{InitialWindowSegments: 15, RtoMinNanos: 9, PacingBitsPerSecond: 7},
		{Destinations: prefixes("10.1.0.0/16"), InitialWindowSegments: 40},
	})
	for _, c := range []struct {
		prefix string
		want   Parameters
		hints  []int
	}{
		{"10.1.2.3/32", Parameters{20, 4, "reno", 7}, []int{0, 1, 2}},
		{"10.1.3.0/24", Parameters{20, 9, "", 7}, []int{0, 2}},
		{"10.0.0.0/8", Parameters{15, 9, "", 7}, []int{2}},
		{"0.0.0.0/0", Parameters{15, 9, "", 7}, []int{2}},
	} {
		found := set.At(netip.MustParsePrefix(c.prefix))
		if found.Parameters != c.want || !slices.Equal(found.Hints, c.hints) {
			t.Errorf("%s: %+v, want %+v of %v", c.prefix, found, c.want, c.hints)
		}
	}
	if got := set.Prefixes(); !slices.Equal(got, prefixes("0.0.0.0/0", "::/0", "10.1.0.0/16", "10.1.2.0/24", "fd00::/64")) {
		t.Errorf("%v", got)
	}
}

func TestHintsOfOneFamilyDoNotApplyToTheOther(t *testing.T) {
	set := New([]model.TCPHint{
		{Destinations: prefixes("10.1.0.0/16", "fd00::/64"), InitialWindowSegments: 20}, {RtoMinNanos: 5},
	})
	if found := set.At(netip.MustParsePrefix("::/0")); found.Parameters != (Parameters{0, 5, "", 0}) {
		t.Errorf("%+v", found)
	}
	if found := set.At(netip.MustParsePrefix("fd00::1/128")); found.Parameters != (Parameters{20, 5, "", 0}) {
		t.Errorf("%+v", found)
	}
}
