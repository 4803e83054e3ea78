// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"maps"
	"net"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
)

// macs are workloads' MACs that no description gives. A veth's other end has that of its pod. It is read once: who may
// change it inside would else choose his own.
type macs struct {
	// peer is a veth's other end; nil: it is in this network namespace.
	peer  func(netlink.Link) (netlink.Link, error)
	found map[string]footprint.Endpoint // by interface, an earlier agent's among them
}

// forget forgets interfaces that are not there any more.
func (m *macs) forget(present map[string]netlink.Link) {
	maps.DeleteFunc(m.found, func(name string, _ footprint.Endpoint) bool { return present[name] == nil })
}

// of is the MAC of an interface's workload; else why there is none.
func (m *macs) of(device netlink.Link) (mac net.HardwareAddr, reason string) {
	name, ifindex := device.Attrs().Name, device.Attrs().Index
	if was := m.found[name]; was.Ifindex == ifindex {
		if mac, err := net.ParseMAC(was.MAC); err == nil {
			return mac, ""
		}
	}
	if device.Type() != "veth" {
		return nil, "set it to the workload's MAC: only that of a pod behind a veth can be read"
	}
	peer, err := m.peer(device)
	switch {
	case err != nil:
		return nil, err.Error()
	case peer == nil:
		return nil, "the veth's other end is in no pod's network namespace yet"
	case peer.Attrs().MasterIndex != 0:
		return nil, "set it to the workload's: the veth's other end is a port of a bridge in the pod, behind which others send"
	case peer.Attrs().Flags&net.FlagUp == 0:
		return nil, "the veth's other end is not up yet, and its MAC may change until then"
	}
	mac = peer.Attrs().HardwareAddr
	m.found[name] = footprint.Endpoint{Ifindex: ifindex, MAC: mac.String()}
	return mac, ""
}
