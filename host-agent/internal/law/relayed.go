// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math/bits"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// SetRelayedShare takes a port's share from the agent of a destination, which relays it where it sees
// marks. Where the controller has published the port's share, that one holds and the destination joins
// until the controller publishes the next; else this starts or renews the control of the port for
// the destination. False: the controller has named the destination behind another port, and not so long
// ago that it may be gone: it names it behind every port on the path, and this one is not. It fails
// when model.MaxGroups ports are in force already; the port is beyond control then.
func (e *Endpoint) SetRelayedShare(share model.UnitShare, destination netip.Addr) (bool, error) {
	if e.isPublishedBehindAnotherPort(destination, share.Port) {
		return false, nil
	}
	index, err := e.groupOf(share.Port)
	if err != nil {
		e.joinBeyond(share.Port, destination)
		return false, err
	}
	g := &e.groups[index]
	e.join(index, destination)
	if g.share.UnitShareBitsPerSecond == 0 {
		g.relayed = true
	}
	if g.relayed {
		if g.idle {
			e.activate(g)
		}
		g.setShare(share)
	}
	return true, nil
}

// isPublishedBehindAnotherPort reports whether the controller still publishes and has named a destination, but not
// behind this port.
func (e *Endpoint) isPublishedBehindAnotherPort(address netip.Addr, port model.Port) bool {
	d := e.destination[address]
	if d == nil {
		return false
	}
	published := false
	for rest := d.groups &^ d.joined; rest != 0; rest &= rest - 1 {
		g := &e.groups[bits.TrailingZeros8(rest)]
		if g.port == port {
			return false
		}
		published = published || e.fresh(g)
	}
	return published
}

// Forget takes a destination out of the control of all ports that its agent named, and ends that of those which
// are known from destinations' agents alone when there is none left.
func (e *Endpoint) Forget(destination netip.Addr) {
	e.leaveJoined(destination, model.Default)
	e.leaveBeyond(destination)
	if d := e.destination[destination]; d != nil && d.groups == 0 && !d.everSent {
		delete(e.destination, destination)
	}
}

// leaveJoined takes a destination out of the groups that it has joined, but for that of one port.
func (e *Endpoint) leaveJoined(address netip.Addr, but model.Port) {
	d := e.destination[address]
	if d == nil {
		return
	}
	for rest := d.joined; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		g := &e.groups[i]
		if g.port == but {
			continue
		}
		d.leave(i)
		e.regrouped = true
		if g.relayed && !e.hasBehind(i) {
			e.free(i)
		}
	}
}

// hasBehind reports whether any destination is behind the port of group i.
func (e *Endpoint) hasBehind(i int) bool {
	for _, d := range e.destination {
		if d.groups&(1<<i) != 0 {
			return true
		}
	}
	return false
}

// join puts a destination behind the port of group i, where no controller has.
func (e *Endpoint) join(i int, address netip.Addr) {
	if d, bit := e.behind(address), uint8(1)<<i; d.groups&bit == 0 {
		d.groups |= bit
		d.joined |= bit
		e.regrouped = true
	}
}
