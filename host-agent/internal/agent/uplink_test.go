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

// flooded has every VM send more than the uplink carries, all of them in turns.
func (h *host) flooded(vms []netlink.Link) {
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
	testnet.Paced(h.t, time.Millisecond, func() {
		for i, sender := range senders {
			for range 5 { // the uplink carries 4
				sender.Send(frames[i])
			}
		}
	})
}

// policyFor is a policy for an interface vmN.
func policyFor(index int, tenant string, weight float64, guarantee uint64) model.EndpointPolicy {
	return model.EndpointPolicy{
		Interface: fmt.Sprintf("vm%d", index), Tenant: tenant, Weight: weight, GuaranteeBitsPerSecond: guarantee,
	}
}

// uplinkRates are what the endpoints send, in Mbit/s.
func (h *host) uplinkRates(length time.Duration) []float64 {
	h.t.Helper()
	sent := func() (bytes []float64) {
		for _, e := range h.status().Endpoints {
			sum := uint64(0)
			for _, g := range e.Groups {
				sum += g.SentBytes
			}
			bytes = append(bytes, float64(sum))
		}
		return bytes
	}
	before, began := sent(), time.Now()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, ended := sent(), time.Now()
	for i := range after {
		after[i] = (after[i] - before[i]) * 8e-6 / ended.Sub(began).Seconds()
	}
	return after
}

// isDivided reports whether rates are as wanted, to 5 % of each.
func isDivided(got, want []float64) bool {
	for i := range want {
		if math.Abs(got[i]-want[i]) > want[i]*0.05 {
			return false
		}
	}
	return true
}

// expectDivided waits until the endpoints send like that. A busy machine may leave queues empty in some
// measurements, but not in all; so tests of rates that are to be reached run beside no other.
func (h *host) expectDivided(what string, want ...float64) {
	h.t.Helper()
	testnet.Until(h.t, fmt.Sprintf("%s: %v Mbit/s within 5 %%", what, want), func() bool {
		got := h.uplinkRates(400 * time.Millisecond)
		h.t.Logf("%s: %.2f Mbit/s", what, got)
		return isDivided(got, want)
	})
}

func (h *host) apply(policies ...model.EndpointPolicy) {
	h.agent.decisions.ApplyPolicies("node", policies)
}

func TestTheUplinkFollowsTenantsAndWeights(t *testing.T) {
	h, vms := newHostOf(t, 5, nil)
	h.run()
	h.flooded(vms)
	h.expectDivided("without policies all are one tenant's, and equal", 10, 10, 10, 10, 10)
	quarter := func(index int, tenant string) model.EndpointPolicy { return policyFor(index, tenant, 0.25, 0) }
	h.apply(quarter(0, "many"), quarter(1, "many"), quarter(2, "many"), quarter(3, "many"), policyFor(4, "one", 1, 0))
	h.expectDivided("four endpoints of a tenant against one of another", 6.25, 6.25, 6.25, 6.25, 25)
	h.apply(quarter(0, "many"), quarter(1, "many"), quarter(2, "one"), quarter(3, "one"), policyFor(4, "one", 2, 0))
	h.expectDivided("two have moved, weights have changed", 4.17, 4.17, 4.17, 4.17, 33.33)
	h.apply(policyFor(0, "many", 0.25, 20_000_000), quarter(1, "many"), quarter(2, "one"), quarter(3, "one"), policyFor(4, "one", 2, 0))
	h.expectDivided("a guarantee", 20, 2.73, 2.73, 2.73, 21.82)
	h.limit("vm4", 10_000_000)
	h.expectDivided("a ceiling: the rest is its tenant's", 20, 2.73, 8.64, 8.64, 10)

	for _, e := range h.status().Endpoints {
		if e.Interface == "vm0" && (e.GuaranteeBitsPerSecond != 20_000_000 || e.Weight != 0.25 || e.ShareBitsPerSecond != 20_000_000) {
			t.Errorf("%+v: want weight, guarantee and share", e)
		}
	}
}

// Of 20 tenants on the host two send: what the others leave is theirs by weight, however many endpoints
// of each are silent.
func TestIdleTenantsCapacityIsDividedByWeight(t *testing.T) {
	h, vms := newHostOf(t, 20, nil)
	h.run()
	policies := []model.EndpointPolicy{policyFor(0, "a", 1, 0), policyFor(1, "b", 0.5, 0), policyFor(2, "b", 0.5, 0)}
	for i := 3; i < 20; i++ {
		policies = append(policies, policyFor(i, fmt.Sprint("silent", i), 1, 0))
	}
	h.apply(policies...)
	h.flooded(vms[:2])
	h.expectDivided("a's only endpoint and one of b's", 25, 25)
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
	h.expectDivided("after the moves", 5)
}

// parents are the uplink's classes, each with the one above it.
func (h *host) parents() map[uint32]uint32 {
	h.t.Helper()
	list, err := netlink.ClassList(testnet.Link(h.t, "up0"), netlink.HANDLE_NONE)
	if err != nil {
		h.t.Fatal(err)
	}
	parents := map[uint32]uint32{}
	for _, class := range list {
		parents[class.Attrs().Handle] = class.Attrs().Parent
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
