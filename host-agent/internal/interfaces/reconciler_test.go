// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"log/slog"
	"maps"
	"os"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// fakeHost has room for so many endpoints, and notes what is attached where.
type fakeHost struct {
	room     int
	present  map[model.Place]bool
	programs map[int]string
	earlier  bool // its remains are there
	detached int
	// described are the domains that endpoints were described to be of.
	described []string
}

func (h *fakeHost) Add(all []endpoints.Described) map[string]error {
	failures := map[string]error{}
	for _, d := range all {
		if len(h.present) == h.room {
			failures[d.Endpoint.Interface] = endpoints.ErrTooMany
			continue
		}
		h.present[wantedEndpoint{d.Device, d.Endpoint}.place()] = true
	}
	return failures
}

func (h *fakeHost) Remove(place model.Place) error {
	delete(h.present, place)
	return nil
}

func (h *fakeHost) Describe(_ model.Place, metadata model.Metadata) {
	h.described = append(h.described, metadata.Domain)
}

func (h *fakeHost) RemoveEarlier() error {
	h.earlier = false
	return nil
}

func (h *fakeHost) AttachEndpoint(_ string, place model.Place) error {
	h.programs[place.Ifindex] = "endpoint"
	return nil
}

func (h *fakeHost) HoldInterface(_ string, ifindex int) error {
	h.programs[ifindex] = "held"
	return nil
}

func (h *fakeHost) Detach(ifindex int) error {
	delete(h.programs, ifindex)
	h.detached++
	return nil
}

func (h *fakeHost) DetachEarlier(string) error                  { return nil }
func (h *fakeHost) AttachSystem(string, int, bool) error        { return nil }
func (h *fakeHost) DetachSystem() error                         { return nil }
func (h *fakeHost) SetSystemCgroup(index int, _ *os.File) error { return nil }
func (h *fakeHost) Attached() []int                             { return nil }

func (h *fakeHost) PutSuperPacketsBack(map[int]footprint.SuperPackets) {}

func (h *fakeHost) PutBack(int) ([]ebpf.ProgramID, bool, error) { return nil, false, nil }

func planOf(indexes ...int) Plan {
	var plan Plan
	for _, index := range indexes {
		name := "vm" + string(rune('0'+index))
		device := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: index, Name: name}}
		plan.wanted = append(plan.wanted, wantedEndpoint{device, model.Endpoint{Interface: name}})
	}
	return plan
}

func newFake(t *testing.T, room int, p Plan) (*Reconciler, *fakeHost) {
	t.Helper()
	fake := &fakeHost{room: room, present: map[model.Place]bool{}, programs: map[int]string{}, earlier: true}
	r := &Reconciler{attached: map[model.Place]model.Endpoint{}, held: map[int]string{}}
	host := Host{
		Endpoints: fake, Programs: fake, Inbox: engine.NewInbox(), Log: slog.New(slog.DiscardHandler), Inherits: true,
	}
	if err := r.Begin(host, p); err != nil {
		t.Fatal(err)
	}
	return r, fake
}

// reconcile lets an engine run meanwhile.
func (h *fakeHost) reconcile(t *testing.T, r *Reconciler, p Plan) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- r.reconcile(p) }()
	for {
		r.host.Inbox.RunTasks()
		select {
		case err := <-done:
			r.host.Inbox.RunTasks()
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

func TestEndpointsBeyondTheMaximumAreBlocked(t *testing.T) {
	r, fake := newFake(t, 2, planOf(1, 2, 3))
	expect := func(when string, want map[int]string) {
		t.Helper()
		if !maps.Equal(fake.programs, want) {
			t.Errorf("%s: %v, want %v", when, fake.programs, want)
		}
	}
	expect("at the start", map[int]string{1: "endpoint", 2: "endpoint", 3: "held"})
	if missing := r.Missing(); len(missing) != 1 || missing[0].Interface != "vm3" {
		t.Errorf("%+v, want a notice of vm3", missing)
	}
	fake.reconcile(t, r, planOf(1, 2, 3, 4))
	expect("with one more", map[int]string{1: "endpoint", 2: "endpoint", 3: "held", 4: "held"})
	fake.reconcile(t, r, planOf(2, 3))
	expect("when there is room", map[int]string{2: "endpoint", 3: "endpoint"})
	if missing := r.Missing(); len(missing) != 0 {
		t.Errorf("%+v, want nobody left out", missing)
	}
}

// An endpoint whose description becomes wrong, or another, is never without a program in between.
func TestAnInterfaceThatStaysKeepsItsProgram(t *testing.T) {
	p := planOf(1)
	r, fake := newFake(t, 2, p)
	var held Plan
	held.hold(p.wanted[0].device, "is described wrongly")
	other := planOf(1)
	other.wanted[0].described.MAC = macOne
	for _, step := range []struct {
		plan       Plan
		isEndpoint bool
		missing    int
	}{{held, false, 1}, {held, false, 1}, {planOf(1), true, 0}, {other, true, 0}, {held, false, 1}} {
		fake.reconcile(t, r, step.plan)
		present := fake.present[model.Place{Ifindex: 1}]
		if present != step.isEndpoint || fake.programs[1] == "" || fake.detached > 0 || len(r.Missing()) != step.missing {
			t.Errorf("%+v: endpoint %v, program %q, missing %v", step.plan, present, fake.programs[1], r.Missing())
		}
	}
	fake.reconcile(t, r, planOf())
	if len(fake.programs) > 0 || len(fake.present) > 0 {
		t.Errorf("%v, %v; want nothing left", fake.programs, fake.present)
	}
}

func TestInterfacesThatAreHeldFromTheStart(t *testing.T) {
	var held Plan
	held.hold(planOf(1).wanted[0].device, "is described wrongly")
	r, fake := newFake(t, 2, held)
	if fake.programs[1] != "held" || len(r.Missing()) != 1 || !r.Missing()[0].Held {
		t.Errorf("%v, %+v", fake.programs, r.Missing())
	}
}

func TestAnEarlierAgentsStateStaysUntilThePlanIsComplete(t *testing.T) {
	incomplete := planOf(1)
	incomplete.incomplete = true
	r, fake := newFake(t, 9, incomplete)
	if !fake.earlier {
		t.Error("endpoints that may still come are set free already")
	}
	fake.reconcile(t, r, planOf(1, 2))
	if fake.earlier {
		t.Error("the remains stay for ever")
	}
}

// The endpoints of a trunk share its programs, which stay as long as one of them does.
func TestAVLANOfATrunkGoesAlone(t *testing.T) {
	trunk := func(vlans ...uint16) (plan Plan) {
		device := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: 1, Name: "tap0"}}
		for _, vlan := range vlans {
			described := model.Endpoint{Interface: model.NameInVLAN("tap0", vlan), VLAN: vlan}
			plan.wanted = append(plan.wanted, wantedEndpoint{device, described})
		}
		return plan
	}
	r, fake := newFake(t, 3, trunk(0, 10, 20))
	for _, vlans := range [][]uint16{{0, 10, 20}, {10, 20}, {20}, {20, 30}} {
		fake.reconcile(t, r, trunk(vlans...))
		if len(fake.present) != len(vlans) || fake.programs[1] != "endpoint" || fake.detached > 0 {
			t.Errorf("VLANs %v: endpoints %v, program %q, detached %d times", vlans, fake.present, fake.programs[1], fake.detached)
		}
		for _, vlan := range vlans {
			if !fake.present[model.Place{Ifindex: 1, VLAN: vlan}] {
				t.Errorf("VLAN %d is no endpoint", vlan)
			}
		}
	}
	fake.reconcile(t, r, trunk())
	if len(fake.programs) > 0 || len(fake.present) > 0 {
		t.Errorf("left: %v, %v", fake.programs, fake.present)
	}
}
