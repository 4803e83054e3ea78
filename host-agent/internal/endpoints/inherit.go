// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"maps"
	"net"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// saveNanos is between two writings of what a successor needs, where nothing on the host is about to change.
const saveNanos = int64(100 * time.Millisecond)

// inherit goes on with an earlier agent's limits: policies and overrides, the numbers of endpoints and tenants.
func (t *Table) inherit(state footprint.State) {
	t.unsettled = true
	t.earlier = map[string]footprint.Endpoint{}
	for name, e := range state.Endpoints {
		if e.Index >= 1 && e.Index < len(t.byIndex) {
			t.earlier[name] = e
		}
	}
	maps.Copy(t.policies, state.Policies)
	maps.Copy(t.overrides, state.Overrides)
	t.uplink.Inherit(state.Tenants)
}

// earlierOf is what an earlier agent had of an interface: the same device, not another of its name.
func (t *Table) earlierOf(d Described) (was footprint.Endpoint, known bool) {
	was, known = t.earlier[d.Endpoint.Interface]
	return was, known && was.Ifindex == d.Device.Attrs().Index
}

// inheritAddresses gives an endpoint that learns its addresses back those that it had learned with an earlier
// agent.
func (e *Endpoint) inheritAddresses(was footprint.Endpoint) {
	mac, err := net.ParseMAC(was.MAC)
	if err != nil || !e.learns() {
		return
	}
	for _, address := range e.table.host.Earlier.AddressesOf(was.Index) {
		if len(e.IPs) < shim.MaxAddresses && e.table.owners[address] == nil && !address.IsLinkLocalUnicast() {
			e.IPs = append(e.IPs, address)
		}
	}
	if len(e.IPs) > 0 {
		e.MAC, e.Learned = mac, e.unlisted(e.IPs)
	}
}

// hold keeps the limits of the congested ports' groups that an earlier agent had in force for the endpoint: until
// ports' shares come they hold as they were.
func (c *classes) hold(destinations map[netip.Addr]int, own uint64) error {
	for slot, limit := range c.host.Tree.EarlierGroups(c.index) {
		if c.limiter.polices {
			limit = own // its class had no limit
		}
		if err := c.host.Tree.AddGroup(c.index, slot, c.limiter.classRate(limit)); err != nil {
			return err
		}
		policed := c.host.Shim.PolicedGroupPackets(c.index, slot)
		c.groups[slot] = &group{held: true, policed: policed, policedBefore: policed}
		if err := c.setGroup(slot, limit); err != nil {
			return err
		}
	}
	for destination, slot := range destinations {
		if slot < 1 || slot >= len(c.groups) || c.groups[slot] == nil {
			continue
		}
		if err := c.host.Shim.SetDestination(c.index, destination, slot); err != nil {
			return err
		}
		c.placed[destination] = slot
	}
	return nil
}

// IsUnsettled reports whether an earlier agent's limits hold still; Settle ends that.
func (t *Table) IsUnsettled() bool { return t.unsettled }

// Settle has controllers' decisions hold alone.
func (t *Table) Settle() { t.unsettled = false }

// RemoveEarlier gives up what an earlier agent left and no endpoint here has taken over.
func (t *Table) RemoveEarlier() error {
	t.earlier = nil
	kept := map[string]bool{}
	for _, e := range t.all {
		kept[e.Device()] = true
	}
	return errors.Join(t.uplink.RemoveEarlier(), t.host.Footprint.RestoreSuperPackets(kept), t.save())
}

// Save writes what a successor needs where that has changed.
func (t *Table) Save(nowNanos int64) error {
	if !t.unsaved || nowNanos-t.savedNanos < saveNanos {
		return nil
	}
	t.savedNanos = nowNanos
	return t.save()
}

// SaveNow writes it in any case.
func (t *Table) SaveNow() error { return t.save() }

func (t *Table) save() error {
	state := footprint.State{
		Endpoints: maps.Clone(t.earlier), Tenants: t.uplink.Tenants(),
		Policies: maps.Clone(t.policies), Overrides: maps.Clone(t.overrides),
	}
	if state.Endpoints == nil {
		state.Endpoints = map[string]footprint.Endpoint{}
	}
	for _, e := range t.all {
		state.Endpoints[e.Interface] = footprint.Endpoint{Index: e.index, Ifindex: e.place.Ifindex, MAC: e.MAC.String()}
	}
	t.host.Footprint.State, t.unsaved = state, false
	return t.host.Footprint.Save()
}

// policiesNamed are policies by interface.
func policiesNamed(policies []model.EndpointPolicy) map[string]model.EndpointPolicy {
	named := make(map[string]model.EndpointPolicy, len(policies))
	for _, policy := range policies {
		named[policy.Interface] = policy
	}
	return named
}
