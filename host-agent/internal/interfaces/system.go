// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// planSystem adds the endpoint of the host's own traffic, at the uplink. Its addresses are the host's own
// among its sources; without sources those of the uplink and of the uplink's bridge.
func (p *planner) planSystem(plan *Plan, links []netlink.Link, addresses []netlink.Addr) {
	if p.system == nil {
		return
	}
	plan.wanted = slices.DeleteFunc(plan.wanted, func(w wantedEndpoint) bool {
		taken := w.described.Interface == config.SystemInterface
		if taken {
			plan.hold(w.device, "is the name of the host's own traffic: rename the interface")
		}
		return taken
	})
	byIndex := map[int]netlink.Link{}
	for _, link := range links {
		byIndex[link.Attrs().Index] = link
	}
	up := byIndex[p.uplink.Ifindex]
	described := model.Endpoint{Interface: config.SystemInterface, MAC: up.Attrs().HardwareAddr}
	macs := map[netip.Addr]net.HardwareAddr{}
	for _, a := range addresses {
		address, ok := netip.AddrFromSlice(a.IP)
		address = address.Unmap()
		if ok && p.isSystems(address, a.LinkIndex, up.Attrs().MasterIndex) {
			described.IPs = append(described.IPs, address)
			if link := byIndex[a.LinkIndex]; link != nil {
				macs[address] = link.Attrs().HardwareAddr
			}
		}
	}
	if len(described.IPs) == 0 {
		plan.miss(config.SystemInterface, "the host has no address in system.sources yet, or none at the uplink or its bridge")
		return
	}
	slices.SortFunc(described.IPs, netip.Addr.Compare)
	described.IPs = slices.Compact(described.IPs)
	if more := len(described.IPs) - shim.MaxAddresses; more > 0 {
		plan.miss(config.SystemInterface, "has %d addresses more than the %d that are reported to controllers", more, shim.MaxAddresses)
		described.IPs = described.IPs[:shim.MaxAddresses]
	}
	if mac := macs[described.IPs[0]]; isUnicast(mac) {
		described.MAC = mac
	}
	plan.wanted = append(plan.wanted, wantedEndpoint{up, described})
}

func (p *planner) isSystems(address netip.Addr, ifindex, bridge int) bool {
	if !address.IsGlobalUnicast() {
		return false
	}
	if len(p.system.Sources) == 0 {
		return ifindex == p.uplink.Ifindex || bridge != 0 && ifindex == bridge
	}
	return slices.ContainsFunc(p.system.Prefixes(), func(source netip.Prefix) bool { return source.Contains(address) })
}

func isUnicast(mac net.HardwareAddr) bool {
	return len(mac) == 6 && mac[0]&1 == 0 && [6]byte(mac) != [6]byte{}
}

// cgroups are those whose sockets' traffic is the host's own endpoint's. A service's is made anew with each
// of its starts, so they are looked up again and again.
type cgroups struct {
	paths  []string
	inodes []uint64 // that the programs have; 0: none
}

// newCgroups refuses what can be no cgroup; one that does not exist yet is waited for.
func newCgroups(system *config.System) (cgroups, error) {
	if system == nil {
		return cgroups{}, nil
	}
	var failures []error
	for i, path := range system.Cgroups {
		var kind unix.Statfs_t
		err := unix.Statfs(path, &kind)
		if err == nil && kind.Type == unix.CGROUP2_SUPER_MAGIC || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		failures = append(failures, fmt.Errorf("system.cgroups[%d]: %q: is in no cgroup file system of version 2: "+
			"name a directory below its mount, /sys/fs/cgroup on most hosts (mount -t cgroup2)", i, path))
	}
	return cgroups{system.Cgroups, make([]uint64, len(system.Cgroups))}, errors.Join(failures...)
}

// follow brings the programs up to what there is now, and returns what is missing.
func (c *cgroups) follow(programs Programs) (missing []Missing, err error) {
	var failures []error
	for i, path := range c.paths {
		failures = append(failures, c.followOne(programs, i))
		if c.inodes[i] == 0 {
			missing = append(missing, Missing{Interface: config.SystemInterface, Reason: fmt.Sprintf("there is no cgroup %s yet", path)})
		}
	}
	return missing, errors.Join(failures...)
}

func (c *cgroups) followOne(programs Programs, i int) error {
	directory, err := os.Open(c.paths[i])
	if err != nil {
		if c.inodes[i] == 0 {
			return nil
		}
		c.inodes[i] = 0
		return programs.SetSystemCgroup(i, nil)
	}
	defer directory.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(int(directory.Fd()), &stat); err != nil || stat.Ino == c.inodes[i] {
		return err
	}
	if err := programs.SetSystemCgroup(i, directory); err != nil {
		return err
	}
	c.inodes[i] = stat.Ino
	return nil
}
