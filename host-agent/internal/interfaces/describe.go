// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"

	"github.com/sluice-sdn/sluice/host-agent/internal/metadata"
)

// facts are what the host knows of its interfaces' owners and places.
type facts struct {
	workloads metadata.ByInterface
	labels    func(namespace, pod string) map[string]string
	bridges   map[int]*netlink.Bridge // by ifindex
	// vlans are those of bridges' ports, by ifindex.
	vlans map[int32][]*nl.BridgeVlanInfo
}

// knownOf reads what the kernel knows of bridges' ports.
func (r *Reconciler) knownOf(links []netlink.Link) (facts, error) {
	k := facts{workloads: r.metadata.View(), labels: r.metadata.Labels, bridges: map[int]*netlink.Bridge{}}
	filters := false
	for _, link := range links {
		if bridge, is := link.(*netlink.Bridge); is {
			k.bridges[bridge.Index] = bridge
			filters = filters || bridge.VlanFiltering != nil && *bridge.VlanFiltering
		}
	}
	var err error
	if filters {
		k.vlans, err = r.links.Handle().BridgeVlanList()
	}
	return k, err
}

// describe completes what is known of the endpoints' interfaces.
func (p *Plan) describe(k facts) {
	for i := range p.wanted {
		endpoint, attributes := &p.wanted[i].described, p.wanted[i].device.Attrs()
		found := endpoint.Metadata // in Open vSwitch's database
		endpoint.Metadata = k.workloads[endpoint.Device()]
		endpoint.Metadata.Bridge, endpoint.Metadata.VLAN = found.Bridge, found.VLAN
		if metadata.HasForm(found.Namespace, found.Pod) {
			endpoint.Metadata.Namespace, endpoint.Metadata.Pod = found.Namespace, found.Pod
			endpoint.Metadata.Labels = k.labels(found.Namespace, found.Pod)
		}
		if bridge := k.bridges[attributes.MasterIndex]; bridge != nil {
			endpoint.Metadata.Bridge = bridge.Name
			if bridge.VlanFiltering != nil && *bridge.VlanFiltering {
				endpoint.Metadata.VLAN = k.portVLAN(attributes.Index)
			}
		}
		if endpoint.VLAN != 0 {
			endpoint.Metadata.VLAN = endpoint.VLAN
		}
	}
}

// portVLAN is the VLAN of a bridge's port that what has no tag is in; 0: none.
func (k facts) portVLAN(ifindex int) uint16 {
	for _, vlan := range k.vlans[int32(ifindex)] {
		if vlan.PortVID() {
			return vlan.Vid
		}
	}
	return 0
}
