// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

// Missing is an interface that is not as the configuration needs it, and why.
type Missing struct {
	Interface string `json:"interface"`
	Reason    string `json:"reason"`
	// Held: it is there, and sends nothing, because nothing would limit it.
	Held bool `json:"held,omitempty"`
}

// Plan is which of the interfaces that exist are to be endpoints, and what is missing.
type Plan struct {
	wanted  []wantedEndpoint
	missing []Missing
	// held are there, and neither endpoints yet nor anything else that is known: they send nothing.
	held []netlink.Link
	// incomplete: more endpoints are to be expected, of which nothing is known yet.
	incomplete bool
	// gone is the uplink, or what leads to it, where that is not the device any more that the agent works
	// on.
	gone string
}

// wantedEndpoint is an interface that is to be an endpoint.
type wantedEndpoint struct {
	device    netlink.Link
	described model.Endpoint
}

func (w wantedEndpoint) place() model.Place {
	return model.Place{Ifindex: w.device.Attrs().Index, VLAN: w.described.VLAN}
}

// Known are the endpoints whose addresses need not be learned.
func (p Plan) Known() []model.Endpoint {
	var known []model.Endpoint
	for _, w := range p.wanted {
		if len(w.described.IPs) > 0 {
			known = append(known, w.described)
		}
	}
	return known
}

func (p *Plan) miss(name, reason string, values ...any) {
	p.missing = append(p.missing, Missing{Interface: model.Escaped(name), Reason: fmt.Sprintf(reason, values...)})
}

// hold has an interface send nothing, for a reason.
func (p *Plan) hold(device netlink.Link, reason string, values ...any) {
	p.held = append(p.held, device)
	name := model.Escaped(device.Attrs().Name)
	p.missing = append(p.missing, Missing{Interface: name, Reason: fmt.Sprintf(reason, values...), Held: true})
}

// concerns reports whether an interface is to be an endpoint or held.
func (p *Plan) concerns(ifindex int) bool {
	return slices.ContainsFunc(p.wanted, func(w wantedEndpoint) bool { return w.device.Attrs().Index == ifindex }) ||
		slices.ContainsFunc(p.held, func(device netlink.Link) bool { return device.Attrs().Index == ifindex })
}

// setUnreportableApart, since the kernel takes more for a name than a message can carry: one would keep all others from
// the controllers.
func (p *Plan) setUnreportableApart() {
	p.wanted = slices.DeleteFunc(p.wanted, func(w wantedEndpoint) bool {
		name := w.described.Interface
		if model.IsVisible(name) {
			return false
		}
		p.hold(w.device, "its name has characters that cannot be reported to controllers, so what it sends is dropped: "+
			"rename the interface, visible ASCII characters alone")
		return true
	})
}

// setNamesakesApart, since an interface may have the name that a VLAN of another has.
func (p *Plan) setNamesakesApart() {
	named := map[string]bool{}
	p.wanted = slices.DeleteFunc(p.wanted, func(w wantedEndpoint) bool {
		name := w.described.Interface
		if named[name] {
			p.hold(w.device, "a trunk's VLAN has the name %s already, so what it sends is dropped: rename the interface", name)
			return true
		}
		named[name] = true
		return false
	})
}

// planner computes plans.
type planner struct {
	sources config.Sources
	static  []model.Endpoint
	uplink  Uplink
	system  *config.System // nil: none
	macs    macs
}

func (p *planner) plan(links []netlink.Link, addresses []netlink.Addr, switched ovsdb.View, known facts) (Plan, error) {
	plan, err := p.planEndpoints(links, switched)
	plan.setUnreportableApart()
	plan.setNamesakesApart()
	plan.describe(known)
	if err == nil && plan.gone == "" {
		p.planSystem(&plan, links, addresses)
	}
	return plan, err
}

func (p *planner) planEndpoints(links []netlink.Link, switched ovsdb.View) (Plan, error) {
	byName := make(map[string]netlink.Link, len(links))
	for _, link := range links {
		byName[link.Attrs().Name] = link
	}
	up := byName[p.uplink.Name]
	if up == nil || up.Attrs().Index != p.uplink.Ifindex {
		return Plan{gone: p.uplink.Name}, nil
	}
	var masters []int
	for _, d := range p.uplink.Through {
		link := byName[d.Name]
		if link == nil || link.Attrs().Index != d.Ifindex {
			return Plan{gone: d.Name}, nil
		}
		masters = append(masters, link.Attrs().MasterIndex)
	}
	switch p.sources.Source {
	case config.SourceBridge:
		return p.planBridges(links, masters)
	case config.SourceOVSDB:
		return p.planOVSDB(byName, switched), nil
	}
	var plan Plan
	for _, described := range p.static {
		if device := byName[described.Device()]; device != nil {
			plan.wanted = append(plan.wanted, wantedEndpoint{device, described})
		} else {
			plan.miss(described.Interface, "there is no interface %s yet", described.Device())
		}
	}
	return plan, nil
}

// planBridges takes all ports of the bridges through which the uplink is reached, but those that lead
// to it.
func (p *planner) planBridges(links []netlink.Link, masters []int) (Plan, error) {
	var plan Plan
	for i, d := range p.uplink.Through {
		if slices.Contains(masters[:i], masters[i]) {
			continue // the same bridge again
		}
		if err := p.planBridge(&plan, links, d, masters[i]); err != nil {
			return Plan{}, err
		}
	}
	return plan, nil
}

func (p *planner) planBridge(plan *Plan, links []netlink.Link, towards Device, master int) error {
	var bridge netlink.Link
	for _, link := range links {
		if link.Attrs().Index == master && link.Type() == "bridge" {
			bridge = link
		}
	}
	named := p.sources.Bridge
	switch {
	case bridge == nil && named == "":
		plan.incomplete = true
		plan.miss(towards.Name, "is a port of no Linux bridge yet, so there are no endpoints")
		return nil
	case bridge == nil:
		plan.incomplete = true
		plan.miss(towards.Name, "is no port of the bridge %s yet, so there are no endpoints", named)
		return nil
	case named != "" && named != bridge.Attrs().Name:
		return fmt.Errorf("endpoints.bridge: %q: the uplink %s is a port of %s: "+
			"name that one, or leave the field out, or correct uplink.interface",
			named, towards.Name, bridge.Attrs().Name)
	}
	for _, link := range links {
		attributes := link.Attrs()
		if attributes.MasterIndex != master || p.uplink.includes(attributes.Index) {
			continue
		}
		plan.wanted = append(plan.wanted, wantedEndpoint{link, model.Endpoint{Interface: attributes.Name}})
	}
	return nil
}
