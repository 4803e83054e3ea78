// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// drainTimeout bounds how long endpoints that move are waited for. What a queue holds leaves at the
	// wire's speed then; only a class that was held to far less than a packet per drainTimeout takes longer.
	drainTimeout = 50 * time.Millisecond
	// drainPoll is between two readings of their queues.
	drainPoll = 100 * time.Microsecond
)

// MoveEndpoints puts the classes of endpoints below those of other tenants, endpoint -> tenant, under the
// numbers that they have. HTB cannot give a class another parent, so the queues are emptied first, with
// their limits lifted; then the classes are made anew, and what is sent meanwhile takes the open class:
// nothing waits, nothing is overtaken. What a queue still holds after 50 ms is lost. Who calls it has the
// endpoints' senders held to their limits by other means.
func (t *Tree) MoveEndpoints(tenants map[int]int) error {
	var failures []error
	for endpoint := range tenants {
		if t.endpoints[endpoint] == nil {
			return fmt.Errorf("move HTB class %s: %w", handleName(endpointClass(endpoint)), unix.ENOENT)
		}
	}
	for endpoint := range tenants {
		failures = append(failures, t.lift(endpoint))
	}
	failures = append(failures, t.drain(tenants))
	for endpoint, tenant := range tenants {
		failures = append(failures, t.rebuild(endpoint, tenant))
	}
	return errors.Join(failures...)
}

// lift takes an endpoint's limits away without forgetting them. It owns what it sends then, so that it need
// not wait for others, however full the uplink is.
func (t *Tree) lift(endpoint int) error {
	before := t.endpoints[endpoint]
	e := *before
	e.part.RateBitsPerSecond, e.part.CeilingBitsPerSecond = openBitsPerSecond, openBitsPerSecond
	failures := []error{t.conn.changeClass(t.ifindex, t.endpointShape(endpoint, &e))}
	for group, limit := range e.limits {
		if limit == 0 {
			continue
		}
		shape := t.groupShape(endpoint, group, openBitsPerSecond)
		failures = append(failures, t.conn.changeClass(t.ifindex, shape))
		for _, leaf := range t.leafShapes(endpoint, group, before.part) {
			leaf.ceiling = openBitsPerSecond
			failures = append(failures, t.conn.changeClass(t.ifindex, leaf))
		}
	}
	return errors.Join(failures...)
}

// drain waits until nothing is queued for any of these endpoints, at most drainTimeout.
func (t *Tree) drain(endpoints map[int]int) error {
	deadline := time.Now().Add(drainTimeout)
	for endpoint := range endpoints {
		for group, limit := range t.endpoints[endpoint].limits {
			for limit > 0 {
				stats, err := t.Group(endpoint, group)
				if err != nil {
					return err
				}
				if stats.Total().BacklogPackets == 0 {
					break
				}
				if time.Now().After(deadline) {
					return nil
				}
				time.Sleep(drainPoll)
			}
		}
	}
	return nil
}

// rebuild makes an endpoint's classes anew, as they were, below another tenant. What it was is kept if that
// fails, so that it can be tried again.
func (t *Tree) rebuild(endpoint, tenant int) error {
	before := *t.endpoints[endpoint]
	queues := map[uint32]uint32{}
	for group, limit := range before.limits {
		if limit == 0 {
			continue
		}
		for _, leaf := range []uint32{sparseLeaf, bulkLeaf} {
			handle := leafClass(endpoint, group, leaf)
			queues[handle] = max(t.leaves[handle], LeafBytes(limit, t.mtu, 0))
		}
	}
	if err := t.replace(endpoint, tenant, before, queues); err != nil {
		t.endpoints[endpoint] = &before
		return err
	}
	return nil
}

func (t *Tree) replace(endpoint, tenant int, before endpointClasses, queues map[uint32]uint32) error {
	for group, limit := range before.limits {
		if limit == 0 {
			continue
		}
		if err := t.RemoveGroup(endpoint, group); err != nil {
			return err
		}
	}
	if err := t.removeClass(endpointClass(endpoint)); err != nil {
		return err
	}
	e := &endpointClasses{tenant: tenant, part: before.part}
	if err := t.addClass(t.endpointShape(endpoint, e)); err != nil {
		return err
	}
	t.endpoints[endpoint] = e
	for group, limit := range before.limits {
		if limit == 0 {
			continue
		}
		if err := t.addGroupClasses(endpoint, group, limit); err != nil {
			return err
		}
		for _, leaf := range []uint32{sparseLeaf, bulkLeaf} {
			handle := leafClass(endpoint, group, leaf)
			if err := t.putLeaf(handle, queues[handle]); err != nil {
				return err
			}
		}
	}
	return nil
}
