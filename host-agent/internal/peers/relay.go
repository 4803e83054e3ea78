// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// RelayPauseNanos is between two shares to the agent of a marked source.
const RelayPauseNanos = int64(20 * time.Millisecond)

// shareTable holds the unit shares of controlled ports through which this host's endpoints are reached.
// They stay when the controller goes: then they are all that a newcomer can get.
type shareTable []publishedShare

// publishedShare is a share and when a controller published it last.
type publishedShare struct {
	model.UnitShare
	nanos int64
}

// SetShare takes what a port publishes, to relay it.
func (p *Peers) SetShare(nowNanos int64, share model.UnitShare) { p.shares.put(nowNanos, share) }

// put takes a share; where it reaches no endpoint here, or its port cannot be named in band, there is nothing
// to relay.
func (t *shareTable) put(nowNanos int64, share model.UnitShare) {
	*t = slices.DeleteFunc(*t, func(one publishedShare) bool { return one.Port == share.Port })
	if !share.Expired && len(share.Reached) > 0 && wire.IsEncodable(share.Port) {
		share.Endpoints = nil
		*t = append(*t, publishedShare{share, nowNanos})
	}
}

// lowest is the share to relay to those who send to a destination; nil if there is none.
func (t shareTable) lowest(destination netip.Addr) *publishedShare {
	var lowest *publishedShare
	for i := range t {
		if slices.Contains(t[i].Reached, destination) &&
			(lowest == nil || t[i].UnitShareBitsPerSecond < lowest.UnitShareBitsPerSecond) {
			lowest = &t[i]
		}
	}
	return lowest
}

// shareSent is which share the sending agent of a pair was sent last.
type shareSent struct {
	sequence uint64
	nanos    int64
}

// relayShare sends the agent of a source whose packets are marked what controllers published of the
// port: it need not wait for its controller, or outlives it.
func (p *Peers) relayShare(nowNanos int64, pair model.Pair, sent *shareSent, from wire.MAC, to shim.ReturnPath) {
	if sent.sequence != 0 && nowNanos-sent.nanos < RelayPauseNanos {
		return
	}
	share := p.shares.lowest(pair.Destination)
	if share == nil {
		return
	}
	sent.sequence = wire.NextSequence(sent.sequence, p.steady.Nanos())
	sent.nanos = nowNanos
	p.sender.share(&wire.Share{
		Pair: pair, Sequence: sent.sequence, Port: share.Port,
		UnitShareBitsPerSecond: share.UnitShareBitsPerSecond, CapacityBitsPerSecond: share.CapacityBitsPerSecond,
		ActiveWeight: share.ActiveWeight,
		Stale:        nowNanos-share.nanos >= law.DefaultTwoTimeScaleParameters().StaleNanos,
	}, from, to)
}

// receiveShare gives a relayed share to the endpoint that caused the marks.
func (p *Peers) receiveShare(message wire.Share) {
	e := p.endpoints.Of(message.Pair.Source)
	if e == nil {
		return
	}
	p.faults.Report("apply a relayed share", e.Control.SetRelayedShare(model.UnitShare{
		Port: message.Port, UnitShareBitsPerSecond: message.UnitShareBitsPerSecond,
		CapacityBitsPerSecond: message.CapacityBitsPerSecond, ActiveWeight: message.ActiveWeight,
		Stale: message.Stale,
	}, message.Pair.Destination))
}
