// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

// Waiting is an interface that is not yet as the configuration wants it.
type Waiting struct {
	Interface string `json:"interface"`
	Reason    string `json:"reason"`
}

// plan says which of the interfaces that exist are to be endpoints, and what is missing.
type plan struct {
	wanted  []wanted
	waiting []Waiting
	// goneDevice is the uplink, or what leads to it, where that is not the device any more that the agent
	// works on.
	goneDevice string
}

// wanted is an interface that is to be an endpoint.
type wanted struct {
	device    netlink.Link
	described model.Endpoint
}

// endpoints are those whose addresses are known beforehand.
func (p plan) endpoints() []model.Endpoint {
	var known []model.Endpoint
	for _, w := range p.wanted {
		if len(w.described.IPs) > 0 {
			known = append(known, w.described)
		}
	}
	return known
}

// plan reads nothing that changes after the start: any goroutine may ask.
func (a *Agent) plan(links []netlink.Link, switched ovsdb.View) (plan, error) {
	byName := make(map[string]netlink.Link, len(links))
	for _, link := range links {
		byName[link.Attrs().Name] = link
	}
	up := byName[a.uplink.name]
	if up == nil || up.Attrs().Index != a.uplink.ifindex {
		return plan{goneDevice: a.uplink.name}, nil
	}
	var masters []int
	for _, d := range a.uplink.through {
		link := byName[d.name]
		if link == nil || link.Attrs().Index != d.ifindex {
			return plan{goneDevice: d.name}, nil
		}
		masters = append(masters, link.Attrs().MasterIndex)
	}
	switch a.config.Endpoints.Source {
	case config.SourceBridge:
		return a.planBridges(links, masters)
	case config.SourceOVSDB:
		return a.planOVSDB(byName, switched), nil
	}
	var p plan
	for _, described := range a.config.StaticEndpoints() {
		if device := byName[described.Interface]; device != nil {
			p.wanted = append(p.wanted, wanted{device, described})
		} else {
			p.waiting = append(p.waiting, Waiting{described.Interface, "there is no interface of that name yet"})
		}
	}
	return p, nil
}

// planBridges takes all ports of the bridges through which the uplink is reached, but those that lead
// to it.
func (a *Agent) planBridges(links []netlink.Link, masters []int) (plan, error) {
	var p plan
	for i, d := range a.uplink.through {
		if slices.Contains(masters[:i], masters[i]) {
			continue // the same bridge again
		}
		if err := a.planBridge(&p, links, d, masters[i]); err != nil {
			return plan{}, err
		}
	}
	return p, nil
}

func (a *Agent) planBridge(p *plan, links []netlink.Link, towards device, master int) error {
	var bridge netlink.Link
	for _, link := range links {
		if link.Attrs().Index == master && link.Type() == "bridge" {
			bridge = link
		}
	}
	named := a.config.Endpoints.Bridge
	switch {
	case bridge == nil && named == "":
		p.waiting = append(p.waiting, Waiting{towards.name, "is a port of no Linux bridge yet, so there are no endpoints"})
		return nil
	case bridge == nil:
		p.waiting = append(p.waiting,
			Waiting{towards.name, fmt.Sprintf("is no port of the bridge %s yet, so there are no endpoints", named)})
		return nil
	case named != "" && named != bridge.Attrs().Name:
		return fmt.Errorf("endpoints.bridge: %q: the uplink %s is a port of %s: "+
			"name that one, or leave the field out, or correct uplink.interface",
			named, towards.name, bridge.Attrs().Name)
	}
	for _, link := range links {
		attributes := link.Attrs()
		if attributes.MasterIndex != master || a.leadsToNetwork(attributes.Index) {
			continue
		}
		p.wanted = append(p.wanted, wanted{link, model.Endpoint{Interface: attributes.Name}})
	}
	return nil
}

func (a *Agent) leadsToNetwork(ifindex int) bool {
	return ifindex == a.uplink.ifindex || slices.Contains(a.uplink.ifindexes(), ifindex)
}
