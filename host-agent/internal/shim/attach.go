// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// AttachUplink puts the program of a device towards the network in place, in the network namespace of
// the calling thread, and pins its link below directory, so that it outlives the agent.
func (s *Shim) AttachUplink(directory string, ifindex int) error {
	return s.attach(directory, pinName("uplink_in", ifindex), s.objects.UplinkIn, ifindex, ebpf.AttachTCXIngress)
}

// AttachEndpoint puts the programs of an endpoint that was added before in place, like
// AttachUplink: those of its interface, which all endpoints there share. A failure leaves none of them.
func (s *Shim) AttachEndpoint(directory string, place model.Place) error {
	index, err := s.indexOf(place)
	if err == nil {
		err = s.GiveFlows(index)
	}
	ifindex := place.Ifindex
	if err != nil || s.hasPinned(ifindex, toVM) {
		return err
	}
	s.forget(ifindex) // held until now: what is pinned stays
	err = s.attach(directory, pinName(fromVM, ifindex), s.objects.FromVm, ifindex, ebpf.AttachTCXIngress)
	if err == nil {
		err = s.attach(directory, pinName(toVM, ifindex), s.objects.ToVm, ifindex, ebpf.AttachTCXEgress)
	}
	if err != nil {
		return errors.Join(err, s.Detach(ifindex))
	}
	return nil
}

// pinned is a program in its place.
type pinned struct {
	link    link.Link
	program *ebpf.Program
	ifindex int
	where   ebpf.AttachType
	pin     string
}

// fromVM is the program of which every interface with an endpoint has one, toVM the other.
const fromVM, toVM = "from_vm", "to_vm"

// programs are all that are attached anywhere.
var programs = []string{fromVM, toVM, "uplink_in", "from_host", "to_host"}

// pinName has no interface name in it: the BPF file system takes no dots.
func pinName(program string, ifindex int) string { return fmt.Sprintf("%s-%d", program, ifindex) }

func (s *Shim) attach(directory, name string, program *ebpf.Program, ifindex int, where ebpf.AttachType) error {
	return s.attachAs(ifindex, directory, name, program, ifindex, where)
}

// attachAs files a program under a key by which it is detached.
func (s *Shim) attachAs(
	key int, directory, name string, program *ebpf.Program, ifindex int, where ebpf.AttachType,
) (err error) {
	p := pinned{program: program, ifindex: ifindex, where: where, pin: filepath.Join(directory, name)}
	if p.link, err = takeOver(p.pin, program); err == nil {
		s.attached[key] = append(s.attached[key], p)
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace %s: %w", name, err)
	}
	if p.link, err = s.attachFirst(p); err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	s.attached[key] = append(s.attached[key], p)
	if err := p.link.Pin(p.pin); err != nil {
		return fmt.Errorf("pin %s: %w", name, err)
	}
	return nil
}

// attachFirst puts a program before all others of its hook, or behind this shim's: a program before it that passes
// packets would end the chain.
func (s *Shim) attachFirst(p pinned) (link.Link, error) {
	anchor := link.Head()
	for _, all := range s.attached {
		for _, other := range all {
			if other.ifindex == p.ifindex && other.where == p.where && other.pin != p.pin {
				anchor = link.AfterLink(other.link)
			}
		}
	}
	return link.AttachTCX(link.TCXOptions{Interface: p.ifindex, Program: p.program, Attach: p.where, Anchor: anchor})
}

// takeOver replaces the program of a link that was pinned before, at once: no packet passes without the one
// or the other. fs.ErrNotExist: there is no such link, or its interface has gone.
func takeOver(pin string, program *ebpf.Program) (link.Link, error) {
	attached, err := link.LoadPinnedLink(pin, nil)
	if err != nil {
		return nil, err
	}
	err = attached.Update(program)
	if err == nil {
		return attached, nil
	}
	if errors.Is(err, unix.ENOLINK) {
		return nil, errors.Join(fs.ErrNotExist, attached.Unpin(), attached.Close())
	}
	return nil, errors.Join(err, attached.Close())
}

// HoldInterface drops what comes from an interface that has no endpoint, while limits are enforced, and counts
// it (Totals.HeldPackets). AttachEndpoint and Detach end that.
func (s *Shim) HoldInterface(directory string, ifindex int) error {
	if s.hasPinned(ifindex, fromVM) {
		return nil // as that of an endpoint until now
	}
	return s.attach(directory, pinName(fromVM, ifindex), s.objects.FromVm, ifindex, ebpf.AttachTCXIngress)
}

func (s *Shim) hasPinned(ifindex int, program string) bool {
	name := pinName(program, ifindex)
	return slices.ContainsFunc(s.attached[ifindex], func(p pinned) bool { return filepath.Base(p.pin) == name })
}

// Detach takes the programs off an interface, which may have gone; none runs any more afterwards.
func (s *Shim) Detach(ifindex int) error {
	var failures []error
	for _, one := range s.attached[ifindex] {
		failures = append(failures, detach(one.link))
	}
	delete(s.attached, ifindex)
	return errors.Join(failures...)
}

// detach ends a link and its pin.
func detach(attached link.Link) error {
	var failures []error
	// A link whose interface has gone is detached already.
	if err := attached.Detach(); err != nil && !errors.Is(err, unix.ENOLINK) {
		failures = append(failures, err)
	}
	if err := attached.Unpin(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		failures = append(failures, err)
	}
	return errors.Join(append(failures, attached.Close())...)
}

// forget gives up links that stay pinned.
func (s *Shim) forget(ifindex int) {
	for _, one := range s.attached[ifindex] {
		_ = one.link.Close()
	}
	delete(s.attached, ifindex)
}

// DetachAll takes the programs off all interfaces.
func (s *Shim) DetachAll() error {
	var failures []error
	for ifindex := range s.attached {
		failures = append(failures, s.Detach(ifindex))
	}
	return errors.Join(failures...)
}
