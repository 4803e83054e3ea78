// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/trace"
	"github.com/sluice-sdn/sluice/host-agent/internal/uplink"
)

// Host is what the endpoints of a host share.
type Host struct {
	Config config.Host
	// UplinkMTU sizes queues and windows.
	UplinkMTU int
	Shim      *shim.Shim
	Tree      *htb.Tree
	Devices   *netlink.Handle
	Footprint *footprint.Footprint
	Trace     *trace.Writer
	Pacer     *engine.Pacer
	Faults    *faults.Log
	Events    faults.Events
	Log       *slog.Logger
	// Earlier is the state of an earlier agent's programs; nil: there was none.
	Earlier *shim.Earlier
}

func (h *Host) law() law.Host {
	return law.Host{NICBitsPerSecond: h.Config.Uplink.CapacityBitsPerSecond(), TauNanos: h.Pacer.Tau().Nanoseconds()}
}

// Table is all endpoints of a host.
type Table struct {
	host    *Host
	all     []*Endpoint                  // by index
	byIndex [shim.MaxEndpoints]*Endpoint // 0 is nobody
	owners  owners
	uplink  *uplink.Scheduler
	// policies and overrides outlive an endpoint: its interface may be made anew.
	policies  map[string]model.EndpointPolicy
	overrides map[string]uint64
	law       model.LawKind
	active    []bool // which of all send, under a law that shares the NIC; reused
	enforcing bool
	// hasSession: some controller is there.
	hasSession bool
	changed    bool // since Changes was called
	// unsettled: limits of an earlier agent that no decision has replaced yet.
	unsettled bool
	// earlier are the endpoints of an earlier agent that have not been taken over, by interface.
	earlier map[string]footprint.Endpoint
	// savedNanos is when the footprint was written last; unsaved: something in it has changed since.
	savedNanos int64
	unsaved    bool
	// offered is what was read of an endpoint's groups last.
	offered [model.MaxGroups + 1]uint64
}

// NewTable makes an empty one, as the configuration has it until a controller decides.
func NewTable(host *Host) *Table {
	t := &Table{
		host: host, owners: owners{},
		policies: map[string]model.EndpointPolicy{}, overrides: map[string]uint64{},
		law: host.Config.LawKind(), enforcing: bool(host.Config.Enforcement),
	}
	t.uplink = uplink.NewScheduler(host.Tree, host.Config.Uplink.CapacityBitsPerSecond(), host.UplinkMTU, gate{t})
	if host.Earlier != nil {
		t.inherit(host.Footprint.State)
	}
	return t
}

// ErrTooMany is why Add takes no more.
var ErrTooMany = fmt.Errorf("the agent has %d endpoints already, and takes no more: what this one sends is dropped; "+
	"move it to another host, or remove endpoints that are not used", shim.MaxEndpoints-1)

// Described is an interface that is to be an endpoint.
type Described struct {
	Device   netlink.Link
	Endpoint model.Endpoint
}

// Add makes the classes of endpoints and enters them into the shim: of all of them at once, since each changes
// what the others own. A failure leaves those that failed out, and nothing of them; failures are by interface.
func (t *Table) Add(all []Described) (failures map[string]error) {
	failures = map[string]error{}
	var added []*Endpoint
	for _, d := range all {
		index := t.freeIndex(d)
		if index == 0 {
			failures[d.Endpoint.Interface] = ErrTooMany
			continue
		}
		e := newEndpoint(t, index, d.Device, d.Endpoint)
		t.byIndex[index] = e
		e.former = t.owners.of(e.IPs)
		t.owners.set(e, e.IPs)
		added = append(added, e)
	}
	t.list()
	t.host.Faults.Report("divide the uplink", t.stage(added))
	for _, e := range added {
		err := t.takeMAC(e)
		if err == nil {
			err = e.install()
		}
		if err == nil {
			err = t.takeFrom(e.former, e.IPs)
		}
		e.former = nil
		if err != nil {
			_, undo := t.remove(e)
			failures[e.Interface] = fmt.Errorf("endpoint %s: %w", e.Interface, errors.Join(err, undo))
			continue
		}
		delete(t.earlier, e.Interface)
		t.changed = t.changed || e.isKnown()
		t.host.Log.Info("endpoint added", "interface", e.Interface, "ifindex", e.place.Ifindex)
	}
	t.host.Faults.Report("divide the uplink", t.uplink.Apply())
	return failures
}

// stage makes the classes of endpoints.
func (t *Table) stage(added []*Endpoint) error {
	var failures []error
	for _, e := range added {
		if !e.isSystem() {
			t.host.Footprint.SuperPackets[e.Device()] = e.superPackets.before
		}
		given := e.allowance
		given.policy = t.policyOf(e.Interface)
		failures = append(failures, t.uplink.Put(e.index, e.classes.claim(&given)))
	}
	failures = append(failures, t.uplink.Apply())
	return errors.Join(append(failures, t.save())...)
}

// freeIndex is the index that the interface's endpoint had with an earlier agent, else one that no endpoint has
// or had; 0: there is none.
func (t *Table) freeIndex(d Described) int {
	if was, known := t.earlierOf(d); known && t.byIndex[was.Index] == nil {
		return was.Index
	}
	reserved := map[int]bool{}
	for _, e := range t.earlier {
		reserved[e.Index] = true
	}
	for index := 1; index < len(t.byIndex); index++ {
		if t.byIndex[index] == nil && !reserved[index] {
			return index
		}
	}
	return 0
}

// takeMAC makes an endpoint give up a MAC that it has learned and that is configured for this one.
func (t *Table) takeMAC(e *Endpoint) error {
	if len(e.MAC) == 0 {
		return nil
	}
	for _, other := range t.all {
		if other != e && len(other.described.MAC) == 0 && bytes.Equal(t.host.Shim.MAC(other.index), e.MAC) {
			return t.host.Shim.ForgetMAC(other.index)
		}
	}
	return nil
}

// takeFrom makes endpoints give up addresses that they have learned and that are configured for another.
func (t *Table) takeFrom(former map[*Endpoint]bool, addresses []netip.Addr) error {
	for owner := range former {
		for _, address := range addresses {
			if err := t.host.Shim.ForgetAddress(owner.index, address); err != nil {
				return err
			}
		}
		if err := owner.addresses.read(clock.Nanos()); err != nil {
			return err
		}
	}
	return nil
}

// Remove takes back what Add did for the endpoint of a place; without others there its programs are detached. It
// returns the slots of the pairs that ended with it.
func (t *Table) Remove(place model.Place) (pairs []int, err error) {
	for _, e := range t.all {
		if e.place == place {
			return t.remove(e)
		}
	}
	return nil, nil
}

// Describe takes what the host has come to know of the endpoint of a place.
func (t *Table) Describe(place model.Place, metadata model.Metadata) {
	for _, e := range t.all {
		if e.place == place {
			e.Metadata = metadata
			t.changed = t.changed || e.isKnown()
		}
	}
}

func (t *Table) remove(e *Endpoint) (pairs []int, err error) {
	pairs, err = t.host.Shim.RemoveEndpoint(e.index, e.place, clock.Nanos())
	last, sizes := e.superPackets.leave(e.index)
	failures := []error{err, e.permitAll(), t.uplink.Remove(e.index), t.uplink.Apply(), sizes}
	if last {
		delete(t.host.Footprint.SuperPackets, e.Device())
	}
	t.byIndex[e.index] = nil
	t.list()
	failures = append(failures, t.save())
	t.owners.remove(e)
	t.changed = t.changed || e.isKnown()
	t.host.Log.Info("endpoint removed", "interface", e.Interface, "ifindex", e.place.Ifindex)
	return pairs, errors.Join(failures...)
}

// PutSuperPacketsBack sets the bounds of super-packets again that somebody has changed, of interfaces as they were found.
func (t *Table) PutSuperPacketsBack(found map[int]footprint.SuperPackets) {
	for _, e := range t.all {
		bounds, is := found[e.place.Ifindex]
		if !is {
			continue
		}
		changed, err := e.superPackets.putBack(bounds)
		t.host.Faults.Report("put the size of super-packets back", err)
		if changed {
			t.host.Log.Warn("somebody changed gso_max_size", "interface", e.Device(), "putBack", t.enforcing)
			t.host.Footprint.SuperPackets[e.Device()], t.unsaved = e.superPackets.before, true
		}
	}
}

func (t *Table) list() {
	t.all = slices.DeleteFunc(slices.Clone(t.byIndex[:]), func(e *Endpoint) bool { return e == nil })
}

// otherWith finds an endpoint at another interface that has a MAC; nil if there is none.
func (t *Table) otherWith(mac net.HardwareAddr, than *Endpoint) *Endpoint {
	for _, other := range t.all {
		if other.place.Ifindex != than.place.Ifindex && (bytes.Equal(other.MAC, mac) || bytes.Equal(t.host.Shim.MAC(other.index), mac)) {
			return other
		}
	}
	return nil
}

// All are the endpoints there are.
func (t *Table) All() []*Endpoint { return t.all }

// At is the endpoint with an index of the shim; nil if there is none.
func (t *Table) At(index int) *Endpoint {
	if index < 1 || index >= len(t.byIndex) {
		return nil
	}
	return t.byIndex[index]
}

// Of is the endpoint with an address; nil if there is none.
func (t *Table) Of(address netip.Addr) *Endpoint { return t.owners[address] }

// Changes returns all endpoints whose addresses are known, if there was a change since the last call.
func (t *Table) Changes() (known []model.Endpoint, changed bool) {
	if !t.changed {
		return nil, false
	}
	t.changed = false
	known = []model.Endpoint{}
	for _, e := range t.all {
		if e.isKnown() {
			known = append(known, e.Endpoint)
		}
	}
	return known, true
}

// ShareUplink has the uplink's turns follow who sends.
func (t *Table) ShareUplink(nowNanos int64) {
	t.host.Faults.Report("share the uplink", t.uplink.Observe(nowNanos, func(index int) []uint64 {
		for group := range t.offered {
			t.offered[group] = t.host.Shim.Offered(index, group).Bytes
		}
		return t.offered[:]
	}))
}
