// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"

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
	// uplinkGone says that the uplink is not the device any more that the agent works on.
	uplinkGone bool
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
		return plan{uplinkGone: true}, nil
	}
	switch a.config.Endpoints.Source {
	case config.SourceBridge:
		return a.planBridge(links, up.Attrs().MasterIndex)
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

// planBridge takes all ports of the uplink's bridge but the uplink.
func (a *Agent) planBridge(links []netlink.Link, master int) (plan, error) {
	var bridge netlink.Link
	for _, link := range links {
		if link.Attrs().Index == master && link.Type() == "bridge" {
			bridge = link
		}
	}
	var p plan
	named := a.config.Endpoints.Bridge
	switch {
	case bridge == nil && named == "":
		p.waiting = []Waiting{{a.uplink.name, "is a port of no Linux bridge yet, so there are no endpoints"}}
		return p, nil
	case bridge == nil:
		p.waiting = []Waiting{{a.uplink.name, fmt.Sprintf("is no port of the bridge %s yet, so there are no endpoints", named)}}
		return p, nil
	case named != "" && named != bridge.Attrs().Name:
		return p, fmt.Errorf("endpoints.bridge: %q: the uplink %s is a port of %s: "+
			"name that one, or leave the field out, or correct uplink.interface",
			named, a.uplink.name, bridge.Attrs().Name)
	}
	for _, link := range links {
		attributes := link.Attrs()
		if attributes.MasterIndex != master || attributes.Index == a.uplink.ifindex {
			continue
		}
		p.wanted = append(p.wanted, wanted{link, model.Endpoint{Interface: attributes.Name}})
	}
	return p, nil
}
