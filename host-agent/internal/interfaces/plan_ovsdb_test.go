// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

var macOne, macTwo = net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2}

// switchedPlanner has the uplink up0, reached through vxlan7, and pods behind veths whose other ends are these.
func switchedPlanner(peers map[string]netlink.Link) *planner {
	return &planner{
		sources: config.Sources{Source: config.SourceOVSDB, OVSDB: config.OVSDB{Bridge: "br-int"}},
		uplink:  Uplink{Device: Device{"up0", 1}, Through: []Device{{"vxlan7", 2}}},
		macs: macs{found: map[string]footprint.Endpoint{}, peer: func(veth netlink.Link) (netlink.Link, error) {
			if peer, is := peers[veth.Attrs().Name]; is {
				return peer, nil
			}
			return nil, errors.New("it has gone")
		}},
	}
}

func at(index int, name string) netlink.LinkAttrs { return netlink.LinkAttrs{Index: index, Name: name} }

func upWith(mac net.HardwareAddr) *netlink.Veth {
	return &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth0", HardwareAddr: mac, Flags: net.FlagUp}}
}

func (p *planner) planOf(t *testing.T, devices []netlink.Link, described ...ovsdb.Interface) Plan {
	t.Helper()
	devices = append(devices, &netlink.Dummy{LinkAttrs: at(1, "up0")}, &netlink.Dummy{LinkAttrs: at(2, "vxlan7")})
	plan, err := p.plan(devices, nil, ovsdb.View{Complete: true, HasBridge: true, Interfaces: described}, facts{
		labels: func(string, string) map[string]string { return map[string]string{"app": "web"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestDescribedInterfacesAreEndpointsOrHeld(t *testing.T) {
	enslaved, down := upWith(macOne), upWith(macOne)
	enslaved.MasterIndex, down.Flags = 5, 0
	p := switchedPlanner(map[string]netlink.Link{"away": upWith(macOne), "here": nil, "enslaved": enslaved, "down": down})
	veth := func(name string) netlink.Link { return &netlink.Veth{LinkAttrs: at(9, name)} }
	address := netip.MustParseAddr("10.0.0.1")
	for _, c := range []struct {
		device    netlink.Link
		described ovsdb.Interface
		// reason of what is missing; empty: it is an endpoint with macOne, or nobody's.
		reason           string
		isHeld, isNobody bool
	}{
		{device: veth("vm"), described: ovsdb.Interface{MAC: macOne}},
		{device: veth("away"), described: ovsdb.Interface{NamesPod: true}},
		{device: veth("here"), described: ovsdb.Interface{NamesPod: true}, reason: "no pod's network namespace yet", isHeld: true},
		{device: veth("enslaved"), described: ovsdb.Interface{NamesPod: true}, reason: "port of a bridge in the pod", isHeld: true},
		{device: veth("down"), described: ovsdb.Interface{NamesPod: true}, reason: "not up yet", isHeld: true},
		{device: veth("gone"), described: ovsdb.Interface{NamesPod: true}, reason: "it has gone", isHeld: true},
		{device: &netlink.Dummy{LinkAttrs: at(9, "vf")}, described: ovsdb.Interface{NamesPod: true}, reason: "set it to the workload's", isHeld: true},
		{device: &netlink.Tuntap{LinkAttrs: at(9, "tap")}, reason: "set it to the workload's", isHeld: true},
		{device: veth("metadata"), reason: "neither limited nor checked"},
		{device: veth("wrong"), described: ovsdb.Interface{Problem: "is nonsense"}, reason: "is nonsense", isHeld: true},
		{device: veth("twice"), described: ovsdb.Interface{MAC: macTwo}, reason: "its MAC 02:00:00:00:00:02 is that of first", isHeld: true},
		{device: veth("same"), described: ovsdb.Interface{MAC: macOne, IPs: []netip.Addr{address}}, reason: "its address 10.0.0.1 is that of first", isHeld: true},
		{device: &netlink.Dummy{LinkAttrs: at(9, "ovn0")}, described: ovsdb.Interface{Type: ovsdb.TypeInternal}, isNobody: true},
		{device: &netlink.Dummy{LinkAttrs: at(2, "vxlan7")}, described: ovsdb.Interface{MAC: macOne}, reason: "leads to it"},
	} {
		c.described.Name = c.device.Attrs().Name
		t.Run(c.described.Name, func(t *testing.T) {
			first := ovsdb.Interface{Name: "first", MAC: macTwo, IPs: []netip.Addr{address}}
			plan := p.planOf(t, []netlink.Link{c.device, &netlink.Dummy{LinkAttrs: at(8, "first")}}, first, c.described)
			if c.reason == "" {
				wanted := fmt.Sprint(len(plan.wanted), plan.missing, plan.held)
				if c.isNobody && wanted != "1 [] []" || !c.isNobody && (wanted != "2 [] []" || plan.wanted[1].described.MAC.String() != macOne.String()) {
					t.Errorf("%+v", plan)
				}
				return
			}
			if len(plan.missing) != 1 || !strings.Contains(plan.missing[0].Reason, c.reason) || plan.missing[0].Held != c.isHeld ||
				c.isHeld != (len(plan.held) == 1) || len(plan.wanted) != 1 {
				t.Errorf("%+v, want %q, held: %v", plan, c.reason, c.isHeld)
			}
		})
	}
	if plan := p.planOf(t, nil, ovsdb.Interface{Name: "tap", Type: ovsdb.TypeInternal}); len(plan.missing) != 1 ||
		!strings.Contains(plan.missing[0].Reason, "another network namespace") {
		t.Errorf("%+v, want an internal port that is elsewhere", plan)
	}
}

// Whoever may change the MAC inside a pod, or puts its interface into a bridge, has no other by that.
func TestAPodsMACIsReadOnce(t *testing.T) {
	peer := upWith(macOne)
	p := switchedPlanner(map[string]netlink.Link{"pod": peer})
	described := ovsdb.Interface{Name: "pod", NamesPod: true}
	expect := func(what string, index int, mac net.HardwareAddr) {
		t.Helper()
		plan := p.planOf(t, []netlink.Link{&netlink.Veth{LinkAttrs: at(index, "pod")}}, described)
		if len(plan.wanted) != 1 || plan.wanted[0].described.MAC.String() != mac.String() {
			t.Errorf("%s: %+v, want %s", what, plan, mac)
		}
	}
	expect("at first", 9, macOne)
	peer.HardwareAddr, peer.MasterIndex = macTwo, 5
	expect("changed inside", 9, macOne)
	peer.MasterIndex = 0
	expect("made anew", 10, macTwo)
	p.planOf(t, nil, described)
	if len(p.macs.found) != 0 {
		t.Errorf("%v of interfaces that have gone", p.macs.found)
	}
}

func TestAnInterfaceWithTheNameOfTheHostsOwnTrafficIsHeld(t *testing.T) {
	p := switchedPlanner(nil)
	p.system = &config.System{}
	plan := p.planOf(t, []netlink.Link{&netlink.Dummy{LinkAttrs: at(9, config.SystemInterface)}},
		ovsdb.Interface{Name: config.SystemInterface, MAC: macOne})
	if len(plan.wanted) != 0 || len(plan.held) != 1 || !strings.Contains(plan.missing[0].Reason, "rename the interface") {
		t.Errorf("%+v, want it held", plan)
	}
}

func TestTheVLANsOfATrunkAreEndpoints(t *testing.T) {
	tap := &netlink.Tuntap{LinkAttrs: at(9, "tap0")}
	namesake := &netlink.Dummy{LinkAttrs: at(10, "tap0.10")}
	address := netip.MustParseAddr("10.0.0.1")
	plan := switchedPlanner(nil).planOf(t, []netlink.Link{tap, namesake},
		ovsdb.Interface{Name: "tap0", MAC: macOne, IPs: []netip.Addr{address}, Trunks: []uint16{0, 10, 20}},
		ovsdb.Interface{Name: "tap0.10", MAC: macTwo})
	var got []string
	for _, w := range plan.wanted {
		got = append(got, fmt.Sprintf("%s %s %v %v", w.described.Interface, w.described.Device(), w.place(), w.described.IPs))
	}
	if want := "[tap0 tap0 {9 0} [10.0.0.1] tap0.10 tap0 {9 10} [] tap0.20 tap0 {9 20} []]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if len(plan.missing) != 1 || !plan.missing[0].Held || !strings.Contains(plan.missing[0].Reason, "rename") {
		t.Errorf("of the namesake: %+v", plan.missing)
	}
}
