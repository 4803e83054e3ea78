// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// endpoint is one virtual NIC and the limits on it.
type endpoint struct {
	model.Endpoint
	agent *Agent
	// described is what was known beforehand.
	described model.Endpoint
	index     int // in the shim and in the classes, from 1
	ifindex   int
	device    netlink.Link

	policy model.EndpointPolicy
	laws   *law.Endpoint
	groups [htb.MaxGroups + 1]*group // 0: default
	// windows are what the shim was told of each group's.
	windows [htb.MaxGroups + 1]htb.Window
	// placed says which group each destination outside the default one is in.
	placed map[netip.Addr]int
	// controls are the ports that controllers named, with what they said last.
	controls            map[model.Port]control
	destinationsChanged bool
	// superPacketBytes is the gso_max_size set last.
	superPacketBytes uint32
	// largestFrame is the largest frame that the leaves were sized for.
	largestFrame uint64
	observed     observedEndpoint
	spoofing     spoofing
	claims       claims
}

// control is what controllers said last about a port: its share, what lies behind it, and the
// endpoint's floor there; or what was learnt of it from the agents of destinations.
type control struct {
	share        model.UnitShare
	destinations []netip.Addr
	floor        model.Floor
	// learnt says that the controller has not told of the port.
	learnt bool
	// joined are those of destinations that were learnt.
	joined []netip.Addr
}

func newEndpoint(a *Agent, index int, device netlink.Link, described model.Endpoint) *endpoint {
	e := &endpoint{
		Endpoint: described, described: described, agent: a, index: index, ifindex: device.Attrs().Index, device: device,
		superPacketBytes: device.Attrs().GSOMaxSize,
		placed:           map[netip.Addr]int{}, controls: map[model.Port]control{},
	}
	e.policy = e.defaultPolicy() // a given one is set when the shim knows the endpoint
	e.groups[0] = &group{}
	e.resetLaws()
	return e
}

// defaultPolicy holds until a controller says otherwise.
func (e *endpoint) defaultPolicy() model.EndpointPolicy {
	return model.EndpointPolicy{
		Interface: e.Interface, Tenant: "default", Weight: 1,
		PreserveECN: e.agent.config.ECN == config.ECNPreserve,
	}
}

// givenPolicy is what controllers decided last.
func (e *endpoint) givenPolicy() model.EndpointPolicy {
	if policy, ok := e.agent.policies[e.Interface]; ok {
		return policy
	}
	return e.defaultPolicy()
}

// ceiling is E: what the endpoint may send at most.
func (e *endpoint) ceiling() uint64 {
	ceiling := e.agent.config.Uplink.CapacityBitsPerSecond()
	if e.policy.CeilingBitsPerSecond > 0 {
		ceiling = min(ceiling, e.policy.CeilingBitsPerSecond)
	}
	if override := e.agent.overrides[e.Interface]; override > 0 {
		ceiling = min(ceiling, override)
	}
	return ceiling
}

func (e *endpoint) bounds() model.Bounds {
	return model.Bounds{
		CeilingBitsPerSecond:   e.ceiling(),
		GuaranteeBitsPerSecond: min(e.policy.GuaranteeBitsPerSecond, e.ceiling()),
		Weight:                 e.policy.Weight,
	}
}

func (e *endpoint) options() shim.EndpointOptions {
	return shim.EndpointOptions{
		AntiSpoof: e.agent.config.AntiSpoof, PreserveECN: e.policy.PreserveECN, Learn: e.learns(),
		PassVLANs: e.agent.config.VLANs == config.VLANsPass,
	}
}

// learns says that the endpoint's addresses are not known beforehand.
func (e *endpoint) learns() bool { return len(e.described.IPs) == 0 }

// resetLaws forgets what the laws knew and starts them anew from the last shares.
func (e *endpoint) resetLaws() {
	kind := e.agent.settings.Law
	e.laws = law.NewEndpoint(func() model.Law { return law.New(kind) }, e.bounds())
	for port, c := range e.controls {
		if c.share.UnitShareBitsPerSecond == 0 {
			delete(e.controls, port) // known from notices alone, which are void now
			continue
		}
		if !c.learnt {
			e.agent.faults.Report("apply a unit share", e.laws.SetShare(c.share, c.destinations, c.floor))
		}
		for _, destination := range c.joined {
			_, err := e.laws.LearnShare(c.share, destination)
			e.agent.faults.Report("apply a relayed share", err)
		}
	}
	e.destinationsChanged = true
}

// applyCeiling brings the endpoint's class, and whatever depends on its ceiling, up to date.
func (e *endpoint) applyCeiling() error {
	ceiling := e.ceiling()
	if err := e.limitAll(ceiling); err != nil {
		return err
	}
	e.laws.SetBounds(e.bounds())
	for slot, g := range e.groups {
		if g == nil {
			continue
		}
		limit := ceiling
		if slot > 0 && g.vacantSince == 0 {
			limit = min(g.limit, ceiling)
		}
		if err := e.setGroup(slot, limit); err != nil {
			return err
		}
	}
	return e.fitSuperPackets()
}

// fitSuperPackets bounds the super-packets on the VM-facing device (LAWS 1, gso_max); without
// enforcement they are as they were before the agent came.
func (e *endpoint) fitSuperPackets() error {
	attributes := e.device.Attrs()
	bytes := attributes.GSOMaxSize
	if e.agent.settings.Enforcement {
		bytes = min(htb.SuperPacketBytes(e.ceiling(), attributes.MTU), attributes.TSOMaxSize)
	}
	if bytes == e.superPacketBytes {
		return nil
	}
	if err := e.agent.devices.LinkSetGSOMaxSize(e.device, int(bytes)); err != nil {
		return fmt.Errorf("%s: set gso_max_size %d: %w", e.Interface, bytes, err)
	}
	e.superPacketBytes = bytes
	return nil
}

// setShare takes the share of a port for this endpoint.
func (e *endpoint) setShare(share model.UnitShare, told model.ControlledEndpoint) error {
	share.Endpoints, share.Reached = nil, nil
	if !slices.Equal(e.controls[share.Port].destinations, told.Destinations) {
		e.destinationsChanged = true
	}
	e.controls[share.Port] = control{share: share, destinations: told.Destinations, floor: told.Floor}
	for _, destination := range told.Destinations {
		e.forget(destination) // what was learnt of it: the controller knows its way
	}
	return e.laws.SetShare(share, told.Destinations, told.Floor)
}

// notify takes a notice. Under Sluice's law what lies behind the port is told with its share.
func (e *endpoint) notify(nowNanos int64, notice model.Notice) error {
	c := e.controls[notice.Port]
	if e.agent.settings.Law == model.TwoTimeScale && c.share.UnitShareBitsPerSecond > 0 {
		return e.laws.Notify(nowNanos, notice)
	}
	if !slices.Equal(c.destinations, notice.Destinations) {
		e.destinationsChanged = true
	}
	c.destinations = notice.Destinations
	e.controls[notice.Port] = c
	return e.laws.Notify(nowNanos, notice)
}

// release ends the control of a port.
func (e *endpoint) release(port model.Port) {
	if _, controlled := e.controls[port]; !controlled {
		return
	}
	delete(e.controls, port)
	e.laws.Remove(port)
	e.destinationsChanged = true
}

// setPolicy takes what the controller decided.
func (e *endpoint) setPolicy(policy model.EndpointPolicy) error {
	if policy.Weight <= 0 {
		return fmt.Errorf("%s: weight %v must be greater than 0", e.Interface, policy.Weight)
	}
	if policy == e.policy {
		return nil
	}
	e.policy = policy
	e.agent.shim.SetOptions(e.index, e.options())
	return e.applyCeiling()
}
