// SPDX-License-Identifier: Apache-2.0

package cgroups

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// manyDestinations are a hint for each of so many groups of hosts.
func manyDestinations(count int, window uint32) *hintset.Set {
	hints := []model.TCPHint{everything()}
	for i := range count {
		prefix := netip.MustParsePrefix(fmt.Sprintf("10.%d.%d.0/26", 64+i/256, i%256))
		hints = append(hints, model.TCPHint{Destinations: []netip.Prefix{prefix}, InitialWindowSegments: window})
	}
	return hintset.New(hints)
}

// BenchmarkHints is what hints cost an agent with one cgroup: the same ones once a second, and others for all
// destinations.
func BenchmarkHints(b *testing.B) {
	for _, destinations := range []int{0, 80, 1024} {
		sets := []*hintset.Set{manyDestinations(destinations, 20), manyDestinations(destinations, 30)}
		for name, period := range map[string]int{"unchanged": 1, "change": len(sets)} {
			b.Run(fmt.Sprintf("%s/%d", name, destinations), func(b *testing.B) {
				c := newBench(b).cgroups
				c.Sync(sets[0])
				begin, report := testnet.ProcessorTime(b)
				b.ResetTimer()
				begin()
				for i := range b.N {
					if result := c.Sync(sets[i%period]); len(result.Failures) > 0 {
						b.Fatal(result.Failures)
					}
				}
				report()
			})
		}
	}
}
