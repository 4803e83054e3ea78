// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// AttachUplink puts the program of a device towards the network in place, in the network namespace of
// the calling thread, and pins its link below directory, so that it outlives the agent.
func (s *Shim) AttachUplink(directory string, ifindex int) error {
	return s.attach(directory, pinName("uplink_in", ifindex), s.objects.UplinkIn, ifindex, ebpf.AttachTCXIngress)
}

// AttachEndpoint puts the programs of an endpoint that was added before in place, like
// AttachUplink. A failure leaves none of them.
func (s *Shim) AttachEndpoint(directory string, ifindex int) error {
	err := s.attach(directory, pinName("from_vm", ifindex), s.objects.FromVm, ifindex, ebpf.AttachTCXIngress)
	if err == nil {
		err = s.attach(directory, pinName("to_vm", ifindex), s.objects.ToVm, ifindex, ebpf.AttachTCXEgress)
	}
	if err != nil {
		return errors.Join(err, s.Detach(ifindex))
	}
	return nil
}

// pinName has no interface name in it: the BPF file system takes no dots.
func pinName(program string, ifindex int) string { return fmt.Sprintf("%s-%d", program, ifindex) }

func (s *Shim) attach(directory, name string, program *ebpf.Program, ifindex int, where ebpf.AttachType) error {
	return s.attachAs(ifindex, directory, name, program, ifindex, where)
}

// attachAs files a program under a key by which it is detached.
func (s *Shim) attachAs(
	key int, directory, name string, program *ebpf.Program, ifindex int, where ebpf.AttachType,
) error {
	attached, err := link.AttachTCX(link.TCXOptions{Interface: ifindex, Program: program, Attach: where})
	if err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	s.attached[key] = append(s.attached[key], attached)
	if err := attached.Pin(filepath.Join(directory, name)); err != nil {
		return fmt.Errorf("pin %s: %w", name, err)
	}
	return nil
}

// Detach takes the programs off an interface, which may have gone; none runs any more afterwards.
func (s *Shim) Detach(ifindex int) error {
	var failures []error
	for _, attached := range s.attached[ifindex] {
		// A link whose interface has gone is detached already.
		if err := attached.Detach(); err != nil && !errors.Is(err, unix.ENOLINK) {
			failures = append(failures, err)
		}
		if err := attached.Unpin(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
		failures = append(failures, attached.Close())
	}
	delete(s.attached, ifindex)
	return errors.Join(failures...)
}

// DetachAll takes the programs off all interfaces.
func (s *Shim) DetachAll() error {
	var failures []error
	for ifindex := range s.attached {
		failures = append(failures, s.Detach(ifindex))
	}
	return errors.Join(failures...)
}
