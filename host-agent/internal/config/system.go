// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
)

// SystemInterface is the name under which the host's own traffic is an endpoint.
const SystemInterface = "system"

// System is which of the host's own traffic is an endpoint: whatever matches any of these.
type System struct {
	Sources []string `yaml:"sources"`
	Cgroups []string `yaml:"cgroups"`
	DSCP    []int    `yaml:"dscp"`
}

const (
	maxSystemEntries = 8
	maxDSCP          = 63
)

func (s *System) check(c *checker) {
	c.require(len(s.Sources)+len(s.Cgroups)+len(s.DSCP) > 0, "system", "",
		"names no traffic: list sources, cgroups or dscp, or remove the section")
	c.require(len(s.Sources) <= maxSystemEntries, "system.sources", len(s.Sources), "must list at most 8 prefixes")
	for i, text := range s.Sources {
		prefix, err := netip.ParsePrefix(text)
		c.require(err == nil && prefix == prefix.Masked() && !prefix.Addr().Is4In6(), fmt.Sprintf("system.sources[%d]", i), text,
			"must be a prefix without bits behind its length, for example 10.9.0.0/24, 10.9.0.1/32 or fd00:9::/64")
	}
	c.require(len(s.Cgroups) <= maxSystemEntries, "system.cgroups", len(s.Cgroups), "must list at most 8 cgroups")
	for i, path := range s.Cgroups {
		c.require(filepath.IsAbs(path), fmt.Sprintf("system.cgroups[%d]", i), path,
			"must be the absolute path of a cgroup of version 2, for example /sys/fs/cgroup/storage.slice")
	}
	for i, dscp := range s.DSCP {
		field := fmt.Sprintf("system.dscp[%d]", i)
		c.require(dscp >= 0 && dscp <= maxDSCP, field, dscp, "must be a DSCP between 0 and 63, for example 10 (AF11)")
		c.require(!slices.Contains(s.DSCP[:i], dscp), field, dscp, "is named twice: remove one")
	}
}

// Prefixes are the sources; those of a configuration that was accepted.
func (s *System) Prefixes() []netip.Prefix {
	prefixes := make([]netip.Prefix, len(s.Sources))
	for i, text := range s.Sources {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

// DSCPs are the code points.
func (s *System) DSCPs() []uint8 { return codePoints(s.DSCP) }

func codePoints(dscps []int) []uint8 {
	points := make([]uint8, len(dscps))
	for i, dscp := range dscps {
		points[i] = uint8(dscp)
	}
	return points
}

// HasSystem reports whether an endpoint of that name is the host's own traffic.
func (h *Host) HasSystem(endpoint string) bool { return h.System != nil && endpoint == SystemInterface }

// CountsSystem reports whether marks can be counted for the host's own traffic: not below a tunnel, where
// they are on the outer headers of VMs' packets as well.
func (h *Host) CountsSystem() bool { return slices.Contains(h.Uplink.Towards(), h.Uplink.Interface) }
