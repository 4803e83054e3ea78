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

// Attached are the interfaces that have programs of this shim, in order.
func (s *Shim) Attached() []int {
	ifindexes := map[int]bool{}
	for _, all := range s.attached {
		for _, one := range all {
			ifindexes[one.ifindex] = true
		}
	}
	return slices.Sorted(maps.Keys(ifindexes))
}

// PutBack puts back what somebody else has taken from an interface: a program that was detached, a pin; restored: there
// was something. own are this shim's programs there, whichever endpoint's.
func (s *Shim) PutBack(ifindex int) (own []ebpf.ProgramID, restored bool, err error) {
	var failures []error
	for _, all := range s.attached {
		for i := range all {
			if all[i].ifindex != ifindex {
				continue
			}
			id, again, err := s.putBack(&all[i])
			own, restored = append(own, id), restored || again
			failures = append(failures, err)
		}
	}
	return own, restored, errors.Join(failures...)
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
