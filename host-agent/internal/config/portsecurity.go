// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PortSecurity lists, by interface, what a VM may send that is more than a plain host.
type PortSecurity map[string][]string

// What a VM may be allowed.
const (
	// MayUseAddresses: packets from IP addresses that are not its own, and announcements of these.
	MayUseAddresses = "addresses"
	// MayUseMACs: frames from MACs that are not its own.
	MayUseMACs = "macs"
	// MayAdvertiseRoutes: IPv6's router advertisements and redirects.
	MayAdvertiseRoutes = "router-advertisements"
	// MayServeDHCP: what DHCP servers send to clients, of IPv4 and IPv6.
	MayServeDHCP = "dhcp-server"
	// MaySendDiscovery: LLDP, BDDP, and frames to 01-80-C2-00-00-0x, which end at a switch.
	MaySendDiscovery = "discovery"
)

var permissions = []string{MayUseAddresses, MayUseMACs, MayAdvertiseRoutes, MayServeDHCP, MaySendDiscovery}

func (p PortSecurity) check(c *checker, endpoints Sources) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		field := "portSecurity." + name
		c.endpointName(field, name)
		listed := endpoints.Source != SourceStatic || slices.ContainsFunc(endpoints.Static,
			func(e StaticEndpoint) bool { return e.name() == name })
		c.require(listed, field, name, "is no interface of endpoints.static: correct its name, or remove it")
		c.require(len(p[name]) > 0, field, "", "allows nothing: list what the VM may send, or remove it")
		for i, permission := range p[name] {
			item := fmt.Sprintf("%s[%d]", field, i)
			c.require(slices.Contains(permissions, permission), item, permission,
				"is unknown: choose of "+strings.Join(permissions, ", "))
			c.require(!slices.Contains(p[name][:i], permission), item, permission, "is named twice: remove one")
		}
	}
}
