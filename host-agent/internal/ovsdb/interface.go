// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Interface is a workload's, a virtual machine's or a pod's, as the database describes it.
type Interface struct {
	// Name is the interface's on the host, such as tap1234.
	Name string
	// Type is what Open vSwitch takes it for: empty and "system" are devices of this kernel.
	Type string
	// MAC is the workload's; empty: the database does not give it.
	MAC net.HardwareAddr
	// NamesPod: whose it is, is a pod.
	NamesPod bool
	// Namespace and Pod are the pod's; empty: the database does not give them.
	Namespace, Pod string
	// IPs are the addresses that the database gives; empty: they are to be learned.
	IPs []netip.Addr
	// Trunks are the VLANs whose tags the workload itself sends, in order; 0 is without a tag. Empty: it is no trunk, or
	// one of any VLAN.
	Trunks []uint16
	// Tag is the VLAN that what has no tag is in; 0: none.
	Tag uint16
	// Problem is what is wrong with the description; empty: nothing is.
	Problem string
}

// TypeInternal are devices that Open vSwitch itself has made.
const TypeInternal = "internal"

// The keys of external_ids that are read, as who writes them (docs/agent-configuration.md) spells them; the first that
// is there is taken.
var (
	keysMAC = []string{"attached-mac", "attached_mac"}
	keysIPs = []string{"ip_addresses", "ip_address", "ip-address", "ip"}

	keysNamespace = []string{"pod_namespace", "pod-namespace"}
	keysPod       = []string{keyPod, "pod-name"}
)

const (
	keyID  = "iface-id" // the virtual port's name
	keyPod = "pod_name"
	// keySandbox is OVN-Kubernetes', whose iface-id is NAMESPACE_POD.
	keySandbox = "sandbox"
	// keyManagement is that of the representor by which OVN-Kubernetes has the host itself reach its pods.
	keyManagement = "k8s.ovn.org/management-port-name"
)

const maxAddresses = 8

// describe reads an interface, and of its port what that has for it alone; false: it is no workload's.
func describe(r row, ofPort map[string]string) (Interface, bool) {
	ids := r.strings("external_ids")
	for key, value := range ofPort {
		if ids[key] == "" {
			ids[key] = value
		}
	}
	keyMAC, mac := first(ids, keysMAC)
	if ids[keyID] == "" && mac == "" || ids[keyManagement] != "" {
		return Interface{}, false
	}
	described := Interface{Name: r.text("name"), Type: r.text("type"), NamesPod: ids[keyPod] != ""}
	_, described.Namespace = first(ids, keysNamespace)
	_, described.Pod = first(ids, keysPod)
	if ids[keySandbox] != "" {
		described.Namespace, described.Pod, _ = strings.Cut(ids[keyID], "_")
	}
	refuse := func(key, value, remedy string) (Interface, bool) {
		described.Problem = fmt.Sprintf("external_ids:%s %q %s", key, value, remedy)
		return described, true
	}
	if mac != "" {
		parsed, err := net.ParseMAC(mac)
		if err != nil || len(parsed) != 6 || parsed[0]&1 != 0 {
			return refuse(keyMAC, mac, "must be a unicast MAC address, for example 02:00:00:00:01:01")
		}
		described.MAC = parsed
	}
	if key, list := first(ids, keysIPs); list != "" {
		ips, err := addresses(list)
		if err != nil {
			return refuse(key, list, err.Error())
		}
		described.IPs = ips
	}
	return described, true
}

// trunksOf are a port's VLANs that come and go with tags (ovs-vswitchd.conf.db(5)).
func trunksOf(port row) []uint16 {
	trunks := port.numbers("trunks")
	switch mode := port.text("vlan_mode"); {
	case len(trunks) == 0, mode == "access", mode == "dot1q-tunnel", mode == "" && len(port.numbers("tag")) > 0:
		return nil
	case mode == "native-tagged", mode == "native-untagged":
		trunks = append(trunks, 0)
	}
	slices.Sort(trunks)
	return slices.Compact(trunks)
}

// tagOf is a port's VLAN for what comes without a tag.
func tagOf(port row) uint16 {
	for _, tag := range port.numbers("tag") {
		return tag
	}
	return 0
}

// first is the first of some keys that has a value; empty: none has.
func first(ids map[string]string, keys []string) (key, value string) {
	for _, key := range keys {
		if ids[key] != "" {
			return key, ids[key]
		}
	}
	return "", ""
}

// addresses reads a list of addresses, separated by commas or spaces.
func addresses(list string) ([]netip.Addr, error) {
	var found []netip.Addr
	for _, word := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' }) {
		address, err := netip.ParseAddr(strings.SplitN(word, "/", 2)[0])
		if err != nil || address.Zone() != "" || address.IsUnspecified() || address.IsMulticast() || address.IsLoopback() {
			return nil, fmt.Errorf("must list unicast addresses: %q is none", word)
		}
		if address = address.Unmap(); !address.IsLinkLocalUnicast() && !slices.Contains(found, address) {
			found = append(found, address)
		}
	}
	if len(found) > maxAddresses {
		return nil, fmt.Errorf("lists %d addresses: an endpoint has at most %d", len(found), maxAddresses)
	}
	return found, nil
}
