// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

var errTooMany = fmt.Errorf("the agent has %d endpoints already, and takes no more", shim.MaxEndpoints-1)

// addEndpoint makes the classes of an endpoint and tells the shim of it. A failure leaves nothing.
func (a *Agent) addEndpoint(w wanted) (*endpoint, error) {
	index := slices.Index(a.slots[1:], nil) + 1
	if index == 0 {
		return nil, errTooMany
	}
	e := newEndpoint(a, index, w.device, w.described)
	a.slots[index] = e
	a.listEndpoints()
	learners := a.ownersOf(e.IPs)
	for _, address := range e.IPs {
		a.byAddress[address] = e
	}
	err := e.install()
	if err == nil {
		err = a.takeFrom(learners, e.IPs)
	}
	if err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", e.Interface, errors.Join(err, a.removeEndpoint(e)))
	}
	a.endpointsChanged = a.endpointsChanged || e.known()
	a.log.Info("endpoint came", "interface", e.Interface, "ifindex", e.ifindex)
	return e, nil
}

// install leaves the traces of an endpoint.
func (e *endpoint) install() error {
	a := e.agent
	a.traces.SuperPacketBytes[e.Interface] = e.device.Attrs().GSOMaxSize
	if err := a.traces.Save(); err != nil {
		return err
	}
	if err := a.tree.AddEndpoint(e.index, e.classRate(e.ceiling())); err != nil {
		return err
	}
	if err := a.shim.AddEndpoint(e.index, e.ifindex, e.IPs, e.options()); err != nil {
		return err
	}
	a.shim.SetMAC(e.index, e.MAC)
	if err := e.applyCeiling(); err != nil {
		return err
	}
	return e.setPolicy(e.givenPolicy())
}

// ownersOf are the endpoints that have any of these addresses.
func (a *Agent) ownersOf(addresses []netip.Addr) map[*endpoint]bool {
	owners := map[*endpoint]bool{}
	for _, address := range addresses {
		if owner := a.byAddress[address]; owner != nil {
			owners[owner] = true
		}
	}
	return owners
}

// takeFrom makes endpoints give up addresses that they learnt and that were now given to another.
func (a *Agent) takeFrom(learners map[*endpoint]bool, addresses []netip.Addr) error {
	for learner := range learners {
		for _, address := range addresses {
			if err := a.shim.ForgetAddress(learner.index, address); err != nil {
				return err
			}
		}
		if err := learner.readAddresses(clock.Nanos()); err != nil {
			return err
		}
	}
	return nil
}

// unlist forgets whose an endpoint's addresses are; those that another one has by now stay that one's.
func (a *Agent) unlist(e *endpoint) {
	for _, address := range e.IPs {
		if a.byAddress[address] == e {
			delete(a.byAddress, address)
		}
	}
}

// removeEndpoint takes back what addEndpoint did; the programs are detached.
func (a *Agent) removeEndpoint(e *endpoint) error {
	retired, err := a.shim.RemoveEndpoint(e.index, e.ifindex, clock.Nanos())
	for _, slot := range retired {
		delete(a.pairs, slot)
	}
	failures := []error{err, a.tree.RemoveEndpoint(e.index), e.restoreSuperPackets()}
	delete(a.traces.SuperPacketBytes, e.Interface)
	failures = append(failures, a.traces.Save())
	a.slots[e.index] = nil
	a.listEndpoints()
	a.unlist(e)
	a.endpointsChanged = a.endpointsChanged || e.known()
	a.log.Info("endpoint went", "interface", e.Interface, "ifindex", e.ifindex)
	return errors.Join(failures...)
}

func (a *Agent) listEndpoints() {
	a.endpoints = slices.DeleteFunc(slices.Clone(a.slots[:]), func(e *endpoint) bool { return e == nil })
}

// restoreSuperPackets puts back what fitSuperPackets changed, if the interface is still there.
func (e *endpoint) restoreSuperPackets() error {
	before := e.device.Attrs().GSOMaxSize
	if e.superPacketBytes == before {
		return nil
	}
	err := e.agent.devices.LinkSetGSOMaxSize(e.device, int(before))
	if err != nil && !errors.Is(err, unix.ENODEV) {
		return fmt.Errorf("restore gso_max_size: %w", err)
	}
	return nil
}
