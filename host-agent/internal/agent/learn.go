// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// addressIdleNanos: an endpoint with all the addresses that it can have gives up one that it
	// has not sent from for so long, when it claims another.
	addressIdleNanos = int64(time.Minute)
	// evictionNanos is how often that is looked for.
	evictionNanos = int64(time.Second)
	// maxRefusalsTold of one endpoint: beyond them its counter must do.
	maxRefusalsTold = 64
)

// claims are what an endpoint claimed in vain.
type claims struct {
	counted uint64
	evicted int64
	// told are the addresses about which a refusal was reported.
	told    map[netip.Addr]struct{}
	macTold bool
	// since is when each of the addresses was learnt.
	since map[netip.Addr]int64
}

// known says that controllers can be told of the endpoint.
func (e *endpoint) known() bool { return len(e.MAC) > 0 && len(e.IPs) > 0 }

// learn takes over what the shim has learnt, and hears of what it has refused.
func (e *endpoint) learn(nowNanos int64) error {
	if !e.learns() {
		return nil
	}
	if e.agent.shim.AddressCount(e.index) != len(e.IPs) {
		if err := e.readAddresses(nowNanos); err != nil {
			return err
		}
	}
	address, count := e.agent.shim.RefusedClaim(e.index)
	if count == e.claims.counted {
		return nil
	}
	e.claims.counted = count
	return e.hearRefusal(nowNanos, address)
}

// readAddresses brings the agent's view up to the shim's.
func (e *endpoint) readAddresses(nowNanos int64) error {
	mac, addresses, complete := e.agent.shim.Learnt(e.index)
	if !complete {
		return nil // at the next turn
	}
	for _, other := range e.agent.endpoints {
		if other != e && len(addresses) > 0 && bytes.Equal(other.MAC, mac) {
			return e.refuseMAC(other, addresses)
		}
	}
	wasKnown := e.known()
	e.agent.unlist(e)
	since := map[netip.Addr]int64{}
	for _, address := range addresses {
		e.agent.byAddress[address] = e
		delete(e.claims.told, address)
		if before, known := e.claims.since[address]; known {
			since[address] = before
			continue
		}
		since[address] = nowNanos
		e.agent.log.Info("learnt an address", "interface", e.Interface, "address", address, "mac", mac.String())
	}
	e.claims.since = since
	e.MAC, e.IPs = mac, addresses // new slices: the link may still hold the old ones
	e.agent.endpointsChanged = e.agent.endpointsChanged || wasKnown || e.known()
	return nil
}

// refuseMAC takes addresses back that were claimed from another endpoint's MAC: tenants may be told
// apart by it.
func (e *endpoint) refuseMAC(owner *endpoint, addresses []netip.Addr) error {
	for _, address := range addresses {
		if err := e.agent.shim.ForgetAddress(e.index, address); err != nil {
			return fmt.Errorf("%s: %w", e.Interface, err)
		}
	}
	mac := owner.MAC.String()
	e.agent.shim.ForgetMAC(e.index)
	if !e.claims.macTold {
		e.claims.macTold = true
		e.tellRefusal(fmt.Sprintf("claims MAC %s, which is that of %s", mac, owner.Interface))
	}
	return nil
}

// hearRefusal reports a claim that the shim refused, once per address; an endpoint that only has too
// many gives an idle one up instead, for the next claim to succeed.
func (e *endpoint) hearRefusal(nowNanos int64, address netip.Addr) error {
	if e.agent.byAddress[address] == e {
		return nil // learnt meanwhile
	}
	reason := "which is another endpoint's"
	if owner := e.agent.byAddress[address]; owner != nil {
		reason = fmt.Sprintf("which is %s's", owner.Interface)
	} else if len(e.IPs) == shim.MaxAddresses {
		evicted, err := e.evict(nowNanos)
		if evicted || err != nil {
			return err
		}
		reason = fmt.Sprintf("but has %d addresses in use already", shim.MaxAddresses)
	}
	if _, told := e.claims.told[address]; told || len(e.claims.told) == maxRefusalsTold {
		return nil
	}
	if e.claims.told == nil {
		e.claims.told = map[netip.Addr]struct{}{}
	}
	e.claims.told[address] = struct{}{}
	e.tellRefusal(fmt.Sprintf("claims %s, %s", address, reason))
	return nil
}

func (e *endpoint) tellRefusal(what string) {
	e.agent.log.Warn("refused a claim", "interface", e.Interface, "reason", what)
	e.agent.controllers.Report(model.Event{Kind: model.Spoofed, Detail: e.Interface + " " + what})
}

// evict gives up the address from which the endpoint has not sent for longest.
func (e *endpoint) evict(nowNanos int64) (bool, error) {
	if nowNanos-e.claims.evicted < evictionNanos {
		return false, nil
	}
	e.claims.evicted = nowNanos
	last := maps.Clone(e.claims.since)
	for pair := range e.agent.shim.Pairs() {
		if pair.Outward && pair.Endpoint == e.index {
			source := e.agent.shim.Address(pair.Slot).Source
			last[source] = max(last[source], pair.LastSentNanos)
		}
	}
	oldest := slices.MinFunc(e.IPs, func(a, b netip.Addr) int { return int(last[a] - last[b]) })
	if nowNanos-last[oldest] < addressIdleNanos {
		return false, nil
	}
	if err := e.agent.shim.ForgetAddress(e.index, oldest); err != nil {
		return false, err
	}
	e.agent.log.Info("gave up an idle address", "interface", e.Interface, "address", oldest)
	return true, e.readAddresses(nowNanos)
}
