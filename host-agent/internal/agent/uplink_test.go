// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"maps"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func tenantIP(index int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(20 + index)}) }

// newHostOf is a host with endpoints vm0, vm1, ... alone behind an uplink of 50 Mbit/s.
func newHostOf(t testing.TB, count int, change func(*config.Host)) (*host, []netlink.Link) {
	t.Helper()
	h := newHost(t, func(c *config.Host) {
		c.Endpoints.Static = nil
		for i := range count {
			c.Endpoints.Static = append(c.Endpoints.Static, config.StaticEndpoint{
				Interface: fmt.Sprintf("vm%d", i), MAC: fmt.Sprintf("02:00:00:00:01:%02x", i), IPs: []string{tenantIP(i).String()},
			})
		}
		if change != nil {
			change(c)
		}
	})
	vms := []netlink.Link{h.vm}
	for i := 1; i < count; i++ {
		vms = append(vms, h.addPort(fmt.Sprintf("inside%d", i), fmt.Sprintf("vm%d", i)))
	}
	return h, vms
}

// flooded has every VM send more than the uplink carries, all of them in turns, until the test or what is returned ends
// it.
func (h *host) flooded(vms []netlink.Link) (stop func()) {
	h.t.Helper()
	senders, frames := make([]*testnet.Sender, len(vms)), make([][]byte, len(vms))
	for i, vm := range vms {
		senders[i] = testnet.NewSender(h.t, vm)
		frames[i] = testnet.Frame{
			Source: tenantIP(i), Destination: peerIP, Protocol: testnet.UDP,
			SourcePort: 1000, Port: 2000, PayloadBytes: 1400,
		}.Build()
		copy(frames[i], []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 1, byte(i)})
	}
	return testnet.Paced(h.t, time.Millisecond, func() {
		for i, sender := range senders {
			sender.Burst(frames[i], 5) // the uplink carries 4
		}
	})
}

// policyFor is a policy for an interface vmN.
func policyFor(index int, tenant string, weight float64, guarantee uint64) model.EndpointPolicy {
	return model.EndpointPolicy{
		Interface: fmt.Sprintf("vm%d", index), Tenant: tenant, Weight: weight, GuaranteeBitsPerSecond: guarantee,
	}
}

func (h *host) apply(policies ...model.EndpointPolicy) {
	h.agent.decisions.ApplyPolicies("node", policies)
}

// divisions are what five endpoints are due of the uplink one decision after the other, Mbit/s: TestTheUplinkFollows...
// checks that the kernel's classes own it, BenchmarkTheUplinkFollowsTenantsAndWeights what they send then.
var divisions = []struct {
	what   string
	decide func(h *host)
	due    []float64
}{
	{"without policies all are one tenant's, and equal", func(*host) {}, []float64{10, 10, 10, 10, 10}},
	{"four endpoints of a tenant against one of another", func(h *host) {
		h.apply(quarter(0, "many"), quarter(1, "many"), quarter(2, "many"), quarter(3, "many"), policyFor(4, "one", 1, 0))
	}, []float64{6.25, 6.25, 6.25, 6.25, 25}},
	{"two have moved, weights have changed", func(h *host) {
		h.apply(quarter(0, "many"), quarter(1, "many"), quarter(2, "one"), quarter(3, "one"), policyFor(4, "one", 2, 0))
	}, []float64{4.167, 4.167, 4.167, 4.167, 33.333}},
	{"a guarantee", func(h *host) {
		h.apply(policyFor(0, "many", 0.25, 20_000_000), quarter(1, "many"), quarter(2, "one"), quarter(3, "one"), policyFor(4, "one", 2, 0))
	}, []float64{20, 2.727, 2.727, 2.727, 21.818}},
	{"a ceiling: the rest is its tenant's", func(h *host) { h.limit("vm4", 10_000_000) }, []float64{20, 2.727, 8.636, 8.636, 10}},
}

func quarter(index int, tenant string) model.EndpointPolicy { return policyFor(index, tenant, 0.25, 0) }

// expectOwned waits until the endpoints' classes own so much of the uplink in the kernel, and have their ceilings there.
func (h *host) expectOwned(what string, due ...float64) {
	h.t.Helper()
	testnet.Until(h.t, fmt.Sprintf("%s: %v Mbit/s are owned", what, due), func() bool {
		owned := make([]float64, len(due))
		all := h.status().Endpoints
		for i, e := range all {
			class := h.classes()[0x51ce0000|uint32(i+1)<<5]
			if class == nil || math.Abs(float64(class.Ceil*8)-float64(e.RateBitsPerSecond)) > 8 {
				return false
			}
			owned[i] = float64(class.Rate) * 8e-6
		}
		return len(all) == len(due) && isDivided(owned, due, 0.002)
	})
}

func TestTheUplinkFollowsTenantsAndWeights(t *testing.T) {
	t.Parallel()
	h, _ := newHostOf(t, 5, nil)
	h.run()
	for _, d := range divisions {
		d.decide(h)
		h.expectOwned(d.what, d.due...)
	}
	for _, e := range h.status().Endpoints {
		if e.Interface == "vm0" && (e.GuaranteeBitsPerSecond != 20_000_000 || e.Weight != 0.25 || e.ShareBitsPerSecond != 20_000_000) {
			t.Errorf("%+v: want weight, guarantee and share", e)
		}
	}
}

// newHostWithSilentTenants is of 20 tenants of which two send, one of b's endpoints alone.
func newHostWithSilentTenants(t testing.TB) (*host, []netlink.Link) {
	h, vms := newHostOf(t, 20, nil)
	h.run()
	policies := []model.EndpointPolicy{policyFor(0, "a", 1, 0), policyFor(1, "b", 0.5, 0), policyFor(2, "b", 0.5, 0)}
	for i := 3; i < 20; i++ {
		policies = append(policies, policyFor(i, fmt.Sprint("silent", i), 1, 0))
	}
	h.apply(policies...)
	return h, vms[:3]
}

// Of 20 tenants on the host two send: what the others leave is theirs by weight, however many endpoints
// of each are silent.
func TestIdleTenantsCapacityIsDividedByWeight(t *testing.T) {
	t.Parallel()
	h, vms := newHostWithSilentTenants(t)
	turns := func(endpoint int) float64 { // not a number while its classes move to its tenant's
		if class := h.classes()[0x51ce0000|uint32(endpoint)<<5|3]; class != nil {
			return float64(class.Quantum)
		}
		return math.NaN()
	}
	stop := h.flooded(vms)
	testnet.Until(t, "an endpoint of two has half of their tenant's turns", func() bool { return turns(2)*2 == turns(1) })
	stop()
	h.flooded(vms[:2])
	testnet.Until(t, "the only one that sends has all of its tenant's", func() bool { return turns(2) == turns(1) })
}

// Classes that end, or are made anew for another tenant, take no counter back: Prometheus would see a reset.
func TestDropsOfClassesThatAreGoneAreCounted(t *testing.T) {
	t.Parallel()
	h, vms := newHostOf(t, 2, nil)
	h.run()
	h.apply(policyFor(0, "a", 1, 0), policyFor(1, "b", 1, 0))
	h.flooded(vms[:1])
	var last uint64
	neverFewer := func() uint64 {
		dropped := h.status().Endpoints[0].DroppedPackets
		if dropped < last {
			t.Fatalf("%d packets dropped after %d", dropped, last)
		}
		last = dropped
		return dropped
	}
	h.share(1_000_000, 1, peerIP)
	testnet.Until(t, "a class drops", func() bool { return neverFewer() > 500 })
	classes := func() int {
		all, err := netlink.ClassList(testnet.Link(t, "up0"), netlink.HANDLE_NONE)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := classes()
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "its class is deleted", func() bool { return neverFewer() > 0 && classes() < before })
	h.apply(policyFor(0, "b", 1, 0), policyFor(1, "b", 1, 0))
	testnet.Until(t, "it is made anew for another tenant", func() bool {
		neverFewer()
		return h.status().Endpoints[0].Tenant == "b"
	})
	neverFewer()
}

func TestAnEndpointKeepsItsLimitWhileItMovesToAnotherTenant(t *testing.T) {
	h, vms := newHostOf(t, 2, nil)
	h.run()
	h.apply(policyFor(0, "a", 1, 0), policyFor(1, "b", 1, 0))
	h.limit("vm0", 5_000_000)
	h.flooded(vms[:1])
	testnet.Until(t, "the limit takes effect", func() bool { return h.status().Endpoints[0].DroppedPackets > 0 })
	before, began := testnet.Link(t, "far").Attrs().Statistics.RxBytes, time.Now()
	const moves = 10
	for i := range moves {
		h.apply(policyFor(0, []string{"b", "a"}[i%2], 1, 0), policyFor(1, "b", 1, 0))
		want := []string{"b", "a"}[i%2]
		testnet.Until(t, "it has moved", func() bool { return h.status().Endpoints[0].Tenant == want })
	}
	mbits := float64(testnet.Link(t, "far").Attrs().Statistics.RxBytes-before) * 8e-6
	// Its rate, and with every move a queue and a bucket of 25 ms at most.
	if most := 5*time.Since(began).Seconds() + moves*5*(0.010+0.025); mbits > most {
		t.Errorf("%.2f Mbit left during %d moves in %v, want at most %.2f", mbits, moves, time.Since(began), most)
	}
	testnet.Until(t, "its class has its limit after the moves", func() bool {
		class := h.classes()[0x51ce0000|1<<5]
		return class != nil && class.Ceil*8 == 5_000_000
	})
}

// classes are the uplink's.
func (h *host) classes() map[uint32]*netlink.HtbClass {
	h.t.Helper()
	list, err := netlink.ClassList(testnet.Link(h.t, "up0"), netlink.HANDLE_NONE)
	if err != nil {
		h.t.Fatal(err)
	}
	all := map[uint32]*netlink.HtbClass{}
	for _, class := range list {
		all[class.Attrs().Handle] = class.(*netlink.HtbClass)
	}
	return all
}

// parents are the uplink's classes, each with the one above it.
func (h *host) parents() map[uint32]uint32 {
	h.t.Helper()
	parents := map[uint32]uint32{}
	for handle, class := range h.classes() {
		parents[handle] = class.Parent
	}
	return parents
}

func TestARestartLeavesNoClassOfTheEarlierAgents(t *testing.T) {
	t.Parallel()
	h, _ := newHostOf(t, 2, nil)
	h.run()
	fresh := h.parents()
	h.apply(policyFor(0, "a", 1, 0), policyFor(1, "b", 1, 0))
	testnet.Until(t, "there are two tenants", func() bool { return len(h.parents()) == len(fresh)+1 })
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()

	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	// The layout before there were tenants: endpoints right below the uplink's class.
	up0 := testnet.Link(t, "up0")
	attributes := netlink.ClassAttrs{LinkIndex: up0.Attrs().Index, Parent: 0x51ce0001, Handle: 0x51ce0700}
	if err := netlink.ClassAdd(netlink.NewHtbClass(attributes, netlink.HtbClassAttrs{Rate: 8000, Ceil: 1e6})); err != nil {
		t.Fatal(err)
	}
	h.run()
	if got := h.parents(); !maps.Equal(got, fresh) {
		t.Errorf("classes %x, want %x", got, fresh)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
	if found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); found || err != nil {
		t.Errorf("found %v, %v after a stop", found, err)
	}
}
