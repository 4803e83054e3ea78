// SPDX-License-Identifier: Apache-2.0

// Package uplink divides a host's uplink among the tenants that have endpoints there, and a tenant's part
// among its endpoints, so that both hold where the uplink itself is the bottleneck.
//
// The kernel's HTB gives turns to queues, whatever the classes above them: by turns alone a tenant would
// get the more the more queues it fills. So every tenant and endpoint owns its part of the uplink as the
// rate of its class, by weighted max-min with guarantees and ceilings. What an endpoint leaves is its
// tenant's, because HTB borrows from the nearest ancestor that has something left. What a tenant leaves is
// lent in turns, whose length follows the weights of those who send.
package uplink

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// Claim is what an endpoint may claim of the uplink.
type Claim struct {
	Tenant string
	// Weight is the endpoint's part of its tenant's, which is the sum of its endpoints', > 0.
	Weight                 float64
	GuaranteeBitsPerSecond uint64
	CeilingBitsPerSecond   uint64 // > 0
}

// Gate holds endpoints to their limits while their classes move to another tenant's.
type Gate interface {
	Close(endpoint int)
	Open(endpoint int)
}

// Scheduler keeps the uplink's tree as its endpoints' claims want it. Claims are staged by Put and Remove;
// Apply puts all of them into force. Not safe for concurrent use.
type Scheduler struct {
	tree              *htb.Tree
	capacity          uint64
	leastQuantumBytes uint32
	gate              Gate
	endpoints         map[int]*endpoint
	tenants           map[string]*tenant
	// earlier are the numbers of tenants' classes that an earlier agent left.
	earlier  map[string]int
	activity activity
}

// endpoint is one with a claim.
type endpoint struct {
	claim Claim
	// sending is how many of its groups send.
	sending int
	// tenant and part are in force; 0: it has no class yet.
	tenant int
	part   htb.Part
}

// tenant is one with a class.
type tenant struct {
	index int
	part  htb.Part
}

// NewScheduler makes one without endpoints.
func NewScheduler(tree *htb.Tree, capacityBitsPerSecond uint64, mtu int, gate Gate) *Scheduler {
	return &Scheduler{
		tree: tree, capacity: capacityBitsPerSecond, leastQuantumBytes: htb.FrameBytes(mtu), gate: gate,
		endpoints: map[int]*endpoint{}, tenants: map[string]*tenant{},
	}
}

// Inherit gives tenants the numbers that they had with an earlier agent, whose tree is taken over. Nobody else
// gets these until RemoveEarlier.
func (s *Scheduler) Inherit(tenants map[string]int) { s.earlier = maps.Clone(tenants) }

// RemoveEarlier deletes what of an earlier agent's tree has not been taken over.
func (s *Scheduler) RemoveEarlier() error {
	s.earlier = nil
	return s.tree.RemoveEarlier()
}

// Tenants are the numbers of the tenants' classes.
func (s *Scheduler) Tenants() map[string]int {
	numbers := make(map[string]int, len(s.tenants))
	for name, t := range s.tenants {
		numbers[name] = t.index
	}
	return numbers
}

// Put stages the claim of an endpoint, index in [1, htb.MaxClasses].
func (s *Scheduler) Put(index int, claim Claim) error {
	if !(claim.Weight > 0) || claim.CeilingBitsPerSecond == 0 {
		return fmt.Errorf("endpoint %d: weight %v and ceiling %d bit/s must be greater than 0",
			index, claim.Weight, claim.CeilingBitsPerSecond)
	}
	if e := s.endpoints[index]; e != nil {
		e.claim = claim
		return nil
	}
	s.endpoints[index] = &endpoint{claim: claim}
	return nil
}

// Remove deletes the classes of an endpoint with what they still hold, at once; what it had is the others'
// with the next Apply. One that is not there is fine.
func (s *Scheduler) Remove(index int) error {
	delete(s.endpoints, index)
	return s.tree.RemoveEndpoint(index)
}

// Has reports whether an endpoint has its class.
func (s *Scheduler) Has(index int) bool {
	e := s.endpoints[index]
	return e != nil && e.tenant != 0
}

// ShareBitsPerSecond is what an endpoint owns of the uplink.
func (s *Scheduler) ShareBitsPerSecond(index int) uint64 {
	if e := s.endpoints[index]; e != nil {
		return e.part.RateBitsPerSecond
	}
	return 0
}

// Apply has the tree follow the claims. Whoever owns less then gives it up before somebody else owns it, so
// that what is owned never exceeds the capacity. Every change is made, whichever fails.
func (s *Scheduler) Apply() error {
	wanted := divideUplink(s.capacity, s.leastQuantumBytes, s.endpoints)
	indexes := slices.Sorted(maps.Keys(s.endpoints))
	var failures []error
	failed := func(err error) { failures = append(failures, err) }

	for _, index := range indexes {
		if e := s.endpoints[index]; e.tenant != 0 && !raises(e.part, wanted.endpoints[index]) {
			failed(s.setEndpoint(index, e, wanted.endpoints[index]))
		}
	}
	failed(s.setTenants(wanted.tenants))
	failed(s.move())
	for _, index := range indexes {
		e := s.endpoints[index]
		if e.tenant == 0 {
			failed(s.addEndpoint(index, e, wanted.endpoints[index]))
		} else {
			failed(s.setEndpoint(index, e, wanted.endpoints[index]))
		}
	}
	failed(s.removeTenants(wanted.tenants))
	return errors.Join(failures...)
}

func raises(have, want htb.Part) bool { return want.RateBitsPerSecond > have.RateBitsPerSecond }

func (s *Scheduler) addEndpoint(index int, e *endpoint, part htb.Part) error {
	in := s.tenants[e.claim.Tenant]
	if in == nil {
		return fmt.Errorf("endpoint %d: its tenant %q has no class", index, e.claim.Tenant)
	}
	if err := s.tree.AddEndpoint(index, in.index, part); err != nil {
		return err
	}
	e.tenant, e.part = in.index, part
	return nil
}

// quantumTolerance: turns may be off by one part in so many before they are changed. Of many endpoints some
// begin or end to send all the time.
const quantumTolerance = 32

func (s *Scheduler) setEndpoint(index int, e *endpoint, part htb.Part) error {
	have, want := e.part.QuantumBytes, part.QuantumBytes
	if (max(have, want)-min(have, want))*quantumTolerance <= have {
		part.QuantumBytes = have
	}
	if e.part == part {
		return nil
	}
	if err := s.tree.SetEndpoint(index, part); err != nil {
		return err
	}
	e.part = part
	return nil
}

// setTenants makes the classes that are missing, and gives every tenant its part: first to those who then
// own less.
func (s *Scheduler) setTenants(wanted map[string]htb.Part) error {
	s.rename(wanted)
	names := slices.Sorted(maps.Keys(wanted))
	var failures []error
	for _, rising := range []bool{false, true} {
		for _, name := range names {
			t, part := s.tenants[name], wanted[name]
			if t == nil || t.part == part || raises(t.part, part) != rising {
				continue
			}
			err := s.tree.SetTenant(t.index, part)
			if err == nil {
				t.part = part
			}
			failures = append(failures, err)
		}
	}
	for _, name := range names {
		if s.tenants[name] == nil {
			failures = append(failures, s.addTenant(name, wanted[name]))
		}
	}
	return errors.Join(failures...)
}

// rename gives the class of a tenant whose endpoints all became another's, which has no class, to that one:
// nothing has to move.
func (s *Scheduler) rename(wanted map[string]htb.Part) {
	heirs := map[int]map[string]bool{}
	for _, e := range s.endpoints {
		if e.tenant != 0 {
			if heirs[e.tenant] == nil {
				heirs[e.tenant] = map[string]bool{}
			}
			heirs[e.tenant][e.claim.Tenant] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.tenants)) {
		t := s.tenants[name]
		if _, stays := wanted[name]; stays || len(heirs[t.index]) != 1 {
			continue
		}
		for heir := range heirs[t.index] {
			if s.tenants[heir] == nil {
				delete(s.tenants, name)
				s.tenants[heir] = t
			}
		}
	}
}

// addTenant takes the number that an earlier agent had for it, else the least that is free.
func (s *Scheduler) addTenant(name string, part htb.Part) error {
	index := s.freeNumber(name)
	if index == 0 {
		return fmt.Errorf("tenant %q: the uplink has %d tenants already, and takes no more", name, htb.MaxClasses)
	}
	if err := s.tree.AddTenant(index, part); err != nil {
		return fmt.Errorf("tenant %q: %w", name, err)
	}
	s.tenants[name] = &tenant{index: index, part: part}
	return nil
}

// freeNumber is 0 where there is none: then tenants without endpoints have them, which an earlier agent left.
func (s *Scheduler) freeNumber(name string) int {
	used := map[int]bool{}
	for _, t := range s.tenants {
		used[t.index] = true
	}
	if index := s.earlier[name]; index >= 1 && index <= htb.MaxClasses && !used[index] {
		return index
	}
	for _, index := range s.earlier {
		used[index] = true
	}
	for index := 1; index <= htb.MaxClasses; index++ {
		if !used[index] {
			return index
		}
	}
	return 0
}

// removeTenants deletes the classes of tenants without endpoints.
func (s *Scheduler) removeTenants(wanted map[string]htb.Part) error {
	var failures []error
	for name, t := range s.tenants {
		if _, stays := wanted[name]; stays {
			continue
		}
		err := s.tree.RemoveTenant(t.index)
		if err == nil {
			delete(s.tenants, name)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// move puts the classes of endpoints that became another tenant's below that one's.
func (s *Scheduler) move() error {
	moves := map[int]int{}
	for index, e := range s.endpoints {
		if t := s.tenants[e.claim.Tenant]; e.tenant != 0 && t != nil && e.tenant != t.index {
			moves[index] = t.index
		}
	}
	if len(moves) == 0 {
		return nil
	}
	for index := range moves {
		s.gate.Close(index)
		defer s.gate.Open(index)
	}
	if err := s.tree.MoveEndpoints(moves); err != nil {
		return err
	}
	for index, tenant := range moves {
		s.endpoints[index].tenant = tenant
	}
	return nil
}
