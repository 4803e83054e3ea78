// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const secondPort = model.Port("of:0000000000000002/7")

func reaching(port model.Port, bitsPerSecond uint64, reached ...netip.Addr) model.UnitShare {
	return model.UnitShare{Port: port, UnitShareBitsPerSecond: bitsPerSecond,
		CapacityBitsPerSecond: 50_000_000, ActiveWeight: 4, Reached: reached}
}

func TestLowestShareIsRelayed(t *testing.T) {
	var shares shareTable
	expect := func(what string, destination netip.Addr, port model.Port) {
		t.Helper()
		got := model.Port("none")
		if lowest := shares.lowest(destination); lowest != nil {
			got = lowest.Port
		}
		if got != port {
			t.Errorf("%s: towards %v %q, want %q", what, destination, got, port)
		}
	}
	shares.put(0, reaching(testPort, 30, ownIP, peerIP))
	shares.put(0, reaching(secondPort, 20, peerIP))
	shares.put(0, reaching("rest:switch/1", 1, peerIP))
	expect("one reaches it", ownIP, testPort)
	expect("two reach it", peerIP, secondPort)
	expect("none reaches it", otherIP, "none")
	shares.put(0, reaching(secondPort, 40, peerIP))
	expect("the other is lower now", peerIP, testPort)
	shares.put(0, model.UnitShare{Port: testPort, Expired: true, Reached: []netip.Addr{peerIP}})
	expect("one expired", peerIP, secondPort)
	shares.put(0, reaching(secondPort, 40))
	expect("the other reaches nobody", peerIP, "none")
}
