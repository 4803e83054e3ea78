// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// ErrNoTree: there is no tree of ours to take over.
var ErrNoTree = errors.New("there is no root qdisc of an earlier agent")

// TakeOverTree goes on with the tree that an earlier agent left on a device, of this Layout: what is queued
// stays queued, and every limit holds until it is changed. Classes are taken over one by one, as they are
// added; RemoveEarlier deletes the others. saved is what Release will put back.
func TakeOverTree(conn *Conn, name string, ifindex, mtu int, capacityBitsPerSecond uint64, saved *SavedRoot) (*Tree, error) {
	found, err := conn.readRoot(ifindex)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if found.handle != Handle || found.kind != "htb" {
		return nil, fmt.Errorf("%s: %w", name, ErrNoTree)
	}
	t := newTree(conn, name, ifindex, mtu, capacityBitsPerSecond, saved)
	if t.earlier, err = conn.allClasses(ifindex); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := t.addTrunk(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// EarlierGroups are the limits, in bit/s, of the congested ports' groups that an earlier agent left of an
// endpoint and that are not taken over yet, by their number.
func (t *Tree) EarlierGroups(endpoint int) map[int]uint64 {
	limits := map[int]uint64{}
	for group := 1; group <= model.MaxGroups; group++ {
		if left, is := t.earlier[groupClass(endpoint, group)]; is {
			limits[group] = left.ceiling
		}
	}
	return limits
}

// addClass makes a class, or makes the one that an earlier agent left in its place what it should be.
func (t *Tree) addClass(spec class) error {
	left, is := t.earlier[spec.handle]
	if is && left.parent == spec.parent {
		delete(t.earlier, spec.handle)
		return t.conn.changeClass(t.ifindex, spec)
	}
	if is { // the kernel cannot give a class another parent
		if err := t.removeEarlier(spec.handle); err != nil {
			return err
		}
	}
	return t.conn.addClass(t.ifindex, spec)
}

// RemoveEarlier deletes the classes of an earlier agent that were not taken over.
func (t *Tree) RemoveEarlier() error {
	var failures []error
	for len(t.earlier) > 0 {
		for handle := range t.earlier {
			failures = append(failures, t.removeEarlier(handle))
			break
		}
	}
	return errors.Join(failures...)
}

// removeEarlier deletes such a class with all that stand below it.
func (t *Tree) removeEarlier(handle uint32) error {
	var children []uint32
	for child, left := range t.earlier {
		if left.parent == handle {
			children = append(children, child)
		}
	}
	delete(t.earlier, handle)
	slices.Sort(children)
	var failures []error
	for _, child := range children {
		failures = append(failures, t.removeEarlier(child))
	}
	return errors.Join(append(failures, t.removeClass(handle))...)
}
