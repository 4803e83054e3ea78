// SPDX-License-Identifier: Apache-2.0

package agent

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
func (a *Agent) planOVSDB(byName map[string]netlink.Link, view ovsdb.View) plan {
	settings := a.config.Endpoints.OVSDB
	var p plan
	wait := func(name, reason string, values ...any) {
		p.waiting = append(p.waiting, Waiting{name, fmt.Sprintf(reason, values...)})
	}
	switch {
	case view.Fault != "" && !view.Complete:
		wait(settings.Bridge, "Open vSwitch's database cannot be read, so there are no endpoints: %s", view.Fault)
	case view.Fault != "":
		wait(settings.Bridge, "Open vSwitch's database cannot be read, endpoints stay as they are: %s", view.Fault)
	case !view.Complete:
		wait(settings.Bridge, "Open vSwitch's database does not answer yet, so there are no endpoints")
	case !view.HasBridge:
		wait(settings.Bridge, "Open vSwitch has no bridge of that name, so there are no endpoints: correct endpoints.ovsdb.bridge")
	}
	if view.Userspace {
		wait(settings.Bridge, "has the userspace datapath, which takes packets before the agent sees them: "+
			"its endpoints are known, but neither limited nor checked (ovs-vsctl set bridge %s datapath_type=system)", settings.Bridge)
	}
	if slices.Contains(view.Shaped, a.uplink.name) {
		wait(a.uplink.name, "is a port of Open vSwitch, which removes the limits from it whenever it is set up: "+
			"ovs-vsctl -- --id=@noop create qos type=linux-noop -- set port %s qos=@noop, and restart the agent", a.uplink.name)
	}
	macs := map[string]string{}
	addresses := map[netip.Addr]string{}
	for _, described := range view.Interfaces {
		device := byName[described.Name]
		mac := described.MAC.String()
		switch {
		case described.Problem != "":
			wait(described.Name, "%s", described.Problem)
		case described.Name == a.uplink.name:
			wait(described.Name, "is the uplink and no endpoint: remove external_ids:iface-id")
		case device == nil:
			wait(described.Name, "%s", missing(described))
		case macs[mac] != "":
			wait(described.Name, "external_ids:attached-mac %s is that of %s: every endpoint has its own", mac, macs[mac])
		case taken(described, addresses) != "":
			wait(described.Name, "%s", taken(described, addresses))
		default:
			macs[mac] = described.Name
			for _, address := range described.IPs {
				addresses[address] = described.Name
			}
			p.wanted = append(p.wanted, wanted{device, model.Endpoint{
				Interface: described.Name, MAC: described.MAC, IPs: described.IPs,
			}})
		}
	}
	return p
}

// missing says why there is no device.
func missing(described ovsdb.Interface) string {
	switch described.Type {
	case "", "system", "internal":
		return "there is no interface of that name yet"
	}
	return fmt.Sprintf("is of type %s, which has no device in this kernel: the agent cannot limit it", described.Type)
}

// taken says which address another endpoint has; empty: none.
func taken(described ovsdb.Interface, by map[netip.Addr]string) string {
	for _, address := range described.IPs {
		if owner := by[address]; owner != "" {
			return fmt.Sprintf("its address %s is that of %s: an address belongs to one endpoint", address, owner)
		}
	}
	return ""
}
