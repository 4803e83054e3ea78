// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"maps"
	"math/bits"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// DefaultActiveNanos is how long a destination counts as active after the last byte sent to it:
// 2 max(T_i, 100 ms), as the controller reckons active pairs.
const DefaultActiveNanos int64 = 200_000_000

// recountNanos bounds how often active destinations are counted for the guarantee's split.
const recountNanos int64 = 50_000_000

// Endpoint puts the laws of one endpoint's congested ports together. A destination that lies
// behind several controlled ports obeys the one where it is due least, and its marks, which do not name the
// port that set them, count for that one: at rest there are none, and any is a reason to send less
// (docs/two-time-scale-law.md, "Several ports"). What it sends counts for every port that it crosses. The
// floor of a group is the one that the controller published (promised deadlines are in it beside the
// guarantee), never over the ceiling; where it published none, the guarantee is spread over active
// destinations.
//
// It alone decides which port has which group, what is known of the port, and what lies behind it: classes
// and programs have a place for each group, no more.
//
// Use: on every feedback Feedback, on every reading of counters Sent, every tau Step, then read
// Group and Governing. One goroutine; no method allocates except SetShare, SetRelayedShare and Notify
// when they bring new ports or destinations.
type Endpoint struct {
	newLaw      func() model.Law
	bounds      model.Bounds
	groups      [model.MaxGroups]group
	destination map[netip.Addr]*destination
	// beyond are congested ports that no group is left for.
	beyond    map[model.Port]*beyond
	regrouped bool
	recountAt int64
	active    int   // of all destinations
	now       int64 // as of the last Step
	// hasSession: a controller is there, since sessionAt or earlier.
	hasSession bool
	sessionAt  int64
}

// group is one congested port; free when law is nil.
type group struct {
	port        model.Port
	law         model.Law
	limit       uint64
	due         float64 // what the endpoint is due there, marks and loans aside, bit/s
	lentPart    float64 // what part of that may be borrowed at all ports on the way of what obeys the group
	interval    model.Interval
	share       model.UnitShare // the last one, to reactivate the group with; zero if there was none
	terms       model.Terms     // as the controller published them with the share
	relayed     bool            // the share came from a receiver's agent, not from the controller
	publishedAt int64           // by when the controller had published the share, unless relayed
	idle        bool            // limits nothing until a mark or a share comes
	lastStep    int64
	stepped     bool
	active      int   // destinations behind the port with traffic
	obeying     int   // those of them that obey this group
	common      uint8 // bit i: all of them are behind the port of groups[i], too
	queueing    time.Duration
	lastMarks   float64
	// otherClasses is what goes through the port in the classes of other groups.
	otherClasses otherClasses
}

// destination is one address that the endpoint sends to.
type destination struct {
	groups   uint8 // bit i: behind the port of groups[i]
	joined   uint8 // those of groups that no controller has put it behind, but its agent or the law
	governor uint8 // 1 more than the group whose limit held last; 0: none
	sentAt   int64
	everSent bool
}

// GroupState is what a group holds after a Step.
type GroupState struct {
	Port model.Port
	// LimitBitsPerSecond is in force for what obeys the group: what the endpoint may send through Port,
	// less what goes there in the classes of other groups.
	LimitBitsPerSecond uint64
	// CEShare is the part of reported packets, of what obeys the group, that carried CE in the last
	// interval with any.
	CEShare float64
	// LeastPort is the one whose share limits: Port, or another one that carries the same and gives less.
	LeastPort model.Port
	// Idle groups limit nothing.
	Idle bool
	// Relayed by a receiver's agent; the controller has not published the port's share.
	Relayed bool
	// Queueing is how long packets of what obeys the group may stand in the queues of the congested
	// ports that they cross.
	Queueing time.Duration
}

// NewEndpoint makes an endpoint without limits. newLaw makes one law per congested port, until Restart always the same.
func NewEndpoint(newLaw func() model.Law, bounds model.Bounds) *Endpoint {
	return &Endpoint{newLaw: newLaw, bounds: bounds, destination: map[netip.Addr]*destination{}}
}

// Restart forgets what the laws had observed and has new ones begin from the last shares. Ports that are known from
// notices alone are given up.
func (e *Endpoint) Restart(bounds model.Bounds) {
	e.bounds, e.recountAt, e.active, e.regrouped = bounds, 0, 0, true
	maps.DeleteFunc(e.beyond, func(_ model.Port, b *beyond) bool { return b.untilNanos != 0 })
	for i, g := range e.groups {
		if g.share.UnitShareBitsPerSecond == 0 {
			e.free(i)
			continue
		}
		e.groups[i] = group{port: g.port, share: g.share, terms: g.terms, relayed: g.relayed, publishedAt: g.publishedAt}
		e.activate(&e.groups[i])
		e.groups[i].law.SetShare(g.share)
	}
	for address, d := range e.destination {
		*d = destination{groups: d.groups, joined: d.joined}
		if d.groups == 0 {
			delete(e.destination, address)
		}
	}
}

// SetSession takes that a session with a controller has begun, or that there is none any more.
func (e *Endpoint) SetSession(open bool) { e.hasSession, e.sessionAt = open, e.now }

// SetBounds changes the endpoint's own policy; its guarantee is for all destinations together.
func (e *Endpoint) SetBounds(bounds model.Bounds) {
	e.bounds = bounds
	for i := range e.groups {
		if e.groups[i].law != nil {
			e.bound(&e.groups[i])
		}
	}
}

// SetShare starts, renews or (Expired) ends the control of a port for this endpoint. destinations
// is the full set behind the port, terms what the controller published with it. What was relayed about
// these destinations ends: the controller has their paths. It fails when model.MaxGroups ports are in force
// already; the port is beyond control then.
func (e *Endpoint) SetShare(share model.UnitShare, destinations []netip.Addr, terms model.Terms) error {
	if share.Expired {
		e.Remove(share.Port)
		return nil
	}
	for _, address := range destinations {
		e.leaveJoined(address, share.Port)
		e.leaveBeyond(address)
	}
	index, err := e.groupOf(share.Port)
	if err != nil {
		e.setBeyond(share.Port, destinations, 0)
		return err
	}
	g := &e.groups[index]
	e.name(index, destinations)
	e.setTerms(g, terms)
	if g.idle {
		e.activate(g)
	}
	g.relayed, g.publishedAt = false, e.now
	g.setShare(share)
	return nil
}

// Notify hands a notice to the law of its port, which it starts if needed. Under Sluice's law what lies
// behind the port, and the floor, are published with the share; a notice may name only those that were
// marked. Under SDN-GCC's law notices name the destinations, and no floors: the endpoint's own split
// holds; a port for which no group is left is beyond control for a while.
func (e *Endpoint) Notify(nowNanos int64, notice model.Notice) error {
	index, err := e.groupOf(notice.Port)
	if err != nil {
		if b := e.beyond[notice.Port]; b == nil || b.untilNanos != 0 {
			e.setBeyond(notice.Port, notice.Destinations, nowNanos+beyondNanos)
		}
		return err
	}
	g := &e.groups[index]
	if !g.hasShare() {
		e.name(index, notice.Destinations)
		e.setTerms(g, model.Terms{})
		if g.idle {
			e.activate(g)
		}
	} else if g.idle && notice.Marks > 0 {
		e.reactivate(g)
	}
	g.law.Notify(nowNanos, notice)
	if notice.Packets > 0 {
		g.lastMarks = min(notice.Marks/notice.Packets, 1)
	}
	return nil
}

// Remove ends the control of a port.
func (e *Endpoint) Remove(port model.Port) {
	if i := e.find(port); i >= 0 {
		e.free(i)
	} else {
		e.endBeyond(port)
	}
}

func (e *Endpoint) free(i int) {
	if e.groups[i].law == nil {
		return
	}
	for address, d := range e.destination {
		d.leave(i)
		if d.groups == 0 && !d.everSent {
			delete(e.destination, address)
		}
	}
	e.groups[i] = group{}
	e.regrouped = true
}

// Feedback adds what a receiver reported: marks to the group that the destination obeys. Where all of
// its groups are idle a mark reactivates them: with the controller gone their last shares are what there
// is to go by.
func (e *Endpoint) Feedback(to netip.Addr, packets, cePackets uint64) {
	d := e.destination[to]
	if d == nil {
		return
	}
	governor := e.govern(d)
	if governor < 0 && cePackets > 0 {
		e.reactivateAll(d)
		governor = e.govern(d)
	}
	if governor < 0 {
		// Nothing limits it: what its idle groups observe is only to be shown.
		for rest := d.groups; rest != 0; rest &= rest - 1 {
			e.groups[bits.TrailingZeros8(rest)].interval.Packets += packets
		}
		return
	}
	g := &e.groups[governor]
	g.interval.Packets += packets
	g.interval.CEPackets += cePackets
}

func (e *Endpoint) reactivateAll(d *destination) {
	for rest := d.groups; rest != 0; rest &= rest - 1 {
		if g := &e.groups[bits.TrailingZeros8(rest)]; g.share.UnitShareBitsPerSecond > 0 {
			e.reactivate(g)
		}
	}
}

// Sent adds bytes that left for a destination, controlled or not.
func (e *Endpoint) Sent(nowNanos int64, to netip.Addr, bytes uint64) {
	if bytes == 0 {
		return
	}
	d := e.destination[to]
	if d == nil {
		d = &destination{}
		e.destination[to] = d
	}
	d.sentAt, d.everSent = nowNanos, true
	governor := e.govern(d)
	for rest := d.groups; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		g := &e.groups[i]
		g.interval.SentBytes += bytes
		if governor >= 0 && governor != i {
			g.otherClasses.bytes[governor] += bytes
		}
	}
}

// HasSent reports whether bytes left for a destination that has not been forgotten.
func (e *Endpoint) HasSent(to netip.Addr) bool {
	d := e.destination[to]
	return d != nil && d.everSent
}

// Step ends an interval for all groups. Bit i of backlogged: the class of group i held
// packets at its end.
func (e *Endpoint) Step(nowNanos int64, backlogged uint8) {
	e.now = nowNanos
	e.expireBeyond(nowNanos)
	if nowNanos >= e.recountAt || nowNanos < e.recountAt-recountNanos {
		e.recount(nowNanos)
	}
	e.findLoans()
	for i := range e.groups {
		g := &e.groups[i]
		if g.law == nil {
			continue
		}
		interval := g.interval
		g.interval = model.Interval{}
		interval.CEPackets = min(interval.CEPackets, interval.Packets)
		if interval.Packets > 0 {
			g.lastMarks = float64(interval.CEPackets) / float64(interval.Packets)
		}
		if g.idle {
			continue
		}
		interval.NowNanos = nowNanos
		if g.stepped {
			interval.ElapsedNanos = nowNanos - g.lastStep
		}
		interval.Backlogged = backlogged&(1<<i) != 0
		interval.LentPart = g.lentPart
		interval.GovernedElsewhere = g.active > 0 && g.obeying == 0 && interval.Packets == 0
		e.measureOtherClasses(g, interval.ElapsedNanos)
		g.limit = g.law.Step(interval)
		g.due = e.dueAt(g)
		g.stepped, g.lastStep = true, nowNanos
		g.idle = g.law.Idle(nowNanos) && e.mayEnd(g)
	}
}

// Group returns the state of group i, 0 <= i < model.MaxGroups; false when it is free.
func (e *Endpoint) Group(i int) (GroupState, bool) {
	g := &e.groups[i]
	if g.law == nil {
		return GroupState{}, false
	}
	least := e.leastLike(i)
	limit := e.left(g, least)
	if g.idle {
		limit = e.bounds.CeilingBitsPerSecond
	}
	return GroupState{g.port, limit, g.lastMarks, least.port, g.idle, g.relayed, g.queueing}, true
}

// Governing returns the group whose limit holds for a destination: that of those that are active where it is
// due least, or one where it is due hardly more and that held before. False: none, only the ceiling holds.
func (e *Endpoint) Governing(to netip.Addr) (int, bool) {
	d := e.destination[to]
	if d == nil {
		return 0, false
	}
	i := e.govern(d)
	return max(i, 0), i >= 0
}

// GroupFloor is the part of an endpoint's guarantee that one group may claim where the controller
// published no floor: equal parts for the destinations that are active, of which activeInGroup lie
// behind the group's port (hose model, the source's side). A group without active destinations is
// reckoned with one, so that its first packets find their floor.
func GroupFloor(guaranteeBitsPerSecond uint64, activeInGroup, activeOverall int) uint64 {
	if activeInGroup < 1 {
		activeInGroup, activeOverall = 1, activeOverall+1
	}
	return uint64(float64(guaranteeBitsPerSecond) * float64(activeInGroup) /
		float64(max(activeOverall, activeInGroup)))
}

// find is the group of a port, below 0 if it has none.
func (e *Endpoint) find(port model.Port) int {
	for i := range e.groups {
		if g := &e.groups[i]; g.law != nil && g.port == port {
			return i
		}
	}
	return -1
}

// groupOf is the group of a port; one that has none takes a free one, or that of an idle port, which is worth less
// than one in need of control.
func (e *Endpoint) groupOf(port model.Port) (int, error) {
	if i := e.find(port); i >= 0 {
		return i, nil
	}
	index := -1
	for i := range e.groups {
		if e.groups[i].law == nil {
			index = i
			break
		}
		if index < 0 && e.groups[i].idle {
			index = i
		}
	}
	if index < 0 {
		return 0, fmt.Errorf("port %q: %w", port, ErrTooManyPorts)
	}
	e.free(index)
	e.endBeyond(port)
	e.groups[index] = group{port: port}
	e.activate(&e.groups[index])
	return index, nil
}

// activate gives a group a new law: what the old one had observed is out of date.
func (e *Endpoint) activate(g *group) {
	g.law = e.newLaw()
	g.idle, g.stepped = false, false
	g.limit = e.bounds.CeilingBitsPerSecond
	g.due = float64(g.limit)
	e.bound(g)
}

// reactivate is for a mark: the group's last share is what there is to go by.
func (e *Endpoint) reactivate(g *group) {
	e.activate(g)
	last := g.share
	last.Stale = true
	g.law.SetShare(last)
}

func (e *Endpoint) setTerms(g *group, terms model.Terms) {
	if g.terms != terms {
		g.terms = terms
		e.bound(g)
	}
}

func (e *Endpoint) bound(g *group) { g.law.SetBounds(e.boundsAt(g)) }

// boundsAt are the endpoint's bounds at a group's port.
func (e *Endpoint) boundsAt(g *group) model.Bounds {
	bounds := e.bounds
	if g.terms.Weight > 0 {
		bounds.Weight = g.terms.Weight
	}
	if g.terms.Floor.Known {
		bounds.GuaranteeBitsPerSecond = min(g.terms.Floor.BitsPerSecond, bounds.CeilingBitsPerSecond)
	} else {
		bounds.GuaranteeBitsPerSecond = GroupFloor(bounds.GuaranteeBitsPerSecond, g.active, e.active)
	}
	return bounds
}

// name makes destinations the full set behind the port of group i.
func (e *Endpoint) name(i int, destinations []netip.Addr) {
	bit, named := uint8(1)<<i, 0
	for _, address := range destinations {
		d := e.behind(address)
		e.regrouped = e.regrouped || d.groups&bit == 0
		d.groups |= bit
		d.joined &^= bit
	}
	for _, d := range e.destination {
		if d.groups&bit != 0 {
			named++
		}
	}
	if named == len(destinations) {
		return
	}
	e.regrouped = true // some are not named any more
	for _, d := range e.destination {
		d.leave(i)
	}
	for _, address := range destinations {
		e.destination[address].groups |= bit
	}
}

// behind is a destination that is, or is about to be, behind some port.
func (e *Endpoint) behind(address netip.Addr) *destination {
	d := e.destination[address]
	if d == nil {
		d = &destination{}
		e.destination[address] = d
	}
	return d
}

// leave takes a destination out of group i.
func (d *destination) leave(i int) {
	d.groups &^= 1 << i
	d.joined &^= 1 << i
}

// setShare gives the law its share, and keeps it to reactivate the group with.
func (g *group) setShare(share model.UnitShare) {
	g.share = share
	g.share.Endpoints, g.share.Reached = nil, nil
	g.law.SetShare(share)
}

// recount counts active destinations, forgets those that are neither named nor active, and gives
// every group its floor.
func (e *Endpoint) recount(nowNanos int64) {
	e.recountAt = nowNanos + recountNanos
	e.active = 0
	stepped := uint8(0)
	for i := range e.groups {
		if e.groups[i].stepped {
			stepped |= 1 << i
		}
		e.groups[i].active, e.groups[i].obeying, e.groups[i].common, e.groups[i].queueing = 0, 0, 0, 0
	}
	for address, d := range e.destination {
		if d.everSent && nowNanos-d.sentAt < DefaultActiveNanos {
			e.active++
			for rest := d.groups; rest != 0; rest &= rest - 1 {
				e.groups[bits.TrailingZeros8(rest)].add(d.groups & stepped)
			}
			if i := e.govern(d); i >= 0 {
				g := &e.groups[i]
				g.obeying++
				g.queueing = max(g.queueing, e.queueing(d))
			}
			continue
		}
		d.everSent = false
		if d.groups == 0 {
			delete(e.destination, address)
		}
	}
	for i := range e.groups {
		if e.groups[i].law != nil {
			e.bound(&e.groups[i])
		}
	}
}
