// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// ErrTooManyPorts is why an endpoint is controlled for no more.
var ErrTooManyPorts = fmt.Errorf("%d ports are controlled already for this endpoint; "+
	"the least congested should be given up by the controller", model.MaxGroups)

// beyondNanos is how long a port about which only notices come is held to be congested after the last one.
const beyondNanos = int64(time.Second)

// beyond is a congested port that no group is left for, and what lies behind it.
type beyond struct {
	// named by a controller, joined by their own agents.
	named, joined []netip.Addr
	// untilNanos: the port is held to be congested until then; 0: until it is removed.
	untilNanos int64
}

// beyondOf is what is kept of a port that no group is left for.
func (e *Endpoint) beyondOf(port model.Port) *beyond {
	b := e.beyond[port]
	if b == nil {
		b = &beyond{}
		if e.beyond == nil {
			e.beyond = map[model.Port]*beyond{}
		}
		e.beyond[port], e.regrouped = b, true
	}
	return b
}

// setBeyond takes what a controller names behind such a port.
func (e *Endpoint) setBeyond(port model.Port, destinations []netip.Addr, untilNanos int64) {
	b := e.beyondOf(port)
	if len(b.joined) > 0 || !slices.Equal(b.named, destinations) {
		e.regrouped = true
	}
	*b = beyond{named: destinations, untilNanos: untilNanos}
}

// joinBeyond puts a destination behind such a port, as its agent reports.
func (e *Endpoint) joinBeyond(port model.Port, destination netip.Addr) {
	b := e.beyondOf(port)
	b.untilNanos = 0
	if !b.holds(destination) {
		b.joined, e.regrouped = append(b.joined, destination), true
	}
}

// leaveBeyond takes a destination out of what lies behind such ports, as far as its agent put it there.
func (e *Endpoint) leaveBeyond(destination netip.Addr) {
	for port, b := range e.beyond {
		at := slices.Index(b.joined, destination)
		if at < 0 {
			continue
		}
		b.joined, e.regrouped = slices.Delete(b.joined, at, at+1), true
		if len(b.joined)+len(b.named) == 0 {
			delete(e.beyond, port)
		}
	}
}

// endBeyond is for a port that has a group, or is not congested any more.
func (e *Endpoint) endBeyond(port model.Port) {
	if _, is := e.beyond[port]; is {
		delete(e.beyond, port)
		e.regrouped = true
	}
}

func (e *Endpoint) expireBeyond(nowNanos int64) {
	for port, b := range e.beyond {
		if b.untilNanos != 0 && nowNanos >= b.untilNanos {
			e.endBeyond(port)
		}
	}
}

func (b *beyond) holds(destination netip.Addr) bool {
	return slices.Contains(b.named, destination) || slices.Contains(b.joined, destination)
}

// IsBeyond reports whether a destination is behind a congested port that no group is left for: nobody limits what
// goes there.
func (e *Endpoint) IsBeyond(destination netip.Addr) bool {
	for _, b := range e.beyond {
		if b.holds(destination) {
			return true
		}
	}
	return false
}

// PortsBeyond are the congested ports that no group is left for, in order.
func (e *Endpoint) PortsBeyond() []model.Port { return slices.Sorted(maps.Keys(e.beyond)) }

// Regrouped reports whether destinations may obey other groups, or be beyond control or not, than when it was called
// last, not counting what a Step changes.
func (e *Endpoint) Regrouped() bool {
	regrouped := e.regrouped
	e.regrouped = false
	return regrouped
}

// Behind yields what lies behind congested ports; one behind several of them more than once.
func (e *Endpoint) Behind() iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		for address, d := range e.destination {
			if d.groups != 0 && !yield(address) {
				return
			}
		}
		for _, b := range e.beyond {
			for _, address := range slices.Concat(b.named, b.joined) {
				if !yield(address) {
					return
				}
			}
		}
	}
}
