// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Control is the congested ports that an endpoint is controlled for, and the laws that decide its limits.
type Control struct {
	kind model.LawKind
	// host is for laws that go by nothing else.
	host func() law.Host

	laws  *law.Endpoint
	ports map[model.Port]controlledPort
	// beyond are ports of them that the laws have no group left for, and until when; 0: until they are
	// released.
	beyond map[model.Port]int64
	// regrouped: destinations may belong to other groups since they were assigned last.
	regrouped bool
	// returned are the marks that came back from each destination, under HyGenICC's law.
	returned map[netip.Addr]uint64
	faults   *faults.Log
}

// controlledPort is what controllers published last about a port: its share, what lies behind it, and
// the endpoint's terms there; or what the agents of destinations relayed.
type controlledPort struct {
	share        model.UnitShare
	destinations []netip.Addr
	terms        model.Terms
	// relayed: no controller has published the share to this host.
	relayed bool
	// joined are those of destinations whose agents named the port, not a controller.
	joined []netip.Addr
}

func newControl(kind model.LawKind, host func() law.Host, bounds model.Bounds, faults *faults.Log) *Control {
	c := &Control{
		host:  host,
		ports: map[model.Port]controlledPort{}, beyond: map[model.Port]int64{},
		returned: map[netip.Addr]uint64{}, faults: faults,
	}
	c.reset(kind, bounds)
	return c
}

// reset forgets what the laws had observed and starts them anew from the last shares.
func (c *Control) reset(kind model.LawKind, bounds model.Bounds) {
	c.kind = kind
	c.laws = law.NewEndpoint(func() model.Law { return law.New(kind, c.host()) }, bounds)
	clear(c.beyond)
	for port, p := range c.ports {
		if p.share.UnitShareBitsPerSecond == 0 {
			delete(c.ports, port) // known from notices alone, which are void now
			continue
		}
		if !p.relayed {
			err := c.laws.SetShare(p.share, p.destinations, p.terms)
			c.addBeyond(port, err, 0)
			c.faults.Report("apply a unit share", err)
		}
		for _, destination := range p.joined {
			_, err := c.laws.SetRelayedShare(p.share, destination)
			c.addBeyond(port, err, 0)
			c.faults.Report("apply a relayed share", err)
		}
	}
	c.regrouped = true
}

// setShare takes the share of a port from a controller.
func (c *Control) setShare(share model.UnitShare, published model.ControlledEndpoint) error {
	share.Endpoints, share.Reached = nil, nil
	if !slices.Equal(c.ports[share.Port].destinations, published.Destinations) {
		c.regrouped = true
	}
	c.ports[share.Port] = controlledPort{share: share, destinations: published.Destinations, terms: published.Terms}
	for _, destination := range published.Destinations {
		c.Forget(destination) // what was relayed about it: the controller has its path
	}
	err := c.laws.SetShare(share, published.Destinations, published.Terms)
	if !c.addBeyond(share.Port, err, 0) {
		c.endBeyond(share.Port)
	}
	return err
}

// beyondNanos is how long a port about which only notices come is held to be congested after the last one.
const beyondNanos = int64(time.Second)

// addBeyond reports whether the laws had no group left for a port: what goes there then is not to be
// decide about.
func (c *Control) addBeyond(port model.Port, err error, untilNanos int64) bool {
	if !errors.Is(err, law.ErrTooManyPorts) {
		return false
	}
	if _, known := c.beyond[port]; !known {
		c.regrouped = true
	}
	c.beyond[port] = untilNanos
	return true
}

// endBeyond is for a port that the laws have a group for.
func (c *Control) endBeyond(port model.Port) {
	if _, known := c.beyond[port]; known {
		delete(c.beyond, port)
		c.regrouped = true
	}
}

// expireBeyond ends what was to be until an instant that has passed.
func (c *Control) expireBeyond(nowNanos int64) {
	for port, until := range c.beyond {
		if until != 0 && nowNanos >= until {
			c.endBeyond(port)
		}
	}
}

// isBeyond reports whether a destination is behind a port that the laws have no group for.
func (c *Control) isBeyond(destination netip.Addr) bool {
	for port := range c.beyond {
		if slices.Contains(c.ports[port].destinations, destination) {
			return true
		}
	}
	return false
}

// portsBeyond are the ports that the laws have no group for, in order.
func (c *Control) portsBeyond() []model.Port { return slices.Sorted(maps.Keys(c.beyond)) }

// SetRelayedShare takes the share of a port from a destination's agent; SDN-GCC's law has none. The
// controller's own share holds over it; the destination joins until the controller publishes who is
// behind the port. A controller that still publishes has named all ports on the path to a destination
// that it has named: another one is not taken.
func (c *Control) SetRelayedShare(share model.UnitShare, destination netip.Addr) error {
	if c.kind != model.TwoTimeScale {
		return nil
	}
	taken, err := c.laws.SetRelayedShare(share, destination)
	if taken {
		c.endBeyond(share.Port)
	} else if !c.addBeyond(share.Port, err, 0) {
		return err
	}
	p := c.ports[share.Port]
	if p.share.UnitShareBitsPerSecond == 0 {
		p.relayed = true
	}
	if p.relayed {
		p.share = share
	}
	if !slices.Contains(p.destinations, destination) {
		// A new slice: the old one may be the controller's.
		p.destinations = append(slices.Clone(p.destinations), destination)
		p.joined = append(p.joined, destination)
		c.regrouped = true
	}
	c.ports[share.Port] = p
	return err
}

// Notify takes a notice. Under Sluice's law what lies behind the port is published with its share.
func (c *Control) Notify(nowNanos int64, notice model.Notice) error {
	p := c.ports[notice.Port]
	if c.kind == model.TwoTimeScale && p.share.UnitShareBitsPerSecond > 0 {
		return c.laws.Notify(nowNanos, notice)
	}
	if !slices.Equal(p.destinations, notice.Destinations) {
		c.regrouped = true
	}
	p.destinations = notice.Destinations
	c.ports[notice.Port] = p
	err := c.laws.Notify(nowNanos, notice)
	if !c.addBeyond(notice.Port, err, nowNanos+beyondNanos) {
		c.endBeyond(notice.Port)
	}
	return err
}

// SetRoundTrip takes RTT_base to a destination.
func (c *Control) SetRoundTrip(destination netip.Addr, nanos int64) {
	c.laws.SetRoundTrip(destination, nanos)
}

// HasSent reports whether the endpoint sends to a destination.
func (c *Control) HasSent(destination netip.Addr) bool { return c.laws.HasSent(destination) }

// Sent takes bytes that left for a destination.
func (c *Control) Sent(nowNanos int64, destination netip.Addr, bytes uint64) {
	if c.kind == model.HyGenIcc {
		c.gather(destination, false)
	}
	c.laws.Sent(nowNanos, destination, bytes)
}

// gather has a destination obey the one rate of a law that does not distinguish ports.
func (c *Control) gather(destination netip.Addr, marked bool) {
	joined, err := c.laws.Gather(destination, c.host().NICBitsPerSecond, marked)
	c.faults.Report("control a destination", err)
	if !joined {
		return
	}
	p := c.ports[model.AnyPort]
	p.destinations, p.joined = append(p.destinations, destination), append(p.joined, destination)
	c.ports[model.AnyPort] = p
	c.regrouped = true
}

// Feedback takes what a destination's agent reported since its last report.
func (c *Control) Feedback(destination netip.Addr, packets, cePackets, bytes uint64) {
	if c.kind == model.HyGenIcc {
		c.gather(destination, cePackets > 0)
		c.returned[destination] += cePackets
	}
	c.laws.Feedback(destination, packets, cePackets, bytes)
}

// ReturnedMarks are those that came back from a destination, under HyGenICC's law.
func (c *Control) ReturnedMarks(destination netip.Addr) uint64 { return c.returned[destination] }

// release ends the control of a port.
func (c *Control) release(port model.Port) {
	if _, controlled := c.ports[port]; !controlled {
		return
	}
	delete(c.ports, port)
	delete(c.beyond, port)
	c.laws.Remove(port)
	c.regrouped = true
}

// Forget takes a destination out of the control of all ports that its agent named.
func (c *Control) Forget(destination netip.Addr) {
	delete(c.returned, destination)
	for port, p := range c.ports {
		at := slices.Index(p.joined, destination)
		if at < 0 {
			continue
		}
		p.joined = slices.Delete(p.joined, at, at+1)
		p.destinations = slices.DeleteFunc(slices.Clone(p.destinations),
			func(other netip.Addr) bool { return other == destination })
		if p.relayed && len(p.destinations) == 0 {
			c.release(port)
			continue
		}
		c.ports[port] = p
		c.laws.Leave(port, destination)
		c.regrouped = true
	}
}
