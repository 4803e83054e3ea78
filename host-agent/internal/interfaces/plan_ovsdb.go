// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

// planOVSDB takes the virtual machines' interfaces that the switch's database names. What a lost
// connection leaves stays as it was.
func (p *planner) planOVSDB(byName map[string]netlink.Link, view ovsdb.View) Plan {
	settings := p.sources.OVSDB
	plan := Plan{incomplete: !view.Complete}
	miss := plan.miss
	switch {
	case view.Fault != "" && !view.Complete:
		miss(settings.Bridge, "Open vSwitch's database cannot be read, so there are no endpoints: %s", view.Fault)
	case view.Fault != "":
		miss(settings.Bridge, "Open vSwitch's database cannot be read, endpoints stay as they are: %s", view.Fault)
	case !view.Complete:
		miss(settings.Bridge, "Open vSwitch's database has not responded yet, so there are no endpoints")
	case !view.HasBridge:
		miss(settings.Bridge, "Open vSwitch has no bridge of that name, so there are no endpoints: correct endpoints.ovsdb.bridge")
	}
	if view.Userspace {
		miss(settings.Bridge, "has the userspace datapath, which takes packets before the agent sees them: "+
			"its endpoints are known, but neither limited nor checked (ovs-vsctl set bridge %s datapath_type=system)", settings.Bridge)
	}
	if slices.Contains(view.Shaped, p.uplink.Name) {
		miss(p.uplink.Name, "is a port of Open vSwitch, which removes the limits from it whenever it is set up: "+
			"ovs-vsctl -- --id=@noop create qos type=linux-noop -- set port %s qos=@noop, and restart the agent", p.uplink.Name)
	}
	macs := map[string]string{}
	addresses := map[netip.Addr]string{}
	for _, described := range view.Interfaces {
		device := byName[described.Name]
		mac := described.MAC.String()
		switch {
		case described.Problem != "":
			miss(described.Name, "%s", described.Problem)
		case described.Name == p.uplink.Name:
			miss(described.Name, "is the uplink and no endpoint: remove external_ids:iface-id")
		case device == nil:
			miss(described.Name, "%s", reasonWithoutDevice(described))
		case macs[mac] != "":
			miss(described.Name, "external_ids:attached-mac %s is that of %s: every endpoint has its own", mac, macs[mac])
		case taken(described, addresses) != "":
			miss(described.Name, "%s", taken(described, addresses))
		default:
			macs[mac] = described.Name
			for _, address := range described.IPs {
				addresses[address] = described.Name
			}
			plan.wanted = append(plan.wanted, wantedEndpoint{device, model.Endpoint{
				Interface: described.Name, MAC: described.MAC, IPs: described.IPs,
			}})
		}
	}
	return plan
}

// reasonWithoutDevice is why an interface has none.
func reasonWithoutDevice(described ovsdb.Interface) string {
	switch described.Type {
	case "", "system", "internal":
		return "there is no interface of that name yet"
	}
	return fmt.Sprintf("is of type %s, which has no device in this kernel: the agent cannot limit it", described.Type)
}

// taken is which address another endpoint has, and whose it is; empty: none.
func taken(described ovsdb.Interface, by map[netip.Addr]string) string {
	for _, address := range described.IPs {
		if owner := by[address]; owner != "" {
			return fmt.Sprintf("its address %s is that of %s: an address belongs to one endpoint", address, owner)
		}
	}
	return ""
}
