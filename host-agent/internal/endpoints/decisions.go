// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// SetPolicies takes the policies of this host's endpoints; those not named get the default.
func (t *Table) SetPolicies(policies []model.EndpointPolicy) {
	named := policiesNamed(policies)
	t.unsaved = t.unsaved || !maps.EqualFunc(named, t.policies, model.EndpointPolicy.Equal)
	t.policies = named
	for _, e := range t.all {
		t.host.Faults.Report("apply a policy", e.setPolicy(t.policyOf(e.Interface)))
	}
	t.host.Faults.Report("divide the uplink", t.uplink.Apply())
}

// policyOf is what controllers decided last for an interface; the default holds until then.
func (t *Table) policyOf(name string) model.EndpointPolicy {
	if policy, given := t.policies[name]; given {
		return policy
	}
	return defaultPolicy(name, &t.host.Config)
}

// SetShare takes what a port publishes. An endpoint that it does not name any more is not controlled for
// it any more.
func (t *Table) SetShare(share model.UnitShare) {
	named := map[string]model.ControlledEndpoint{}
	for _, endpoint := range share.Endpoints {
		named[endpoint.Interface] = endpoint
	}
	for _, e := range t.all {
		controlled, isNamed := named[e.Interface]
		if share.Expired || !isNamed {
			e.Control.Remove(share.Port)
			continue
		}
		t.host.Faults.Report("apply a unit share", e.Control.SetShare(share, controlled.Destinations, controlled.Terms))
	}
}

// SetSession takes whether there is a session with any controller.
func (t *Table) SetSession(open bool) {
	if open == t.hasSession {
		return
	}
	t.hasSession = open
	for _, e := range t.all {
		e.Control.SetSession(open)
	}
}

// ApplySettings takes how the shim is to work.
func (t *Table) ApplySettings(settings model.HostSettings) {
	anew := settings.Law != t.law || settings.Enforcement && !t.enforcing
	t.law, t.enforcing = settings.Law, settings.Enforcement
	for _, e := range t.all {
		if anew {
			e.Control.reset(t.law, e.lawBounds())
		}
		t.host.Faults.Report("set the size of super-packets", e.superPackets.fit(e.index, t.enforcing, e.allowance.ceiling()))
	}
	t.host.Shim.SetEnforcing(settings.Enforcement)
}

// Override takes an operator's limit; 0 lifts it. It belongs to the interface's name: it holds for
// whatever comes under that name until it is lifted or the agent ends.
func (t *Table) Override(name string, bitsPerSecond uint64) (Status, error) {
	e, expected := t.named(name)
	if !expected {
		return Status{}, fmt.Errorf("interface %q is no endpoint of this host: choose one of %s",
			name, strings.Join(names(t.all), ", "))
	}
	if bitsPerSecond == 0 {
		delete(t.overrides, name)
	} else {
		t.overrides[name] = bitsPerSecond
	}
	t.unsaved = true
	if e == nil {
		return Status{Interface: name, OverrideBitsPerSecond: bitsPerSecond}, nil
	}
	e.allowance.override = bitsPerSecond
	if err := errors.Join(e.applyCeiling(), t.uplink.Apply()); err != nil {
		return Status{}, err
	}
	if err := t.host.Trace.ClassChange(clock.Nanos(), e.Endpoint, model.Default, e.allowance.ceiling()); err != nil {
		return Status{}, err
	}
	return e.Status(), nil
}

// named finds an endpoint by its interface. One that is not there, but was or will be, is expected.
func (t *Table) named(name string) (e *Endpoint, expected bool) {
	for _, e := range t.all {
		if e.Interface == name {
			return e, true
		}
	}
	for _, described := range t.host.Config.Endpoints.Static {
		if described.Interface == name {
			return nil, true
		}
	}
	_, overridden := t.overrides[name]
	return nil, overridden
}

func names(all []*Endpoint) []string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Interface
	}
	return names
}
