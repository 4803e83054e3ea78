// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
)

// Earlier is the state of the programs that an earlier agent pinned. It is read from maps whose form does
// not change with versions: addresses, and numbers of 32 bits.
type Earlier struct {
	// Owners are which endpoint has an address.
	Owners map[netip.Addr]int
	// Destinations are each endpoint's that are in another group than the default one.
	Destinations map[int]map[netip.Addr]int
	// Agents are the addresses of other hosts that have one.
	Agents []netip.Addr
}

// ReadEarlier reads it from the programs pinned below directory, if there are any.
func ReadEarlier(directory string) (*Earlier, error) {
	e := &Earlier{Owners: map[netip.Addr]int{}, Destinations: map[int]map[netip.Addr]int{}}
	pins, err := bpffs.Entries(directory)
	if err != nil {
		return nil, err
	}
	seen := map[ebpf.MapID]bool{}
	for _, pin := range pins {
		if !strings.HasPrefix(pin, fromVM+"-") {
			continue
		}
		if err := e.readProgram(filepath.Join(directory, pin), seen); err != nil {
			return nil, fmt.Errorf("read the earlier agent's %s: %w", pin, err)
		}
	}
	return e, nil
}

func (e *Earlier) readProgram(pin string, seen map[ebpf.MapID]bool) error {
	attached, err := link.LoadPinnedLink(pin, nil)
	if err != nil {
		return err
	}
	defer attached.Close()
	info, err := attached.Info()
	if err != nil {
		return err
	}
	program, err := ebpf.NewProgramFromID(info.Program)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its interface has gone
	}
	if err != nil {
		return err
	}
	defer program.Close()
	about, err := program.Info()
	if err != nil {
		return err
	}
	ids, _ := about.MapIDs()
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if err := e.readMap(id); err != nil {
			return err
		}
	}
	return nil
}

func (e *Earlier) readMap(id ebpf.MapID) error {
	m, err := ebpf.NewMapFromID(id)
	if err != nil {
		return err
	}
	defer m.Close()
	info, err := m.Info()
	if err != nil {
		return err
	}
	switch {
	case info.Name == "owners" && m.KeySize() == 16 && m.ValueSize() == 4:
		var address bpfAddress
		var owner uint32
		entries := m.Iterate()
		for entries.Next(&address, &owner) {
			e.Owners[fromAddress(address)] = int(owner)
		}
		return entries.Err()
	case info.Name == "agents" && m.KeySize() == 16 && m.ValueSize() == 1:
		var address bpfAddress
		var has uint8
		entries := m.Iterate()
		for entries.Next(&address, &has) {
			e.Agents = append(e.Agents, fromAddress(address))
		}
		return entries.Err()
	case info.Name == "destinations" && m.KeySize() == 20 && m.ValueSize() == 4:
		var key bpfDestinationKey
		var group uint32
		entries := m.Iterate()
		for entries.Next(&key, &group) {
			of := e.Destinations[int(key.Endpoint)]
			if of == nil {
				of = map[netip.Addr]int{}
				e.Destinations[int(key.Endpoint)] = of
			}
			of[fromAddress(key.Address)] = int(group)
		}
		return entries.Err()
	}
	return nil
}

// AddressesOf are the addresses that an endpoint had, in order.
func (e *Earlier) AddressesOf(index int) []netip.Addr {
	var addresses []netip.Addr
	for address, owner := range e.Owners {
		if owner == index {
			addresses = append(addresses, address)
		}
	}
	slices.SortFunc(addresses, netip.Addr.Compare)
	return addresses
}

// HoldEarlier puts this shim's programs in the place of those that an earlier agent pinned on interfaces: until
// their endpoints are added they send nothing.
func (s *Shim) HoldEarlier(directory string) error {
	return s.earlierPins(directory, func(pin string) error {
		if !strings.HasPrefix(filepath.Base(pin), fromVM+"-") {
			return nil
		}
		attached, err := takeOver(pin, s.objects.FromVm)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return attached.Close() // it stays pinned
	})
}

// DetachEarlier takes away what an earlier agent had pinned and this shim has not taken over.
func (s *Shim) DetachEarlier(directory string) error {
	own := map[string]bool{}
	for _, all := range s.attached {
		for _, one := range all {
			own[filepath.Base(one.pin)] = true
		}
	}
	return s.earlierPins(directory, func(pin string) error {
		name := filepath.Base(pin)
		if program, _, _ := strings.Cut(name, "-"); own[name] || !slices.Contains(programs, program) {
			return nil
		}
		attached, err := link.LoadPinnedLink(pin, nil)
		if err != nil {
			return err
		}
		return detach(attached)
	})
}

func (s *Shim) earlierPins(directory string, do func(pin string) error) error {
	pins, err := bpffs.Entries(directory)
	if err != nil {
		return err
	}
	var failures []error
	for _, pin := range pins {
		if err := do(filepath.Join(directory, pin)); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", pin, err))
		}
	}
	return errors.Join(failures...)
}
