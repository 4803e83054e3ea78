// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// Endpoint is one virtual NIC and the limits on it.
type Endpoint struct {
	model.Endpoint
	// Control is what it is limited by.
	Control *Control

	table *Table
	// described is what was known of it when it was added.
	described     model.Endpoint
	index         int // in the shim and in the classes, from 1
	place         model.Place
	device        netlink.Link
	allowance     allowance
	division      division
	capacityShare capacityShare
	classes       classes
	superPackets  *superPackets
	addresses     addresses
	refused       refused
	spoofed       violations
	rogue         violations
	sampled       sampled
	// former are those that had its addresses, while it is added.
	former map[*Endpoint]bool
}

func newEndpoint(t *Table, index int, device netlink.Link, described model.Endpoint) *Endpoint {
	e := &Endpoint{
		Endpoint: described, table: t, described: described, index: index, device: device,
		place: model.Place{Ifindex: device.Attrs().Index, VLAN: described.VLAN}, superPackets: &superPackets{},
	}
	if !e.isSystem() {
		e.superPackets = t.superPacketsOf(device)
	}
	was, inherits := t.earlierOf(Described{device, described})
	if inherits {
		e.inheritAddresses(was)
		if before, changed := t.host.Footprint.SuperPackets[e.Device()]; changed && !e.isSystem() {
			e.superPackets.before = before
		}
	}
	e.allowance = allowance{
		policy:   defaultPolicy(e.Interface, &t.host.Config), // a given one is set when the shim has the endpoint
		override: t.overrides[e.Interface], capacity: t.host.Config.Uplink.CapacityBitsPerSecond(),
	}
	e.Control = newControl(t.law, t.host.law, e.Bounds(), t.host.Faults)
	e.Control.SetSession(t.hasSession)
	e.classes = newClasses(t, index, &e.Endpoint, e.Control)
	e.addresses.endpoint = e
	return e
}

// install brings the shim up to an endpoint whose classes are there.
func (e *Endpoint) install() error {
	host := e.table.host
	if !e.table.uplink.Has(e.index) {
		return errNoClass
	}
	given := e.allowance
	given.policy = e.table.policyOf(e.Interface)
	if err := host.Shim.AddEndpoint(e.index, e.place, e.IPs, e.options()); err != nil {
		return err
	}
	if err := host.Shim.SetMAC(e.index, e.MAC); err != nil {
		return err
	}
	if err := e.applyCeiling(); err != nil {
		return err
	}
	if err := e.setPolicy(given.policy); err != nil {
		return err
	}
	was, inherits := e.table.earlierOf(Described{e.device, e.described})
	if !inherits || was.Index != e.index {
		return nil
	}
	own := max(given.policy.GuaranteeBitsPerSecond, e.table.uplink.ShareBitsPerSecond(e.index))
	return e.classes.hold(host.Earlier.Destinations[e.index], own)
}

var errNoClass = errors.New("it has no class on the uplink")

// Ifindex is its interface's.
func (e *Endpoint) Ifindex() int { return e.place.Ifindex }

// Bounds are what no law may leave.
func (e *Endpoint) Bounds() model.Bounds { return e.allowance.bounds() }

// isSystem reports whether it is the host's own traffic, which has no device of its own.
func (e *Endpoint) isSystem() bool { return e.table.host.Config.HasSystem(e.described.Interface) }

// isKnown reports whether it can be reported to controllers.
func (e *Endpoint) isKnown() bool { return len(e.MAC) > 0 && len(e.IPs) > 0 }

// learns reports whether its addresses were not known when it was added.
func (e *Endpoint) learns() bool { return len(e.described.IPs) == 0 }

// defaultPolicy holds until a controller decides otherwise.
func defaultPolicy(name string, settings *config.Host) model.EndpointPolicy {
	return model.EndpointPolicy{
		Interface: name, Tenant: "default", Weight: 1, PreserveECN: settings.ECN == config.ECNPreserve,
	}
}

// setPolicy takes what the controller decided. The uplink follows when it is applied.
func (e *Endpoint) setPolicy(policy model.EndpointPolicy) error {
	if policy.Weight <= 0 {
		return fmt.Errorf("%s: weight %v must be greater than 0", e.Interface, policy.Weight)
	}
	if policy.Equal(e.allowance.policy) {
		return nil
	}
	e.allowance.policy = policy
	if err := e.refuse(policy.RefusedIPs); err != nil {
		return err
	}
	e.table.host.Shim.SetOptions(e.index, e.options())
	e.table.host.Shim.SetEndpointPhantom(e.index, shim.PhantomOf(policy.ReceiveCeilingBitsPerSecond))
	return e.applyCeiling()
}

func (e *Endpoint) options() shim.EndpointOptions {
	settings := &e.table.host.Config
	if e.isSystem() {
		return shim.EndpointOptions{PreserveECN: e.allowance.policy.PreserveECN, KeepECN: !settings.CountsSystem()}
	}
	return shim.EndpointOptions{
		AntiSpoof: settings.AntiSpoof, PreserveECN: e.allowance.policy.PreserveECN, Learn: e.learns(),
		PassVLANs: settings.VLANs == config.VLANsPass || e.VLAN != 0, May: permissions(settings.PortSecurity[e.Interface]),
	}
}

func permissions(names []string) shim.Permissions {
	may := func(name string) bool { return slices.Contains(names, name) }
	return shim.Permissions{
		OtherMACs: may(config.MayUseMACs), OtherAddresses: may(config.MayUseAddresses),
		AdvertiseRoutes: may(config.MayAdvertiseRoutes), ServeDHCP: may(config.MayServeDHCP),
		SendDiscovery: may(config.MaySendDiscovery),
	}
}

// applyCeiling brings whatever depends on the ceiling up to date, but for the uplink, whose division is
// only staged.
func (e *Endpoint) applyCeiling() error {
	ceiling := e.allowance.ceiling()
	if err := e.table.uplink.Put(e.index, e.classes.claim(&e.allowance)); err != nil {
		return err
	}
	e.classes.limitAll(ceiling)
	e.classes.limitResidual(ceiling)
	e.Control.SetBounds(e.lawBounds())
	if err := e.classes.fitToCeiling(e.allowance.uplinkCeiling()); err != nil {
		return err
	}
	return e.superPackets.fit(e.index, e.table.enforcing, ceiling)
}

// Turn is its part of one turn of the engine.
func (e *Endpoint) Turn(nowNanos int64) {
	report := e.table.host.Faults.Report
	report("permit addresses", e.permitAgain(nowNanos))
	report("learn addresses", e.addresses.learn(nowNanos))
	e.reportViolations(nowNanos)
	report("fit queues to the largest frame", e.classes.fitToFrames(e.allowance.ceiling()))
	report("divide a ceiling", e.divideCeiling(nowNanos))
	if e.table.enforcing {
		report("enforce limits", e.classes.enforce(nowNanos, e.allowance.uplinkCeiling()))
	}
}

// Sent takes what it sent to a destination since the last call, and has the destination obey its limit.
func (e *Endpoint) Sent(nowNanos int64, destination netip.Addr, bytes uint64) {
	e.Control.Sent(nowNanos, destination, bytes)
	e.table.host.Faults.Report("assign a destination to a class", e.classes.place(destination))
}

// Phantom is what came to the phantom queue of its receive ceiling.
func (e *Endpoint) Phantom(nowNanos int64) shim.PhantomCounters {
	return e.table.host.Shim.EndpointPhantom(e.index, nowNanos)
}

// PortOf is the congested port that a group of the shim's is for; empty: none.
func (e *Endpoint) PortOf(group int) model.Port { return e.classes.portOf(group) }

// Windows are what the windows of each group's TCP connections are lowered to.
func (e *Endpoint) Windows() [model.MaxGroups + 1]htb.Window { return e.classes.windows }
