// SPDX-License-Identifier: Apache-2.0

// Package hooks lists the programs and filters that packets meet at an interface.
package hooks

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Hook is a place at an interface.
type Hook string

// The hooks that what comes in meets, in this order, and those of what goes out. Netkit has two: what its other end
// sends passes the peer's programs, what goes to it the primary's.
const (
	XDP           Hook = "xdp"
	NetkitPeer    Hook = "netkit peer"
	Ingress       Hook = "tcx ingress"
	ClsactIngress Hook = "clsact ingress"
	Egress        Hook = "tcx egress"
	ClsactEgress  Hook = "clsact egress"
	NetkitPrimary Hook = "netkit primary"
)

// Occupant is a program, or a filter that is none, at a hook.
type Occupant struct {
	Hook Hook           `json:"hook"`
	ID   ebpf.ProgramID `json:"id,omitempty"` // 0: it is no program
	// Name is the program's, or the filter's kind.
	Name string `json:"name"`
}

func (o Occupant) String() string {
	if o.ID == 0 {
		return fmt.Sprintf("%s (%s)", o.Name, o.Hook)
	}
	return fmt.Sprintf("%s (%s, program %d)", o.Name, o.Hook, o.ID)
}

// Occupied is an interface with what is at its hooks.
type Occupied struct {
	Interface string     `json:"interface"`
	Occupants []Occupant `json:"occupants"`
}

// All lists the interfaces of the calling thread's network namespace that have any.
func All() ([]Occupied, error) {
	devices, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	all, lister := []Occupied{}, NewLister(&netlink.Handle{})
	for _, device := range devices {
		found, err := lister.Of(device)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			all = append(all, Occupied{device.Attrs().Name, found})
		}
	}
	return all, nil
}

// mostNames are kept; with more, all are read anew.
const mostNames = 4096

// Lister lists occupants again and again; for one goroutine.
type Lister struct {
	devices *netlink.Handle
	names   map[ebpf.ProgramID]string // a program keeps its name; reading it takes longer than all else here
}

// NewLister lists by a handle of the network namespace of the threads that will call it.
func NewLister(devices *netlink.Handle) *Lister {
	return &Lister{devices, map[ebpf.ProgramID]string{}}
}

// Of lists the occupants of an interface in the order in which packets meet them.
func (l *Lister) Of(device netlink.Link) ([]Occupant, error) {
	var all []Occupant
	if x := device.Attrs().Xdp; x != nil && x.Attached {
		all = append(all, l.program(XDP, ebpf.ProgramID(x.ProgId)))
	}
	for _, h := range []struct {
		hook Hook
		find func(netlink.Link, Hook) ([]Occupant, error)
	}{
		{NetkitPeer, l.programsAt(ebpf.AttachNetkitPeer)},
		{Ingress, l.programsAt(ebpf.AttachTCXIngress)},
		{ClsactIngress, l.filtersAt(netlink.HANDLE_MIN_INGRESS)},
		{Egress, l.programsAt(ebpf.AttachTCXEgress)},
		{ClsactEgress, l.filtersAt(netlink.HANDLE_MIN_EGRESS)},
		{NetkitPrimary, l.programsAt(ebpf.AttachNetkitPrimary)},
	} {
		isNetkit := h.hook == NetkitPeer || h.hook == NetkitPrimary
		if isNetkit && device.Type() != "netkit" {
			continue
		}
		found, err := h.find(device, h.hook)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", h.hook, device.Attrs().Name, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (l *Lister) programsAt(attach ebpf.AttachType) func(netlink.Link, Hook) ([]Occupant, error) {
	return func(device netlink.Link, hook Hook) ([]Occupant, error) {
		found, err := link.QueryPrograms(link.QueryOptions{Target: device.Attrs().Index, Attach: attach})
		if errors.Is(err, unix.EACCES) {
			return nil, nil // netkit's other end: its programs are listed at this one's peer
		}
		if err != nil {
			return nil, err
		}
		all := make([]Occupant, len(found.Programs))
		for i, p := range found.Programs {
			all[i] = l.program(hook, p.ID)
		}
		return all, nil
	}
}

func (l *Lister) filtersAt(parent uint32) func(netlink.Link, Hook) ([]Occupant, error) {
	return func(device netlink.Link, hook Hook) ([]Occupant, error) {
		found, err := l.devices.FilterList(device, parent)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil, nil // there is no such qdisc
		}
		if err != nil {
			return nil, err
		}
		var all []Occupant
		for _, filter := range found {
			o := Occupant{Hook: hook, Name: filter.Type()}
			if of, is := filter.(*netlink.BpfFilter); is {
				o.Name, o.ID = of.Name, ebpf.ProgramID(of.Id)
			}
			all = append(all, o)
		}
		return all, nil
	}
}

// program has no name if it has gone.
func (l *Lister) program(hook Hook, id ebpf.ProgramID) Occupant {
	name, known := l.names[id]
	if !known {
		if len(l.names) == mostNames {
			clear(l.names)
		}
		name = nameOf(id)
		l.names[id] = name
	}
	return Occupant{hook, id, name}
}

func nameOf(id ebpf.ProgramID) string {
	loaded, err := ebpf.NewProgramFromID(id)
	if err != nil {
		return ""
	}
	defer loaded.Close()
	info, err := loaded.Info()
	if err != nil {
		return ""
	}
	return info.Name
}
