// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// manyDestinations are a hint for each of so many groups of hosts, as policies for pairs give.
func manyDestinations(count int, window uint32) *hintset.Set {
	hints := []model.TCPHint{{InitialWindowSegments: window, RtoMinNanos: 2_000_000}}
	for i := range count {
		prefix := netip.MustParsePrefix(fmt.Sprintf("10.%d.%d.0/26", 64+i/256, i%256))
		hints = append(hints, model.TCPHint{Destinations: []netip.Prefix{prefix}, InitialWindowSegments: window + 1 + uint32(i%2)})
	}
	return hintset.New(hints)
}

// BenchmarkHints is what hints cost an agent: reading once a second, and a set that changes for all destinations.
// 80 are the racks of 4000 hosts, 1024 the most that a controller gives. cpu-ns/op is of the whole process, kernel
// included.
func BenchmarkHints(b *testing.B) {
	for _, destinations := range []int{0, 80, 1024} {
		first, second := manyDestinations(destinations, 20), manyDestinations(destinations, 30)
		b.Run(fmt.Sprintf("unchanged/%d", destinations), func(b *testing.B) {
			measure(b, func(n *Namespace, _ int) Result { return n.Sync(first) })
		})
		b.Run(fmt.Sprintf("change/%d", destinations), func(b *testing.B) {
			measure(b, func(n *Namespace, i int) Result {
				if i%2 == 0 {
					return n.Sync(second)
				}
				return n.Sync(first)
			})
		})
	}
}

func measure(b *testing.B, sync func(n *Namespace, i int) Result) {
	b.Helper()
	n := newBench(b).namespace
	sync(n, 1)
	sync(n, 1)
	begin, report := testnet.ProcessorTime(b)
	b.ResetTimer()
	begin()
	for i := range b.N {
		if result := sync(n, i); len(result.Failures) > 0 {
			b.Fatal(result.Failures)
		}
	}
	report()
}
