// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"fmt"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/metadata"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

func TestEndpointsHaveWhatTheHostKnowsOfTheirInterfaces(t *testing.T) {
	filtering := true
	port := func(index int, name string) *netlink.Tuntap {
		return &netlink.Tuntap{LinkAttrs: netlink.LinkAttrs{Index: index, Name: name, MasterIndex: 3}}
	}
	p := planner{
		sources: config.Sources{Source: config.SourceStatic}, uplink: Uplink{Device: Device{"up0", 1}},
		static: []model.Endpoint{{Interface: "vnet0"}, {Interface: "tap1.30", VLAN: 30}, {Interface: "tap2"}, {Interface: "alone"}},
	}
	links := []netlink.Link{
		&netlink.Dummy{LinkAttrs: at(1, "up0")}, port(4, "vnet0"), port(5, "tap1"), port(6, "tap2"), &netlink.Tuntap{LinkAttrs: at(7, "alone")},
	}
	bridge := &netlink.Bridge{LinkAttrs: at(3, "br0"), VlanFiltering: &filtering}
	k := facts{
		workloads: metadata.ByInterface{"vnet0": {Domain: "web1", Network: "blue"}},
		bridges:   map[int]*netlink.Bridge{3: bridge},
		vlans: map[int32][]*nl.BridgeVlanInfo{
			4: {{Vid: 5}, {Vid: 10, Flags: nl.BRIDGE_VLAN_INFO_PVID}}, 5: {{Vid: 30}}, 6: {{Vid: 7}},
		},
	}
	expect := func(when, want string) {
		t.Helper()
		plan, err := p.plan(links, nil, ovsdb.View{}, k)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range plan.wanted {
			m := w.described.Metadata
			got = append(got, fmt.Sprint(m.Bridge, " ", m.VLAN, " ", m.Domain, m.Network))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", when, got, want)
		}
	}
	expect("with VLANs", "[br0 10 web1blue br0 30  br0 0   0 ]")
	filtering = false
	expect("of a bridge without VLANs", "[br0 0 web1blue br0 30  br0 0   0 ]")
}

func TestPortsOfOpenVSwitchHaveWhatItsDatabaseSays(t *testing.T) {
	plan := switchedPlanner(nil).planOf(t, []netlink.Link{&netlink.Tuntap{LinkAttrs: at(9, "tap0")}},
		ovsdb.Interface{Name: "tap0", MAC: macOne, Tag: 12, Namespace: "shop", Pod: "web-0"})
	m := plan.wanted[0].described.Metadata
	if m.Bridge != "br-int" || m.VLAN != 12 || m.Namespace != "shop" || m.Pod != "web-0" || m.Labels["app"] != "web" {
		t.Errorf("%+v, want br-int and 12, and the pod with its labels", m)
	}
}

func TestWhatBecomesKnownOfAnEndpointIsReportedWithoutMakingItAnew(t *testing.T) {
	r, fake := newFake(t, 2, planOf(1))
	changed := planOf(1)
	changed.wanted[0].described.Metadata.Domain = "web1"
	fake.reconcile(t, r, changed)
	fake.reconcile(t, r, changed)
	if fmt.Sprint(fake.described) != "[web1]" || fake.detached != 0 {
		t.Errorf("described as %v, detached %d; want web1 once and the endpoint as it was", fake.described, fake.detached)
	}
}
