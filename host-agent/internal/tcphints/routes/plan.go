// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
)

// plan is what makes a table what hints want it to be.
type plan struct {
	changes   []*route // metrics of the table's own
	additions []*route // ours that are missing, or differ
	removals  []*route // ours that are left over
	// journal has every route whose metrics are ours, or are about to be; remaining those that are so afterwards.
	journal, remaining []ChangedRoute
	// isUsed: afterwards some route is changed or ours.
	isUsed bool
	// bearers are the hints of each route that has some; leftAlone are those that cannot.
	bearers   map[Key][]int
	leftAlone []string

	table   []*route
	set     *hintset.Set
	changed map[Key]*ChangedRoute
	loaded  []string // congestion controls
	// alike are how many routes, ours apart, the table has with a key.
	alike map[Key]int
	// own are values that the table's routes have without hints, wanted those that they shall have.
	own, wanted map[*route]Values
}

func newPlan(table []*route, set *hintset.Set, changed []ChangedRoute, loaded []string) *plan {
	p := &plan{
		bearers: map[Key][]int{}, table: table, set: set, changed: map[Key]*ChangedRoute{}, loaded: loaded,
		alike: map[Key]int{}, own: map[*route]Values{}, wanted: map[*route]Values{},
	}
	for _, r := range table {
		if !r.isOurs() {
			p.alike[r.key]++
		}
	}
	for i := range changed {
		p.changed[changed[i].Key] = &changed[i]
	}
	p.planChanges()
	p.planAdditions()
	p.isUsed = p.isUsed || len(p.remaining) > 0
	return p
}

// isNeeded reports whether there is anything to undo now or on the way.
func (p *plan) isNeeded() bool { return p.isUsed || len(p.journal) > 0 || len(p.removals) > 0 }

// counts are how many routes have each hint.
func (p *plan) counts() map[int]int {
	counts := map[int]int{}
	for _, hints := range p.bearers {
		for _, i := range hints {
			counts[i]++
		}
	}
	return counts
}

// valuesOf are the metrics of hints.
func valuesOf(parameters hintset.Parameters) Values {
	values := Values{InitialWindowSegments: parameters.InitialWindowSegments, CongestionControl: parameters.CongestionControl}
	if parameters.RtoMinNanos > 0 {
		const unit = uint64(time.Millisecond)
		values.RtoMinMillis, values.RtoMinLocked = uint32((parameters.RtoMinNanos+unit-1)/unit), true
	}
	return values
}

// planChanges is about the metrics of routes that are not ours. Of several with one key the kernel uses the first.
func (p *plan) planChanges() {
	seen := map[Key]bool{}
	for _, r := range p.table {
		if r.isOurs() || !r.isUsable() || seen[r.key] {
			continue
		}
		seen[r.key] = true
		if p.leavesAlone(r) {
			p.own[r], p.wanted[r] = r.values, r.values
			continue
		}
		given, own, before := r.values, r.values, p.changed[r.key]
		if before != nil {
			if ours, is := before.given(r.values, p.loaded); is {
				given, own = ours, before.Before
			}
		}
		found := p.set.At(r.key.Destination)
		wanted := valuesOf(found.Parameters).over(own)
		p.own[r], p.wanted[r] = own, wanted
		p.bear(r.key, found)
		if wanted != own {
			entry := ChangedRoute{Key: r.key, Before: own, Ours: []Values{wanted}}
			p.remaining = append(p.remaining, entry)
			if given != own && given != wanted {
				entry.Ours = []Values{given, wanted}
			}
			p.journal = append(p.journal, entry)
		} else if given != own {
			p.journal = append(p.journal, *before)
		}
		if r.values != wanted || given != wanted {
			p.changes = append(p.changes, r.with(wanted))
		}
	}
}

// leavesAlone reports whether a route of IPv6 cannot be changed in place, and notes why if hints cover it.
func (p *plan) leavesAlone(r *route) bool {
	if r.key.Destination.Addr().Is4() {
		return false
	}
	if isOfLinks(r.key.Destination.Addr()) {
		return true
	}
	reason := ""
	switch {
	case r.expires || r.header.Protocol == unix.RTPROT_RA:
		reason = "is a router's advertisement, and would not end with it"
	case p.alike[r.key] > 1:
		reason = "has others with the same destination and metric"
	default:
		return false
	}
	if valuesOf(p.set.At(r.key.Destination).Parameters) != (Values{}) {
		p.leftAlone = append(p.leftAlone, fmt.Sprintf("route to %s %s", r.key.Destination, reason))
	}
	return true
}

// isOfLinks reports whether IPv6 has a route to an address for each device, which leads nowhere beyond its link.
func isOfLinks(address netip.Addr) bool {
	return address.Is6() && (address.IsLinkLocalUnicast() || address.IsMulticast())
}

// bear notes which hints a route has; a rate is none that routes could have.
func (p *plan) bear(key Key, found hintset.Found) {
	if valuesOf(found.Parameters) == (Values{}) {
		return
	}
	for _, i := range found.Hints {
		if !slices.Contains(p.bearers[key], i) {
			p.bearers[key] = append(p.bearers[key], i)
		}
	}
}

// planAdditions is about prefixes for which there is no route of their own, but a wider one.
func (p *plan) planAdditions() {
	wanted := map[Key]*route{}
	for _, prefix := range p.set.Prefixes() {
		if prefix.Bits() == 0 || isOfLinks(prefix.Addr()) {
			continue // a default route has the metrics itself
		}
		wide := p.narrowest(prefix)
		if wide == nil || wide.key.Destination == prefix {
			continue
		}
		found := p.set.At(prefix)
		values := valuesOf(found.Parameters).over(p.own[wide])
		if values == p.wanted[wide] {
			p.bear(wide.key, found)
			continue
		}
		own := wide.towards(prefix, values)
		wanted[own.key] = own
		p.bear(own.key, found)
	}
	p.isUsed = len(wanted) > 0
	for _, r := range p.table {
		if !r.isOurs() {
			continue
		}
		switch own := wanted[r.key]; {
		case own == nil:
			p.removals = append(p.removals, r)
		case own.equal(r):
			delete(wanted, r.key)
		}
	}
	for _, own := range wanted {
		p.additions = append(p.additions, own)
	}
}

// narrowest is the route that packets to a prefix take without ours; nil if they cannot be sent, or are treated by
// their type of service.
func (p *plan) narrowest(prefix netip.Prefix) *route {
	var best *route
	for _, r := range p.table {
		if r.isOurs() || r.key.Service != 0 || !covers(r.key.Destination, prefix) {
			continue
		}
		if best == nil || r.key.Destination.Bits() > best.key.Destination.Bits() ||
			r.key.Destination.Bits() == best.key.Destination.Bits() && r.key.Priority < best.key.Priority {
			best = r
		}
	}
	if best == nil || !best.isUsable() {
		return nil
	}
	return best
}
