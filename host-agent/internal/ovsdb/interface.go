// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Interface is a virtual machine's interface as the database describes it.
type Interface struct {
	// Name is the interface's on the host, such as tap1234.
	Name string
	// Type is what Open vSwitch takes it for: empty and "system" are devices of this kernel.
	Type string
	MAC  net.HardwareAddr
	// IPs are the addresses that the database gives; empty: they are to be learned.
	IPs []netip.Addr
	// Problem is what is wrong with the description; empty: nothing is.
	Problem string
}

// The keys of external_ids that are read.
const (
	keyID  = "iface-id"     // the virtual port's name; libvirt and Neutron set it
	keyMAC = "attached-mac" // the virtual machine's MAC; libvirt and Neutron set it
)

// keysIPs hold addresses where a network plug-in gives them, with or without prefix length.
var keysIPs = []string{"ip_addresses", "ip"}

const maxAddresses = 8

// describe reads an interface; false: it is no virtual machine's.
func describe(r row) (Interface, bool) {
	ids := r.strings("external_ids")
	if ids[keyID] == "" && ids[keyMAC] == "" {
		return Interface{}, false
	}
	described := Interface{Name: r.text("name"), Type: r.text("type")}
	refuse := func(key, value, remedy string) (Interface, bool) {
		described.Problem = fmt.Sprintf("external_ids:%s %q %s", key, value, remedy)
		return described, true
	}
	if ids[keyID] == "" {
		return refuse(keyID, "", "is missing: set it to the virtual port's name, or remove "+keyMAC)
	}
	mac, err := net.ParseMAC(ids[keyMAC])
	if err != nil || len(mac) != 6 || mac[0]&1 != 0 {
		return refuse(keyMAC, ids[keyMAC], "must be a unicast MAC address, for example 02:00:00:00:01:01")
	}
	described.MAC = mac
	for _, key := range keysIPs {
		if ids[key] == "" {
			continue
		}
		if described.IPs, err = addresses(ids[key]); err != nil {
			described.IPs = nil
			return refuse(key, ids[key], err.Error())
		}
		break
	}
	return described, true
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
