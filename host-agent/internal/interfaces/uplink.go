// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"fmt"
	"net"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
)

// Device is an interface as it was found.
type Device struct {
	Name    string
	Ifindex int
}

// Uplink is the device towards the network.
type Uplink struct {
	Device
	MTU int
	MAC net.HardwareAddr
	// Through are the devices by which endpoints reach it: itself, or what stands on it.
	Through []Device
}

// FindUplink finds the devices that the configuration names.
func FindUplink(devices *netlink.Handle, settings config.Uplink) (Uplink, error) {
	found, err := devices.LinkByName(settings.Interface)
	if err != nil {
		return Uplink{}, fmt.Errorf("uplink %s: %w", settings.Interface, err)
	}
	attributes := found.Attrs()
	u := Uplink{
		Device: Device{attributes.Name, attributes.Index}, MTU: attributes.MTU, MAC: attributes.HardwareAddr,
	}
	for _, name := range settings.Towards() {
		found, err := devices.LinkByName(name)
		if err != nil {
			return Uplink{}, fmt.Errorf("uplink.through: %s: %w", name, err)
		}
		u.Through = append(u.Through, Device{name, found.Attrs().Index})
	}
	return u, nil
}

// Ifindexes are those of the devices by which endpoints reach it.
func (u Uplink) Ifindexes() []int {
	var all []int
	for _, d := range u.Through {
		all = append(all, d.Ifindex)
	}
	return all
}

// Incoming are the devices at which messages arrive: where there is a tunnel, agents' messages come out of
// it, and controllers' notices beside it.
func (u Uplink) Incoming() []Device {
	if slices.Contains(u.Through, u.Device) {
		return u.Through
	}
	return append(slices.Clone(u.Through), u.Device)
}

func (u Uplink) includes(ifindex int) bool {
	return ifindex == u.Ifindex || slices.Contains(u.Ifindexes(), ifindex)
}
