// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// MaxSystemEntries is how many sources, and how many cgroups, an endpoint of the host's own can have.
const MaxSystemEntries = 8

// System is which of the host's own packets belong to its endpoint: whatever matches any of these.
type System struct {
	Sources []netip.Prefix // at most MaxSystemEntries
	DSCPs   []uint8        // in [0, 63]
	// Cgroups is how many there are; SetSystemCgroup sets them.
	Cgroups int
}

// SetSystem sets what from_host matches.
func (s *Shim) SetSystem(system System) error {
	if len(system.Sources) > MaxSystemEntries || system.Cgroups > MaxSystemEntries {
		return fmt.Errorf("%d sources and %d cgroups, at most %d of each",
			len(system.Sources), system.Cgroups, MaxSystemEntries)
	}
	value := bpfSystem{SourceCount: uint32(len(system.Sources)), CgroupCount: uint32(system.Cgroups)}
	for _, dscp := range system.DSCPs {
		value.Dscps |= 1 << dscp
	}
	for i, prefix := range system.Sources {
		value.Sources[i] = bpfPrefix{Address: toAddress(prefix.Masked().Addr()), Mask: toMask(prefix)}
	}
	if err := s.objects.Systems.Put(uint32(0), value); err != nil {
		return fmt.Errorf("set the host's own endpoint: %w", err)
	}
	return nil
}

// toMask has the bits set that a prefix gives, of an address as the programs have them.
func toMask(prefix netip.Prefix) bpfAddress {
	bits := prefix.Bits()
	if prefix.Addr().Is4() {
		bits += 96 // in ::ffff:0:0/96
	}
	var bytes [16]byte
	for i := range bits {
		bytes[i/8] |= 0x80 >> (i % 8)
	}
	return toAddress(netip.AddrFrom16(bytes))
}

// SetSystemCgroup sets which cgroup is meant: its directory in a file system of version 2, or nil for none.
// For any goroutine.
func (s *Shim) SetSystemCgroup(index int, directory *os.File) error {
	if directory == nil {
		err := s.objects.SystemCgroups.Delete(uint32(index))
		if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("forget a cgroup: %w", err)
		}
		return nil
	}
	if err := s.objects.SystemCgroups.Put(uint32(index), uint32(directory.Fd())); err != nil {
		return fmt.Errorf("cgroup %s: %w", directory.Name(), err)
	}
	return nil
}

// systemPrograms are the uplink's that belong to the host's own endpoint: they come and go without the
// others.
const systemPrograms = -1

// AttachSystem puts the programs of the host's own endpoint in place, at the uplink, like AttachEndpoint.
// inward: what arrives for it is counted too.
func (s *Shim) AttachSystem(directory string, ifindex int, inward bool) error {
	index, err := s.indexOf(model.Place{Ifindex: ifindex})
	if err == nil {
		err = s.GiveFlows(index)
	}
	if err != nil {
		return err
	}
	err = s.attachAs(systemPrograms, directory, pinName("from_host", ifindex), s.objects.FromHost, ifindex,
		ebpf.AttachTCXEgress)
	if err == nil && inward {
		err = s.attachAs(systemPrograms, directory, pinName("to_host", ifindex), s.objects.ToHost, ifindex,
			ebpf.AttachTCXIngress)
	}
	if err != nil {
		return errors.Join(err, s.DetachSystem())
	}
	return nil
}

// DetachSystem takes them off again.
func (s *Shim) DetachSystem() error { return s.Detach(systemPrograms) }
