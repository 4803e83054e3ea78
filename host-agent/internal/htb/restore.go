// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// IsInPlace reports whether the tree's root is still the device's: one message.
func (t *Tree) IsInPlace() bool {
	message := nl.TcMsg{Ifindex: int32(t.ifindex), Handle: Handle, Parent: rootParent}
	err := t.conn.request(unix.RTM_GETQDISC, unix.NLM_F_ECHO, message, nil, func([]byte) error { return nil })
	return err == nil
}

// mostCompared classes are compared with what they should be; of more it would take too long beside the laws.
const mostCompared = 2048

// Restore puts back what somebody else has removed from the tree, or changed in its classes, as it was; counters begin
// anew, and what was queued is lost. It fails with a *ForeignRootError, like NewTree, where somebody's qdisc has taken
// the root's place. restored: something was amiss.
func (t *Tree) Restore(replace bool) (restored bool, err error) {
	wanted := t.classes()
	switch {
	case !t.IsInPlace():
		restored = true
		saved, err := t.conn.takeRoot(t.name, t.ifindex, replace)
		if err != nil {
			return false, err
		}
		if saved != nil && saved.Kind != "" {
			saved.NoQueueLength = saved.NoQueueLength || t.saved != nil && t.saved.NoQueueLength
			t.saved = saved
		}
		if err := t.conn.addRoot(t.ifindex, Handle, OpenClass); err != nil {
			return false, fmt.Errorf("%s: %w", t.name, err)
		}
		t.earlier = nil
	case len(wanted) > mostCompared:
		return false, nil
	}
	have, err := t.conn.allClasses(t.ifindex)
	if err != nil {
		return restored, err
	}
	var failures []error
	for _, want := range wanted {
		found, is := have[want.handle]
		switch {
		case !is:
			err = errors.Join(t.conn.addClass(t.ifindex, want), t.restoreQueue(want.handle))
		case found.ceiling/bitsPerByte != want.ceiling/bitsPerByte || found.rate/bitsPerByte != want.rate/bitsPerByte:
			err = t.conn.changeClass(t.ifindex, want)
		default:
			continue
		}
		restored = true
		failures = append(failures, err)
	}
	return restored, errors.Join(failures...)
}

func (t *Tree) restoreQueue(handle uint32) error {
	if handle == OpenClass {
		return t.conn.putFifo(t.ifindex, OpenClass, fifoPackets, openLimitPackets)
	}
	if bytes := t.leaves[handle]; bytes != 0 {
		return t.putQueue(handle, bytes)
	}
	return nil
}

// classes are all that there should be, parents before children.
func (t *Tree) classes() []class {
	all := t.trunk()
	for _, tenant := range slices.Sorted(maps.Keys(t.tenants)) {
		all = append(all, t.tenantShape(tenant, t.tenants[tenant]))
	}
	for _, endpoint := range slices.Sorted(maps.Keys(t.endpoints)) {
		e := t.endpoints[endpoint]
		all = append(all, t.endpointShape(endpoint, e))
		for group, limit := range e.limits {
			if limit != 0 {
				leaves := t.leafShapes(endpoint, group, e.part)
				all = append(all, t.groupShape(endpoint, group, limit), leaves[0], leaves[1])
			}
		}
	}
	return all
}
