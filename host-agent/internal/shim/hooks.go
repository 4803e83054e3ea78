// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Attached are the keys of PutBack, in order.
func (s *Shim) Attached() []int { return slices.Sorted(maps.Keys(s.attached)) }

// PutBack puts back what somebody else has taken from an interface: a program that was detached, a pin; restored: there
// was something. own are the programs that are there.
func (s *Shim) PutBack(key int) (ifindex int, own []ebpf.ProgramID, restored bool, err error) {
	all := s.attached[key]
	var failures []error
	for i := range all {
		id, again, err := s.putBack(&all[i])
		ifindex, own, restored = all[i].ifindex, append(own, id), restored || again
		failures = append(failures, err)
	}
	return ifindex, own, restored, errors.Join(failures...)
}

func (s *Shim) putBack(p *pinned) (id ebpf.ProgramID, restored bool, err error) {
	info, err := p.link.Info()
	if err != nil {
		return 0, false, err
	}
	if tcx := info.TCX(); tcx != nil && tcx.Ifindex == 0 {
		again, err := s.attachFirst(*p)
		if errors.Is(err, unix.ENODEV) {
			return 0, false, nil // its interface has gone
		}
		if err != nil {
			return 0, false, fmt.Errorf("attach %s again: %w", p.pin, err)
		}
		_, _ = p.link.Unpin(), p.link.Close()
		p.link = again
		return info.Program, true, p.link.Pin(p.pin)
	}
	if _, err := os.Lstat(p.pin); !errors.Is(err, fs.ErrNotExist) {
		return info.Program, false, err
	}
	_ = p.link.Unpin() // else it passes for pinned
	return info.Program, true, p.link.Pin(p.pin)
}
