// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

var ownIP, peerIP = netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.5")

func TestGrantsAreResolved(t *testing.T) {
	flow := model.FlowID{Source: ownIP, SourcePort: 1000, Destination: peerIP, DestinationPort: 80}
	towards, all := flow, flow
	towards.SourcePort = 0
	all.SourcePort, all.DestinationPort = 0, 0
	const opened = 100
	table := grantTable{}
	put := func(nanos int64, node string, flow model.FlowID, bytes uint64) {
		t.Helper()
		if err := table.put(nanos, node, model.WindowGrant{Flow: flow, WindowBytes: bytes}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, granted bool, bytes uint32, answered bool) {
		t.Helper()
		grant, decided := table.resolve(flow, opened)
		if grant.Granted != granted || grant.Bytes != bytes || decided != answered {
			t.Errorf("%s: %+v, answered %v", what, grant, decided)
		}
	}
	want("nothing", false, 0, false)
	put(opened+1, "a", all, 5)
	want("a pattern that came later", false, 0, false)
	table.drop("a", all)
	put(opened-1, "a", all, 5)
	want("a pattern", true, 5, true)
	put(opened+1, "a", all, 6)
	want("a pattern granted anew", true, 6, true)
	put(opened-1, "a", towards, 7)
	want("a more specific pattern", true, 7, true)
	put(opened+1, "a", flow, 9)
	want("the exact flow", true, 9, true)
	put(opened+1, "b", flow, 8)
	want("another node's lower one", true, 8, true)
	put(opened+1, "b", flow, 1<<40)
	want("another node's higher one", true, 9, true)
	_ = table.put(0, "b", model.WindowGrant{Flow: flow, Released: true})
	_ = table.put(0, "a", model.WindowGrant{Flow: flow, Released: true})
	want("released in spite of the patterns", false, 0, true)
	table.end(flow)
	want("of a connection to come", true, 7, true)
	if about := table.void("a"); len(about) != 2 || len(table) != 0 {
		t.Errorf("void: %v, %d left", about, len(table))
	}
	_ = table.put(0, "a", model.WindowGrant{Flow: flow, Released: true})
	if len(table) != 0 {
		t.Error("a release of nothing is kept")
	}
	put(0, "a", flow, 1)
	put(0, "a", all, 1)
	if gone := table.unused(unusedGrantNanos, map[model.FlowID]int{}); len(gone) != 1 || gone[0] != flow {
		t.Errorf("unused: %v", gone)
	}
	for port := range maxGrants {
		flow.DestinationPort, flow.SourcePort = uint16(port), 1
		_ = table.put(0, "a", model.WindowGrant{Flow: flow})
	}
	flow.SourcePort = 2
	if err := table.put(0, "a", model.WindowGrant{Flow: flow}); err == nil {
		t.Error("one too many is kept")
	}
}
