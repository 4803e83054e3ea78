// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"strings"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// limit takes an operator's limit; 0 lifts it. It belongs to the interface's name: it holds for
// whatever comes under that name until it is lifted or the agent ends.
func (a *Agent) limit(name string, bitsPerSecond uint64) (EndpointStatus, error) {
	e, expected := a.endpointOf(name)
	if !expected {
		return EndpointStatus{}, fmt.Errorf("interface %q is no endpoint of this host: choose one of %s",
			name, strings.Join(a.names(), ", "))
	}
	if bitsPerSecond == 0 {
		delete(a.overrides, name)
	} else {
		a.overrides[name] = bitsPerSecond
	}
	if e == nil {
		return EndpointStatus{Interface: name, OverrideBitsPerSecond: bitsPerSecond}, nil
	}
	if err := e.applyCeiling(); err != nil {
		return EndpointStatus{}, err
	}
	if err := a.trace.ClassChange(clock.Nanos(), e.Endpoint, model.Default, e.ceiling()); err != nil {
		return EndpointStatus{}, err
	}
	return e.status()
}

// endpointOf finds an endpoint by its interface. One that is not there, but was or will be, is
// expected.
func (a *Agent) endpointOf(name string) (e *endpoint, expected bool) {
	for _, e := range a.endpoints {
		if e.Interface == name {
			return e, true
		}
	}
	for _, described := range a.config.Endpoints.Static {
		if described.Interface == name {
			return nil, true
		}
	}
	_, overridden := a.overrides[name]
	return nil, overridden
}

func (a *Agent) names() []string {
	names := make([]string, len(a.endpoints))
	for i, e := range a.endpoints {
		names[i] = e.Interface
	}
	return names
}
