// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"math/bits"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// governMargin: another port governs a destination only once it is due less there by one part in so
	// many: packets overtake each other whenever it changes.
	governMargin = 100
	// refreshedNanos: shares are refreshed every 100 ms. Three were missed, and what was measured may
	// have changed.
	refreshedNanos int64 = 300_000_000
	// otherClassSteps is how many steps it takes to learn what goes through a port in other classes.
	otherClassSteps = 8
	// keptPart: however much goes through a port in other classes, what obeys its group keeps one part in
	// so many of what its destinations would have by head.
	keptPart = 2
)

// govern finds the group that a destination obeys, below 0 if there is none: where it is due least, as the
// controller has divided what the endpoint is due there among its destinations.
func (e *Endpoint) govern(d *destination) int {
	lowest := -1
	for rest := d.groups; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		if g := &e.groups[i]; !g.idle && (lowest < 0 || g.pairDue() < e.groups[lowest].pairDue()) {
			lowest = i
		}
	}
	if before := int(d.governor) - 1; lowest >= 0 && before >= 0 && before != lowest && d.groups&(1<<before) != 0 {
		present := &e.groups[before]
		hardlyLess := e.groups[lowest].pairDue() >= present.pairDue()*(1-1.0/governMargin)
		if !present.idle && (hardlyLess || e.carrySame(before, lowest)) {
			lowest = before
		}
	}
	d.governor = uint8(lowest + 1)
	return lowest
}

// add counts an active destination, with the ports that it is behind, but for those of which nothing is
// known yet.
func (g *group) add(behind uint8) {
	if g.active == 0 {
		g.common = behind
	}
	g.common &= behind
	g.active++
}

// carrySame reports whether all that the endpoint sends through one of two ports goes through the other,
// too, and both limit by shares.
func (e *Endpoint) carrySame(one, other int) bool {
	g, o := &e.groups[one], &e.groups[other]
	return g.common&(1<<other) != 0 && o.common&(1<<one) != 0 &&
		!g.idle && g.hasShare() && !o.idle && o.hasShare()
}

// hasShare reports whether the law goes by shares, and has one.
func (g *group) hasShare() bool {
	_, bySharing := g.law.(*TwoTimeScale)
	return bySharing && g.share.UnitShareBitsPerSecond > 0
}

// leastLike is the group of the least share of all that carry the same as this one, at which what obeys it
// is held: nothing changes its class for that, for its queue would drain beside the new one.
func (e *Endpoint) leastLike(port int) *group {
	g := &e.groups[port]
	least := g
	for i := range e.groups {
		if o := &e.groups[i]; i != port && g.obeying > 0 && o.due < least.due && e.carrySame(port, i) {
			least = o
		}
	}
	return least
}

// pairDue is what each destination that wants more is due at a port, bit/s.
func (g *group) pairDue() float64 {
	part := g.terms.PairPart
	if part == 0 {
		part = 1
	}
	return part * g.due
}

// dueAt is what a port is due to give: w u, or the floor where that is more, under the ceiling.
func (e *Endpoint) dueAt(g *group) float64 {
	bounds := e.boundsAt(g)
	share := bounds.Weight * float64(g.share.UnitShareBitsPerSecond)
	if share <= 0 {
		return float64(g.limit)
	}
	return math.Min(float64(bounds.CeilingBitsPerSecond), math.Max(float64(bounds.GuaranteeBitsPerSecond), share))
}

// fresh reports whether the controller is there and publishes what the port is due to give.
func (e *Endpoint) fresh(g *group) bool {
	return !g.relayed && g.share.UnitShareBitsPerSecond > 0 && e.now-g.publishedAt < staleNanos
}

// lentAt is what part of its share may be borrowed at a port; nothing unless the controller measured it
// just now.
func (e *Endpoint) lentAt(g *group) float64 {
	if !e.fresh(g) || e.now-g.publishedAt >= refreshedNanos {
		return 0
	}
	return g.share.LentPart
}

// findLoans: nothing is borrowed at a port for what crosses another one where nothing is lent.
func (e *Endpoint) findLoans() {
	anything := false
	for i := range e.groups {
		g := &e.groups[i]
		g.lentPart = e.lentAt(g)
		anything = anything || g.lentPart > 0
	}
	if !anything {
		return
	}
	for _, d := range e.destination {
		if !d.everSent || d.groups&(d.groups-1) == 0 {
			continue
		}
		if i := e.govern(d); i >= 0 {
			for rest := d.groups; rest != 0; rest &= rest - 1 {
				e.groups[i].lentPart = math.Min(e.groups[i].lentPart, e.lentAt(&e.groups[bits.TrailingZeros8(rest)]))
			}
		}
	}
}

// mayEnd reports whether silence about a port may end its control. Without a controller the last shares
// stay in force; one that is there and has not published a port for long does not control it.
func (e *Endpoint) mayEnd(g *group) bool {
	return g.relayed || g.share.UnitShareBitsPerSecond == 0 ||
		e.hasSession && e.now-max(g.publishedAt, e.sessionAt) >= staleNanos
}

// otherClasses is what an endpoint sends through a port in the classes of other groups, as if no marks
// had cut it: what marks take from one class is not for another.
type otherClasses struct {
	bytes         [model.MaxGroups]uint64 // since the last step, by the group obeyed
	bitsPerSecond float64
}

// measureOtherClasses ends an interval of it. What was offered to a class is no more than the class lets
// through.
func (e *Endpoint) measureOtherClasses(g *group, elapsedNanos int64) {
	if elapsedNanos <= 0 {
		return
	}
	sum := 0.0
	for i, bytes := range g.otherClasses.bytes {
		if bytes == 0 {
			continue
		}
		if other := &e.groups[i]; other.law != nil && other.limit > 0 {
			rate := float64(bytes) * 8e9 / float64(elapsedNanos)
			sum += math.Min(rate/float64(other.limit), 1) * other.due
		}
		g.otherClasses.bytes[i] = 0
	}
	g.otherClasses.bitsPerSecond += (sum - g.otherClasses.bitsPerSecond) / otherClassSteps
}

// left is what remains for those who obey a group, held to the least share of those that carry the same.
func (e *Endpoint) left(g, least *group) uint64 {
	x := float64(g.limit) / math.Max(g.due, 1)
	switch {
	case g.obeying != 0 && g.obeying != g.active:
		kept := least.due * float64(g.obeying) / float64(g.active) / keptPart
		return uint64(math.Max(least.due-g.otherClasses.bitsPerSecond, kept) * x)
	case least == g:
		return g.limit
	default:
		return max(uint64(least.due*x), min(g.limit, e.boundsAt(least).GuaranteeBitsPerSecond))
	}
}
