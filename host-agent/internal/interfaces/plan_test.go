// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"net"
	"slices"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

func TestNamesOfTheDatabaseThatCannotBeReportedAreSetApart(t *testing.T) {
	links := []netlink.Link{&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: 1, Name: "up0"}}}
	view := ovsdb.View{Complete: true, HasBridge: true}
	for i, name := range []string{"tap0", "tapä", "tap\x1b[2J"} {
		links = append(links, &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: 2 + i, Name: name}})
		view.Interfaces = append(view.Interfaces, ovsdb.Interface{Name: name, MAC: net.HardwareAddr{2, 0, 0, 0, 1, byte(i)}})
	}
	view.Interfaces = append(view.Interfaces, ovsdb.Interface{Name: "gone\x1b[2J"})
	p := planner{sources: config.Sources{Source: config.SourceOVSDB}, uplink: Uplink{Device: Device{"up0", 1}}}
	plan, err := p.plan(links, nil, view, facts{})
	if err != nil || len(plan.wanted) != 1 || plan.wanted[0].described.Interface != "tap0" {
		t.Fatalf("%+v, %v; want tap0 alone as an endpoint", plan.wanted, err)
	}
	for _, index := range []int{2, 3, 4} {
		if !plan.concerns(index) {
			t.Errorf("interface %d is let go", index)
		}
	}
	var held, names []string
	for _, m := range plan.missing {
		names = append(names, m.Interface)
		if m.Held {
			held = append(held, m.Interface)
		}
	}
	if !slices.Equal(held, []string{"tapä", `tap\x1b[2J`}) || !slices.Contains(names, `gone\x1b[2J`) {
		t.Errorf("%+v, want all names shown, and those held that exist", plan.missing)
	}
}
