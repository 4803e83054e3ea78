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

// planOVSDB takes the workloads' interfaces that the switch's database names. What a lost
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
			"ovs-vsctl -- --id=@noop create qos type=linux-noop -- set port %s qos=@noop", p.uplink.Name)
	}
	p.macs.forget(byName)
	owners := owners{macs: map[string]string{}, addresses: map[netip.Addr]string{}}
	for _, described := range view.Interfaces {
		device := byName[described.Name]
		switch {
		case device == nil:
			miss(described.Name, "%s", reasonWithoutDevice(described))
		case p.uplink.includes(device.Attrs().Index):
			miss(described.Name, "is the uplink or leads to it, and no endpoint: remove external_ids:iface-id")
		case described.Type == ovsdb.TypeInternal:
			// The host's own: what the host sends by it, and what comes, have the opposite directions.
		default:
			p.planDescribed(&plan, device, described, owners)
		}
	}
	return plan
}

// owners are whose MACs and addresses are, by interface.
type owners struct {
	macs      map[string]string
	addresses map[netip.Addr]string
}

// planDescribed makes an interface an endpoint, or has it held until it can be one.
func (p *planner) planDescribed(plan *Plan, device netlink.Link, described ovsdb.Interface, owners owners) {
	if described.Problem != "" {
		plan.hold(device, "%s", described.Problem)
		return
	}
	if described.MAC == nil && !described.NamesPod && device.Type() != "tuntap" {
		plan.miss(described.Name, "has external_ids:iface-id, and neither attached-mac nor pod_name, as services of the network itself have: "+
			"it is neither limited nor checked; set external_ids:attached-mac if it is a workload's")
		return
	}
	if described.MAC == nil {
		mac, reason := p.macs.of(device)
		if mac == nil {
			plan.hold(device, "external_ids:attached-mac is missing: %s", reason)
			return
		}
		described.MAC = mac
	}
	mac := described.MAC.String()
	if owner := owners.macs[mac]; owner != "" {
		plan.hold(device, "its MAC %s is that of %s: every endpoint has its own", mac, owner)
		return
	}
	for _, address := range described.IPs {
		if owner := owners.addresses[address]; owner != "" {
			plan.hold(device, "its address %s is that of %s: an address belongs to one endpoint", address, owner)
			return
		}
	}
	owners.macs[mac] = described.Name
	for _, address := range described.IPs {
		owners.addresses[address] = described.Name
	}
	if len(described.Trunks) == 0 {
		described.Trunks = []uint16{0}
	}
	for _, vlan := range described.Trunks {
		endpoint := model.Endpoint{Interface: model.NameInVLAN(described.Name, vlan), VLAN: vlan, MAC: described.MAC}
		if vlan == 0 { // which addresses are in which other one the database does not say
			endpoint.IPs = described.IPs
			endpoint.Metadata.VLAN = described.Tag
		}
		endpoint.Metadata.Bridge = p.sources.OVSDB.Bridge
		endpoint.Metadata.Namespace, endpoint.Metadata.Pod = described.Namespace, described.Pod
		plan.wanted = append(plan.wanted, wantedEndpoint{device, endpoint})
	}
}

// reasonWithoutDevice is why an interface has none.
func reasonWithoutDevice(described ovsdb.Interface) string {
	if described.Problem != "" {
		return described.Problem
	}
	switch described.Type {
	case "", "system":
		return "there is no interface of that name yet"
	case ovsdb.TypeInternal:
		return "is an internal port of Open vSwitch in another network namespace, where the agent cannot limit it"
	}
	return fmt.Sprintf("is of type %q, which has no device in this kernel: the agent cannot limit it", described.Type)
}
