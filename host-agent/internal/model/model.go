// SPDX-License-Identifier: Apache-2.0

// Package model has the terms that the agent's parts share: who is controlled, through which
// congested port, on what evidence. It depends on nothing and decides nothing.
//
// Units: rates in bit/s of whole frames on the wire, times in nanoseconds of CLOCK_MONOTONIC,
// packets as the wire counts them (a super-packet counts once per segment).
package model

import (
	"maps"
	"net"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
)

// Port names a congested switch port as the controller writes it, "of:0000000000000001/5".
// The empty Port is the default group: destinations that no controller has named.
type Port string

// Default is the group of every destination behind no congested port.
const Default Port = ""

// AnyPort is the group of every destination under a law that does not distinguish ports.
const AnyPort Port = "any"

// MaxGroups is how many congested ports one endpoint can be controlled for at a time. Each takes a group of the
// endpoint's, which everything about it is numbered by, from its law to the classes of its queues.
const MaxGroups = 8

// ReceivePort names the port of its own that an interface with a receive ceiling is: that of what arrives
// at an endpoint, or over an uplink, "host:h1/vm1".
func ReceivePort(host, networkInterface string) Port {
	return Port("host:" + host + "/" + networkInterface)
}

// A queue of 2 ms is worth a report to the controller.
const (
	thresholdsPerSecond = 500
	minThresholdPackets = 4
	maxThresholdPackets = 20
	packetBits          = 1500 * 8
)

// ThresholdPackets is K of a queue for which none is configured: what is served in 2 ms, at least 4 and at
// most 20 packets.
func ThresholdPackets(capacityBitsPerSecond uint64) int {
	served := capacityBitsPerSecond / thresholdsPerSecond / packetBits
	return int(min(max(served, minThresholdPackets), maxThresholdPackets))
}

// Place is where on a host an endpoint is: at an interface, in a VLAN of it or without any (0).
type Place struct {
	Ifindex int
	VLAN    uint16
}

// Endpoint is one virtual NIC of this host, or a VLAN of one that is a trunk.
type Endpoint struct {
	// Interface is the host's side of the virtual NIC, and where it has a VLAN as NameInVLAN has it; unique on the host.
	Interface string
	// VLAN is the one whose tag its frames have, 0: none.
	VLAN uint16
	MAC  net.HardwareAddr
	IPs  []netip.Addr
	// Learned are those of IPs that are not configured: the VM was seen to use them.
	Learned  []netip.Addr
	Metadata Metadata
}

// Metadata is what a host knows of an endpoint's interface beside its addresses; empty is what it does not know.
type Metadata struct {
	// Bridge is the one that it is a port of.
	Bridge string `json:"bridge,omitempty"`
	// VLAN is the one of the bridge that it is in.
	VLAN uint16 `json:"vlan,omitempty"`
	// Domain is libvirt's name of the virtual machine.
	Domain string `json:"domain,omitempty"`
	// Network is libvirt's or CNI's name of what it is attached to.
	Network string `json:"network,omitempty"`
	// Namespace, Pod and Labels are those of a Kubernetes pod.
	Namespace string            `json:"namespace,omitempty"`
	Pod       string            `json:"pod,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// Equal reports whether both are the same.
func (m Metadata) Equal(other Metadata) bool {
	labels := maps.Equal(m.Labels, other.Labels)
	m.Labels, other.Labels = nil, nil
	return labels && reflect.DeepEqual(m, other)
}

// NameInVLAN is what the part of an interface is called that is in a VLAN, as VLAN devices usually are.
func NameInVLAN(networkInterface string, vlan uint16) string {
	if vlan == 0 {
		return networkInterface
	}
	return networkInterface + "." + strconv.Itoa(int(vlan))
}

// Device is the interface without the VLAN.
func (e Endpoint) Device() string {
	return strings.TrimSuffix(e.Interface, NameInVLAN("", e.VLAN))
}

// Control names one unit of control: what an endpoint sends through one congested port.
type Control struct {
	Interface string
	Port      Port
}

// Pair is one direction of traffic between two endpoint addresses.
type Pair struct {
	Source      netip.Addr
	Destination netip.Addr
}

// LawKind selects the law that a host runs.
type LawKind int

// The laws of the shim: docs/two-time-scale-law.md, docs/sdn-gcc.md, docs/hygenicc.md.
const (
	// TwoTimeScale is Sluice's own law: unit shares from the controller, marks per tau here.
	TwoTimeScale LawKind = iota
	// SdnGcc is SDN-GCC's shim, driven by notices.
	SdnGcc
	// HyGenIcc is HyGenICC's sender, driven by the marks that receivers return, without a controller.
	HyGenIcc
)
