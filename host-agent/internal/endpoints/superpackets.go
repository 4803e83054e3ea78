// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"maps"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// superPackets bounds the super-packets on a VM-facing device by gso_max_size (docs/agent.md). The endpoints of a trunk
// share it.
type superPackets struct {
	device  netlink.Link // as it was found; nil: they are not ours to bound
	devices *netlink.Handle
	now     footprint.SuperPackets // as set last
	before  footprint.SuperPackets // as they were before any agent came
	// bytes that each endpoint's limit allows, by index.
	bytes     map[int]uint32
	enforcing bool
}

// superPacketsOf are those of a device, which other endpoints may have already.
func (t *Table) superPacketsOf(device netlink.Link) *superPackets {
	for _, e := range t.byIndex {
		if e != nil && !e.isSystem() && e.place.Ifindex == device.Attrs().Index {
			return e.superPackets
		}
	}
	found := footprint.SuperPacketsOf(device.Attrs())
	return &superPackets{device: device, devices: t.host.Devices, now: found, before: found, bytes: map[int]uint32{}}
}

// fit bounds them for an endpoint's limit; without enforcement they are as they were before the agent came.
func (s *superPackets) fit(index int, enforcing bool, limitBitsPerSecond uint64) error {
	if s.device == nil {
		return nil
	}
	attributes := s.device.Attrs()
	s.bytes[index] = min(htb.SuperPacketBytes(limitBitsPerSecond, attributes.MTU), attributes.TSOMaxSize)
	s.enforcing = enforcing
	return s.fitAll()
}

// putBack sets them again where somebody has changed them. They are restored to what that was, at the end.
func (s *superPackets) putBack(found footprint.SuperPackets) (changed bool, err error) {
	if s.device == nil || found == s.now {
		return false, nil
	}
	device, err := s.devices.LinkByIndex(s.device.Attrs().Index) // found may be older than what was set last
	if err != nil {
		return false, err
	}
	wanted, found := s.now, footprint.SuperPacketsOf(device.Attrs())
	if found.GSOMaxBytes != wanted.GSOMaxBytes {
		s.before.GSOMaxBytes = found.GSOMaxBytes
	}
	if found.GSOIPv4MaxBytes != wanted.GSOIPv4MaxBytes {
		s.before.GSOIPv4MaxBytes = found.GSOIPv4MaxBytes
	}
	s.now = found
	return found != wanted, s.fitAll()
}

// leave ends an endpoint's part in it; last: it was the only one.
func (s *superPackets) leave(index int) (last bool, err error) {
	delete(s.bytes, index)
	return len(s.bytes) == 0, s.fitAll()
}

// fitAll bounds them by the least that an endpoint allows; without any they are put back as they were, if the interface
// is still there.
func (s *superPackets) fitAll() error {
	if s.device == nil {
		return nil
	}
	if len(s.bytes) > 0 && s.enforcing {
		least := slices.Min(slices.Collect(maps.Values(s.bytes)))
		return s.set(footprint.SuperPackets{GSOMaxBytes: least, GSOIPv4MaxBytes: least})
	}
	if err := s.set(s.before); err != nil && !errors.Is(err, unix.ENODEV) {
		return err
	}
	return nil
}

func (s *superPackets) set(wanted footprint.SuperPackets) error {
	if wanted == s.now {
		return nil
	}
	if err := wanted.Put(s.devices, s.device); err != nil {
		return err
	}
	s.now = wanted
	return nil
}
