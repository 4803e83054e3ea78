// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// superPackets bounds the super-packets on a VM-facing device by gso_max_size (docs/agent.md).
type superPackets struct {
	device  netlink.Link // as it was found; nil: they are not ours to bound
	devices *netlink.Handle
	now     footprint.SuperPackets // as set last
	before  footprint.SuperPackets // as they were before any agent came
}

// fit bounds them for a limit; without enforcement they are as they were before the agent came.
func (s *superPackets) fit(enforcing bool, limitBitsPerSecond uint64) error {
	if s.device == nil {
		return nil
	}
	if !enforcing {
		return s.restore()
	}
	attributes := s.device.Attrs()
	bytes := min(htb.SuperPacketBytes(limitBitsPerSecond, attributes.MTU), attributes.TSOMaxSize)
	return s.set(footprint.SuperPackets{GSOMaxBytes: bytes, GSOIPv4MaxBytes: bytes})
}

// putBack sets them again where somebody has changed them. They are restored to what that was, at the end.
func (s *superPackets) putBack(found footprint.SuperPackets, enforcing bool) (changed bool, err error) {
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
	if !enforcing {
		return found != wanted, nil
	}
	return found != wanted, s.set(wanted)
}

// restore puts them back as they were, if the interface is still there.
func (s *superPackets) restore() error {
	if s.device == nil {
		return nil
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
