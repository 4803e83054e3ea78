// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// onBridge makes a host whose endpoints are its bridge's ports.
func onBridge(c *config.Host) { c.Endpoints = config.Sources{Source: config.SourceBridge} }

// addPort makes a VM with a port of the bridge, as vm0 has one.
func (h *host) addPort(vmName, name string) netlink.Link {
	h.t.Helper()
	return h.addPortWith(testnet.Guest, vmName, name)
}

func (h *host) addPortWith(connect testnet.Connect, vmName, name string) (vm netlink.Link) {
	h.t.Helper()
	vm, port := connect(h.t, vmName, name)
	if err := netlink.LinkSetMaster(port, testnet.Link(h.t, "br0")); err != nil {
		h.t.Fatal(err)
	}
	return vm
}

// endpoint is the state of an endpoint; false where there is none.
func (h *host) endpoint(name string) (endpoints.Status, bool) {
	h.t.Helper()
	for _, e := range h.status().Endpoints {
		if e.Interface == name {
			return e, true
		}
	}
	return endpoints.Status{}, false
}

func (h *host) hasEndpoint(name string) bool {
	_, found := h.endpoint(name)
	return found
}

func (h *host) learned(name string) []netip.Addr {
	e, _ := h.endpoint(name)
	return e.IPs
}

func (h *host) limit(name string, bitsPerSecond uint64) {
	h.t.Helper()
	_, err := h.agent.Handle(status.Request{
		Command: status.CommandLimit, Interface: name, RateBitsPerSecond: bitsPerSecond,
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// announce has a VM announce its address until it is learned.
func (h *host) announce(vm netlink.Link, name string, address netip.Addr) {
	h.t.Helper()
	sender := testnet.NewSender(h.t, vm)
	testnet.Until(h.t, "the address is learned", func() bool {
		sender.Send(announcement(vm, address))
		return slices.Equal(h.learned(name), []netip.Addr{address})
	})
}

func announcement(vm netlink.Link, address netip.Addr) []byte {
	mac := [6]byte(vm.Attrs().HardwareAddr)
	frame := testnet.ARP(mac, address, address)
	copy(frame[6:], mac[:])
	return frame
}

func from(vm netlink.Link, source, destination netip.Addr) []byte {
	return fromMAC([6]byte(vm.Attrs().HardwareAddr), source, destination)
}

func fromMAC(mac [6]byte, source, destination netip.Addr) []byte {
	frame := outward(source, destination, testnet.NotECT)
	copy(frame[6:], mac[:])
	return frame
}

func TestPortsOfTheUplinksBridgeAreEndpoints(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	observer := h.runObserved()
	if endpoints := h.status().Endpoints; len(endpoints) != 1 || endpoints[0].Interface != "vm0" || len(endpoints[0].IPs) != 0 {
		t.Fatalf("%+v, want vm0 without an address", endpoints)
	}
	testnet.Veth(t, "stranger", "nobridge")
	second := h.addPort("second", "vm1")
	h.announce(h.vm, "vm0", ownIP)
	testnet.Until(t, "a new port is an endpoint", func() bool { return h.hasEndpoint("vm1") })
	if e, _ := h.endpoint("vm0"); e.MAC != h.vm.Attrs().HardwareAddr.String() {
		t.Errorf("MAC %s, want %s", e.MAC, h.vm.Attrs().HardwareAddr)
	}
	h.announce(second, "vm1", otherIP)
	observer.until("controllers have both with their addresses", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 2 &&
			e.Endpoints[0].Interface == "vm0" && slices.Equal(e.Endpoints[0].IPs, []netip.Addr{ownIP}) &&
			slices.Equal(e.Endpoints[1].IPs, []netip.Addr{otherIP}) &&
			e.Endpoints[1].MAC.String() == second.Attrs().HardwareAddr.String()
	})
	capture := testnet.NewCapture(t, h.far)
	untilEnforced(t, testnet.NewSender(t, second), capture, from(second, otherIP, peerIP))

	if err := netlink.LinkSetNoMaster(testnet.Link(t, "vm1")); err != nil {
		t.Fatal(err)
	}
	observer.until("controllers get that one has left the bridge", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 1 && e.Endpoints[0].Interface == "vm0"
	})
	if h.hasEndpoint("vm1") || h.hasEndpoint("nobridge") || h.hasEndpoint("br0") || h.hasEndpoint("up0") {
		t.Errorf("endpoints %+v", h.status().Endpoints)
	}
	if err := netlink.LinkSetMaster(testnet.Link(t, "vm1"), testnet.Link(t, "br0")); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "it is back", func() bool { return h.hasEndpoint("vm1") })
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
	if size := testnet.Link(t, "vm1").Attrs().GSOMaxSize; size != 65536 {
		t.Errorf("gso_max_size of vm1 is %d, want what it was", size)
	}
}

func TestPacketsToAnEndpointWithoutAddressArePassedOn(t *testing.T) {
	t.Parallel()
	for _, antiSpoof := range []bool{true, false} {
		h := newHost(t, func(c *config.Host) { onBridge(c); c.AntiSpoof = antiSpoof }).run()
		vm := testnet.NewCapture(t, h.vm)
		testnet.NewSender(t, h.far).Send(inward(peerIP, ownIP, testnet.CE))
		vm.Next(eventually, udp)
		testnet.Until(t, "the engine goes on", func() bool { return h.status().Endpoints[0].RxPackets > 0 })
		h.announce(h.vm, "vm0", ownIP)
	}
}

func TestAnAddressBelongsToItsFirstOwner(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	observer := h.runObserved()
	thief := h.addPort("thief", "vm1")
	h.announce(h.vm, "vm0", ownIP)
	sender := testnet.NewSender(t, thief)
	spoofed := func() uint64 { e, _ := h.endpoint("vm1"); return e.SpoofedPackets }
	early := from(thief, ownIP, otherIP) // what left before the programs were attached may still be on its way
	sent := uint64(0)
	testnet.Until(t, "the port's programs are attached", func() bool {
		sender.Send(early)
		sent++
		return spoofed() > 0
	})
	testnet.Until(t, "none of them is on its way", func() bool { return testnet.Link(t, "vm1").Attrs().Statistics.RxPackets >= sent })
	before := spoofed()
	capture := testnet.NewCapture(t, h.far)
	for range 20 {
		sender.Send(announcement(thief, ownIP))
		sender.Send(from(thief, ownIP, peerIP))
	}
	refusals := func() int {
		return observer.count(func(e model.Event) bool {
			return e.Kind == model.Spoofed && strings.Contains(e.Detail, "vm1 claims 10.0.0.1, which is vm0's")
		})
	}
	testnet.Until(t, "the claim is reported", func() bool { return refusals() == 1 })
	testnet.Until(t, "all are counted as spoofed", func() bool { return spoofed() == before+40 })
	if reports := refusals(); reports != 1 {
		t.Errorf("reported %d times, want once", reports)
	}
	spoofs := func(frame []byte) bool { return bytes.Equal(frame[6:12], early[6:12]) && !bytes.Equal(frame, early) }
	if frames := capture.Waiting(spoofs); len(frames) != 0 {
		t.Errorf("spoofed frames on the wire: %x", frames)
	}
	if len(h.learned("vm1")) != 0 {
		t.Errorf("vm1 has %v", h.learned("vm1"))
	}

	testnet.Delete(t, "vm0")
	testnet.Until(t, "the owner has gone", func() bool { return !h.hasEndpoint("vm0") })
	h.announce(thief, "vm1", ownIP) // it is free for another
}

func TestAMACBelongsToItsFirstOwner(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	observer := h.runObserved()
	h.announce(h.vm, "vm0", ownIP)
	thief := h.addPort("thief", "vm1")
	sender := testnet.NewSender(t, thief)
	testnet.Until(t, "the claim is reported", func() bool {
		sender.Send(announcement(h.vm, otherIP))
		return observer.count(func(e model.Event) bool {
			return e.Kind == model.Spoofed && strings.Contains(e.Detail, "vm1 claims MAC")
		}) == 1
	})
	if len(h.learned("vm1")) != 0 {
		t.Errorf("vm1 has %v", h.learned("vm1"))
	}
}

func TestSpoofingIsReportedAtOnceAndThenRateLimited(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	observer := h.runObserved()
	reports := func() int {
		return observer.count(func(e model.Event) bool { return e.Kind == model.Spoofed })
	}
	sender := testnet.NewSender(t, h.vm)
	sender.Send(outward(otherIP, peerIP, testnet.NotECT))
	observer.until("the first is reported", func(e model.Event) bool {
		return e.Kind == model.Spoofed && strings.HasPrefix(e.Detail, "vm0: 1 packets")
	})
	for range 50 {
		sender.Send(outward(otherIP, peerIP, testnet.NotECT))
	}
	testnet.Until(t, "all are counted", func() bool { return h.status().Endpoints[0].SpoofedPackets == 51 })
	if more := reports(); more != 0 {
		t.Errorf("%d more reports within the first seconds, want none", more)
	}
}

func TestALimitHoldsForAPortRecreatedUnderTraffic(t *testing.T) {
	t.Parallel()
	const limit = 1_000_000
	h := newHost(t, onBridge).run()
	h.announce(h.vm, "vm0", ownIP)
	h.limit("vm0", limit)
	// flood sends more than the limit lets through and checks that it held.
	flood := func() {
		t.Helper()
		started := time.Now()
		before, _ := h.endpoint("vm0")
		sender := testnet.NewSender(t, h.vm)
		var frames atomic.Uint64
		stop := testnet.Paced(t, time.Millisecond, func() { sender.Send(from(h.vm, ownIP, peerIP)); frames.Add(1) })
		time.Sleep(300 * time.Millisecond) // the measurement's length, not a wait for something
		stop()
		var after endpoints.Status
		testnet.Until(t, "the shim has counted all frames", func() bool {
			after, _ = h.endpoint("vm0")
			return after.TxPackets-before.TxPackets >= frames.Load()
		})
		elapsed := time.Since(started)
		sent := after.Groups[0].SentBytes - before.Groups[0].SentBytes
		if most := limit/8*elapsed.Seconds() + 12_000; float64(sent) > most { // bursts of 2 MTU
			t.Errorf("%d bytes sent in %v, at most %.0f", sent, elapsed, most)
		}
		if sent < limit/8/10 {
			t.Errorf("%d bytes sent in %v: hardly anything", sent, elapsed)
		}
		if after.DroppedPackets == before.DroppedPackets {
			t.Error("nothing dropped: the limit was not put to the test")
		}
	}
	flood()
	h.remake()
	testnet.Until(t, "it is known again by its traffic", func() bool {
		testnet.NewSender(t, h.vm).Send(from(h.vm, ownIP, peerIP))
		e, _ := h.endpoint("vm0")
		return slices.Equal(e.IPs, []netip.Addr{ownIP}) && e.Ifindex == testnet.Link(t, "vm0").Attrs().Index && len(e.Groups) > 0
	})
	flood()
}

func TestANamedBridgeMustBeTheUplinks(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) {
		c.Endpoints = config.Sources{Source: config.SourceBridge, Bridge: "br7"}
	})
	_, err := Start(h.settings, "test", nil, quiet)
	if err == nil || !strings.Contains(err.Error(), `endpoints.bridge: "br7"`) || !strings.Contains(err.Error(), "br0") {
		t.Fatalf("%v, want a refusal that names both bridges", err)
	}
	h.expectNothingLeft()
}

func TestTheAgentWaitsUntilTheUplinkIsInABridge(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	up0 := testnet.Link(t, "up0")
	if err := netlink.LinkSetNoMaster(up0); err != nil {
		t.Fatal(err)
	}
	h.run()
	s := h.status()
	if len(s.Endpoints) != 0 || len(s.Waiting) != 1 || s.Waiting[0].Interface != "up0" || !strings.Contains(s.Waiting[0].Reason, "bridge") {
		t.Fatalf("%+v %+v, want nothing but waiting", s.Endpoints, s.Waiting)
	}
	if err := netlink.LinkSetMaster(up0, testnet.Link(t, "br0")); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the ports are endpoints", func() bool {
		return h.hasEndpoint("vm0") && len(h.status().Waiting) == 0
	})
}

func TestAnEndpointsBridgeIsReported(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	o := h.runObserved()
	expect := func(what string, want model.Metadata) {
		t.Helper()
		o.until(what, func(e model.Event) bool {
			return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 1 && e.Endpoints[0].Metadata.Equal(want)
		})
	}
	expect("the bridge's name", model.Metadata{Bridge: "br0"})
	if err := netlink.LinkSetNoMaster(testnet.Link(t, "vm0")); err != nil {
		t.Fatal(err)
	}
	expect("none any more", model.Metadata{})
}
