// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"bytes"
	"fmt"
	"maps"
	"net"
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
	// evictionPauseNanos is between two attempts at that.
	evictionPauseNanos = int64(time.Second)
	// maxReportedClaims of one endpoint: beyond them its counter must do.
	maxReportedClaims = 64
)

// addresses follows what the shim learns of an endpoint's, and what it refuses to.
type addresses struct {
	endpoint *Endpoint
	// learned is when each of them was.
	learned map[netip.Addr]int64
	refused uint64 // claims, as of the last turn
	// evictedAt is when that was attempted last.
	evictedAt int64
	// foreign is how many frames had a MAC that is not the endpoint's, sent how many it had sent of its own
	// then, and sentAt when that had grown last.
	foreign, sent uint64
	sentAt        int64
	// reported are the addresses about which a refusal was reported.
	reported    map[netip.Addr]struct{}
	macReported bool
}

// learn takes over what the shim has learned, and reports what it has refused.
func (a *addresses) learn(nowNanos int64) error {
	e := a.endpoint
	if !e.learns() {
		return nil
	}
	if e.table.host.Shim.AddressCount(e.index) != len(e.IPs) || len(e.IPs) > 0 && a.macChanged() {
		if err := a.read(nowNanos); err != nil {
			return err
		}
	}
	if err := a.followMAC(nowNanos); err != nil {
		return err
	}
	address, count := e.table.host.Shim.RefusedClaim(e.index)
	if count == a.refused {
		return nil
	}
	a.refused = count
	return a.claimRefused(nowNanos, address)
}

// macChanged reports whether the shim has learned another MAC.
func (a *addresses) macChanged() bool {
	mac := a.endpoint.table.host.Shim.MAC(a.endpoint.index)
	return mac != nil && !bytes.Equal(mac, a.endpoint.MAC)
}

// macIdleNanos: an endpoint that has sent nothing from its own MAC for so long may have another.
const macIdleNanos = int64(time.Minute)

// followMAC has a VM whose MAC was changed be known by it when the old one has been idle, and reports
// another endpoint's MAC that it claims.
func (a *addresses) followMAC(nowNanos int64) error {
	e, host := a.endpoint, a.endpoint.table.host
	if sent := host.Shim.Endpoint(e.index).SentPackets; sent != a.sent || a.sentAt == 0 {
		a.sent, a.sentAt = sent, nowNanos
	}
	mac, count := host.Shim.ForeignMAC(e.index)
	if count == a.foreign {
		return nil
	}
	a.foreign = count
	if owner := e.table.otherWith(mac, e); owner != nil {
		a.macRefused(mac, owner)
		return nil
	}
	if nowNanos-a.sentAt < macIdleNanos || len(e.described.MAC) > 0 {
		return nil
	}
	host.Log.Info("removed an idle MAC", "interface", e.Interface, "mac", e.MAC.String())
	return host.Shim.ForgetMAC(e.index)
}

// macRefused reports that once.
func (a *addresses) macRefused(mac net.HardwareAddr, owner *Endpoint) {
	if !a.macReported {
		a.macReported = true
		a.report(fmt.Sprintf("claims MAC %s, which is that of %s", mac, owner.Interface))
	}
}

// unlisted are those of learned addresses that no configuration lets the endpoint learn.
func (e *Endpoint) unlisted(learned []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(learned), func(address netip.Addr) bool {
		return e.table.host.Config.Endpoints.MayLearn(e.Interface, address)
	})
}

// read brings the agent's view up to the shim's.
func (a *addresses) read(nowNanos int64) error {
	e := a.endpoint
	mac, now, complete := e.table.host.Shim.Learned(e.index)
	if !complete {
		return nil // at the next turn
	}
	if len(now) > 0 {
		if owner := e.table.otherWith(mac, e); owner != nil {
			return a.refuseMAC(owner, now)
		}
	}
	wasKnown := e.isKnown()
	e.table.owners.set(e, now)
	learned := map[netip.Addr]int64{}
	for _, address := range now {
		delete(a.reported, address)
		if before, known := a.learned[address]; known {
			learned[address] = before
			continue
		}
		learned[address] = nowNanos
		e.table.host.Log.Info("learned an address", "interface", e.Interface, "address", address, "mac", mac.String())
	}
	a.learned = learned
	e.MAC, e.IPs = mac, now // new slices: the link may still hold the old ones
	e.Learned = e.unlisted(now)
	e.table.unsaved = true
	e.table.changed = e.table.changed || wasKnown || e.isKnown()
	return nil
}

// refuseMAC takes addresses back that were claimed from another endpoint's MAC: tenants may be
// distinguished by it.
func (a *addresses) refuseMAC(owner *Endpoint, claimed []netip.Addr) error {
	e := a.endpoint
	for _, address := range claimed {
		if err := e.table.host.Shim.ForgetAddress(e.index, address); err != nil {
			return fmt.Errorf("%s: %w", e.Interface, err)
		}
	}
	a.macRefused(owner.MAC, owner)
	return e.table.host.Shim.ForgetMAC(e.index)
}

// claimRefused reports a claim that the shim refused, once per address; an endpoint that only has too
// many gives an idle one up instead, for the next claim to succeed.
func (a *addresses) claimRefused(nowNanos int64, address netip.Addr) error {
	e := a.endpoint
	owner := e.table.Of(address)
	if owner == e {
		return nil // learned meanwhile
	}
	reason := "which is another endpoint's"
	if _, refused := e.refused.until[address]; refused {
		reason = "which the controller refuses it"
	} else if owner != nil {
		reason = fmt.Sprintf("which is %s's", owner.Interface)
	} else if len(e.IPs) == shim.MaxAddresses {
		evicted, err := a.evict(nowNanos)
		if evicted || err != nil {
			return err
		}
		reason = fmt.Sprintf("but has %d addresses in use already", shim.MaxAddresses)
	}
	if _, before := a.reported[address]; before || len(a.reported) == maxReportedClaims {
		return nil
	}
	if a.reported == nil {
		a.reported = map[netip.Addr]struct{}{}
	}
	a.reported[address] = struct{}{}
	a.report(fmt.Sprintf("claims %s, %s", address, reason))
	return nil
}

func (a *addresses) report(what string) {
	e := a.endpoint
	e.table.host.Log.Warn("address claim refused", "interface", e.Interface, "reason", what)
	e.table.host.Events.Report(model.Event{Kind: model.Spoofed, Detail: e.Interface + " " + what})
}

// evict gives up the address from which the endpoint has not sent for longest.
func (a *addresses) evict(nowNanos int64) (bool, error) {
	if nowNanos-a.evictedAt < evictionPauseNanos {
		return false, nil
	}
	a.evictedAt = nowNanos
	e := a.endpoint
	last := maps.Clone(a.learned)
	for pair := range e.table.host.Shim.Pairs() {
		if pair.Outward && pair.Endpoint == e.index {
			source := e.table.host.Shim.Address(pair.Slot).Source
			last[source] = max(last[source], pair.LastSentNanos)
		}
	}
	oldest := slices.MinFunc(e.IPs, func(a, b netip.Addr) int { return int(last[a] - last[b]) })
	if nowNanos-last[oldest] < addressIdleNanos {
		return false, nil
	}
	if err := e.table.host.Shim.ForgetAddress(e.index, oldest); err != nil {
		return false, err
	}
	e.table.host.Log.Info("removed an idle address", "interface", e.Interface, "address", oldest)
	return true, a.read(nowNanos)
}
