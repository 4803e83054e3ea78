// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"fmt"

	"github.com/vishvananda/netlink"
)

// SuperPackets bound a device's. The kernel changes gso_ipv4_max_size with gso_max_size, but not above 64 KB and not
// back: whoever sets one has to set both.
type SuperPackets struct {
	GSOMaxBytes     uint32 `json:"gsoMaxBytes"`
	GSOIPv4MaxBytes uint32 `json:"gsoIPv4MaxBytes"`
}

// SuperPacketsOf are a device's as it was listed.
func SuperPacketsOf(device *netlink.LinkAttrs) SuperPackets {
	return SuperPackets{device.GSOMaxSize, device.GSOIPv4MaxSize}
}

// Put sets them on a device.
func (s SuperPackets) Put(devices *netlink.Handle, device netlink.Link) error {
	name := device.Attrs().Name
	if err := devices.LinkSetGSOMaxSize(device, int(s.GSOMaxBytes)); err != nil {
		return fmt.Errorf("%s: set gso_max_size %d: %w", name, s.GSOMaxBytes, err)
	}
	if err := devices.LinkSetGSOIPv4MaxSize(device, int(s.GSOIPv4MaxBytes)); err != nil {
		return fmt.Errorf("%s: set gso_ipv4_max_size %d: %w", name, s.GSOIPv4MaxBytes, err)
	}
	return nil
}
