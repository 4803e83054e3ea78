// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// passShareNanos is how often the agent of a marked source is told of the share, at most.
const passShareNanos = int64(20 * time.Millisecond)

// sharesToPassOn are the unit shares of controlled ports through which this host's endpoints are
// reached. They stay when the controller goes: then they are all that a newcomer can learn.
type sharesToPassOn []heldShare

// heldShare is a share and when a controller last said it.
type heldShare struct {
	model.UnitShare
	toldNanos int64
}

// put takes what a port publishes; where it reaches nobody here, or cannot be told of in band, there
// is nothing to pass on.
func (s *sharesToPassOn) put(nowNanos int64, share model.UnitShare) {
	*s = slices.DeleteFunc(*s, func(held heldShare) bool { return held.Port == share.Port })
	if !share.Expired && len(share.Reached) > 0 && wire.Travels(share.Port) {
		share.Endpoints = nil
		*s = append(*s, heldShare{share, nowNanos})
	}
}

// lowest is the share to pass on to those who send to a destination; nil if there is none.
func (s sharesToPassOn) lowest(destination netip.Addr) *heldShare {
	var lowest *heldShare
	for i := range s {
		if slices.Contains(s[i].Reached, destination) &&
			(lowest == nil || s[i].UnitShareBitsPerSecond < lowest.UnitShareBitsPerSecond) {
			lowest = &s[i]
		}
	}
	return lowest
}

// sharePassed is what the sending agent of a pair was told of a share.
type sharePassed struct {
	sequence uint64
	nanos    int64
}

// passShareOn tells the agent of a source whose packets are marked what the controller says of the
// port: it need not wait for the controller, or outlives it.
func (a *Agent) passShareOn(nowNanos int64, pair shim.PairCounters, record *pairRecord, from wire.MAC) {
	passed := &record.passed
	if passed.sequence != 0 && nowNanos-passed.nanos < passShareNanos {
		return
	}
	share := a.passing.lowest(record.addresses.Destination)
	if share == nil {
		return
	}
	passed.sequence = max(passed.sequence+1, wire.FirstSequence(a.steady.Nanos()))
	passed.nanos = nowNanos
	a.feedback.sendShare(&wire.Share{
		Pair: record.addresses, Sequence: passed.sequence, Port: share.Port,
		UnitShareBitsPerSecond: share.UnitShareBitsPerSecond, CapacityBitsPerSecond: share.CapacityBitsPerSecond,
		ActiveWeight: share.ActiveWeight,
		Stale:        nowNanos-share.toldNanos >= law.DefaultTwoTimeScaleParameters().StaleNanos,
	}, from, pair.From)
}

// takeShare gives a relayed share to the endpoint that caused the marks.
func (a *Agent) takeShare(message wire.Share) {
	e := a.endpoints.Of(message.Pair.Source)
	if e == nil {
		return
	}
	a.faults.Report("apply a relayed share", e.Control.SetRelayedShare(model.UnitShare{
		Port: message.Port, UnitShareBitsPerSecond: message.UnitShareBitsPerSecond,
		CapacityBitsPerSecond: message.CapacityBitsPerSecond, ActiveWeight: message.ActiveWeight,
		Stale: message.Stale,
	}, message.Pair.Destination))
}
