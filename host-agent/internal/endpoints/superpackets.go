// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// superPackets bounds the super-packets on a VM-facing device by gso_max_size (docs/agent.md).
type superPackets struct {
	device  netlink.Link // as it was found; nil: they are not ours to bound
	devices *netlink.Handle
	bytes   uint32 // gso_max_size as set last
	found   uint32 // what it was before any agent came
}

// before is how large they were before the agent came.
func (s *superPackets) before() uint32 { return s.found }

// fit bounds them for a limit; without enforcement they are as they were before the agent came.
func (s *superPackets) fit(enforcing bool, limitBitsPerSecond uint64) error {
	if s.device == nil {
		return nil
	}
	if !enforcing {
		return s.restore()
	}
	attributes := s.device.Attrs()
	return s.set(min(htb.SuperPacketBytes(limitBitsPerSecond, attributes.MTU), attributes.TSOMaxSize))
}

// restore puts them back as they were, if the interface is still there.
func (s *superPackets) restore() error {
	if s.device == nil {
		return nil
	}
	if err := s.set(s.before()); err != nil && !errors.Is(err, unix.ENODEV) {
		return err
	}
	return nil
}

func (s *superPackets) set(bytes uint32) error {
	if bytes == s.bytes {
		return nil
	}
	if err := s.devices.LinkSetGSOMaxSize(s.device, int(bytes)); err != nil {
		return fmt.Errorf("%s: set gso_max_size %d: %w", s.device.Attrs().Name, bytes, err)
	}
	s.bytes = bytes
	return nil
}
