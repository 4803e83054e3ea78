// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/hooks"
)

const (
	// guardPause is between two looks at what is installed: the kernel does not notify of BPF programs.
	guardPause = time.Second
	// guardBatch interfaces are looked at each time, in turn: each takes some tens of microseconds.
	guardBatch = 100
)

// Neighbour is another program, or a filter, at an interface that the agent has programs on.
type Neighbour struct {
	Interface string `json:"interface"`
	hooks.Occupant
	// Before: packets meet it before the agent's program, which never sees what it passes, drops or redirects.
	Before bool `json:"before"`
}

// guard looks from time to time whether programs are where they were put.
type guard struct {
	next  int
	hooks *hooks.Lister
	found map[int][]Neighbour // by ifindex
	// neighbours are the engine's.
	neighbours []Neighbour
}

// look looks at the next interfaces; what somebody took away is put back.
func (r *Reconciler) look() error {
	g := &r.guard
	ifindexes := r.host.Programs.Attached()
	former := g.found
	g.found = make(map[int][]Neighbour, len(ifindexes))
	for _, ifindex := range ifindexes {
		g.found[ifindex] = former[ifindex]
	}
	bounds := map[int]footprint.SuperPackets{}
	var failures []error
	for range min(len(ifindexes), guardBatch) {
		g.next = (g.next + 1) % len(ifindexes)
		found, err := r.lookAt(ifindexes[g.next], bounds)
		g.found[ifindexes[g.next]] = found
		failures = append(failures, err)
	}
	var all []Neighbour
	for _, ifindex := range ifindexes {
		all = append(all, g.found[ifindex]...)
	}
	r.host.Inbox.Post(func() {
		r.setNeighbours(all)
		r.host.Endpoints.PutSuperPacketsBack(bounds)
	})
	return errors.Join(failures...)
}

func (r *Reconciler) lookAt(ifindex int, bounds map[int]footprint.SuperPackets) ([]Neighbour, error) {
	own, restored, err := r.host.Programs.PutBack(ifindex)
	if err != nil {
		return nil, err
	}
	device, err := r.links.Link(ifindex)
	if err != nil {
		return nil, nil // it has gone
	}
	bounds[ifindex] = footprint.SuperPacketsOf(device.Attrs())
	name := device.Attrs().Name
	if restored {
		r.host.Log.Warn("programs or pins had been taken away, and are back", "interface", name)
	}
	occupants, err := r.guard.hooks.Of(device)
	if err != nil {
		return nil, err
	}
	return neighboursOf(name, occupants, own), nil
}

// neighboursOf are the occupants that are not the agent's own.
func neighboursOf(name string, occupants []hooks.Occupant, own []ebpf.ProgramID) []Neighbour {
	isOwn := func(o hooks.Occupant) bool { return slices.Contains(own, o.ID) }
	var found []Neighbour
	for i, o := range occupants {
		if isOwn(o) {
			continue
		}
		before := slices.ContainsFunc(occupants[i:], func(later hooks.Occupant) bool {
			return isOwn(later) && (later.Hook == o.Hook || later.Hook == hooks.Ingress)
		})
		found = append(found, Neighbour{name, o, before})
	}
	return found
}

func (r *Reconciler) setNeighbours(all []Neighbour) {
	for _, n := range all {
		if !slices.Contains(r.guard.neighbours, n) {
			r.host.Log.Warn("another program at an interface", "interface", n.Interface, "program", n.Occupant.String(),
				"beforeOurs", n.Before)
		}
	}
	r.guard.neighbours = all
}

// Neighbours are the programs and filters of others at the interfaces; for the engine's goroutine.
func (r *Reconciler) Neighbours() []Neighbour { return r.guard.neighbours }

// NotEnforced says for each program that runs before the agent's what that means.
func (n Neighbour) NotEnforced() string {
	return fmt.Sprintf("%s: %s runs before Sluice's program, which never sees what that passes, drops or redirects: it is "+
		"neither limited nor filtered. Attach it behind (without an anchor), or detach it: bpftool net show dev %s",
		n.Interface, n.Occupant, n.Interface)
}
