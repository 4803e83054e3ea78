// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// switched is a host whose endpoints Open vSwitch's database names. What forwards is a Linux bridge:
// the agent does not care.
func switched(t *testing.T) (*host, *testnet.OpenVSwitch) {
	t.Helper()
	o := testnet.NewOpenVSwitch(t)
	return newHost(t, func(c *config.Host) {
		c.Endpoints = config.Sources{
			Source: config.SourceOVSDB, OVSDB: config.OVSDB{Socket: o.Socket(), Bridge: "br-int"},
		}
	}), o
}

// name has the database name an interface as a virtual machine's.
func name(o *testnet.OpenVSwitch, port string, vm netlink.Link, more ...string) {
	o.Vsctl(append([]string{"add-port", "br-int", port, "--", "set", "interface", port,
		"external_ids:iface-id=port-of-" + port,
		"external_ids:attached-mac=" + vm.Attrs().HardwareAddr.String()}, more...)...)
}

func (h *host) waitsFor(name, reason string) bool {
	return slices.ContainsFunc(h.status().Waiting, func(w interfaces.Missing) bool {
		return w.Interface == name && strings.Contains(w.Reason, reason)
	})
}

func (h *host) until(what string, holds func() bool) {
	h.t.Helper()
	testnet.Until(h.t, what, holds)
}

func TestInterfacesWithAnIfaceIDInOVSDBAreEndpoints(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	o.Vsctl("add-br", "br-int")
	name(o, "vm0", h.vm)
	observer := h.runObserved()
	if e, found := h.endpoint("vm0"); !found || len(e.IPs) != 0 || e.MAC != h.vm.Attrs().HardwareAddr.String() {
		t.Fatalf("%+v, want vm0 from the start, with its MAC", h.status().Endpoints)
	}
	h.announce(h.vm, "vm0", ownIP)

	second := h.addPort("second", "vm1")
	name(o, "vm1", second, "external_ids:ip_addresses="+otherIP.String()+"/24")
	observer.until("controllers have both", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 2 &&
			slices.Equal(e.Endpoints[0].IPs, []netip.Addr{ownIP}) &&
			slices.Equal(e.Endpoints[1].IPs, []netip.Addr{otherIP})
	})
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, second)
	untilEnforced(t, sender, capture, from(second, otherIP, peerIP))
	sender.Send(from(second, peerIP, ownIP))
	h.until("a foreign address is dropped", func() bool {
		e, _ := h.endpoint("vm1")
		return e.SpoofedPackets == 1
	})

	o.Vsctl("del-port", "vm1")
	h.until("one has gone", func() bool { return !h.hasEndpoint("vm1") })
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestAddressesOfOVSDBReplaceLearnedOnes(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	o.Vsctl("add-br", "br-int")
	name(o, "vm0", h.vm)
	h.run()
	h.announce(h.vm, "vm0", ownIP)
	second := h.addPort("second", "vm1")
	name(o, "vm1", second, "external_ids:ip="+ownIP.String())
	h.until("the address moves to another endpoint", func() bool {
		return slices.Equal(h.learned("vm1"), []netip.Addr{ownIP}) && len(h.learned("vm0")) == 0
	})
	testnet.NewSender(t, h.vm).Send(announcement(h.vm, ownIP))
	h.until("its learner is refused", func() bool { e, _ := h.endpoint("vm0"); return e.SpoofedPackets > 0 })
	h.announce(h.vm, "vm0", otherIP)

	o.Vsctl("set", "interface", "vm1", "external_ids:ip="+peerIP.String())
	h.until("the database's change is followed", func() bool {
		return slices.Equal(h.learned("vm1"), []netip.Addr{peerIP})
	})
	h.announce(second, "vm1", peerIP)
}

func TestErrorsInOVSDBAreReported(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	h.run()
	h.until("no bridge", func() bool { return h.waitsFor("br-int", "no bridge of that name") })
	o.Vsctl("add-br", "br-int")
	name(o, "vm0", h.vm)
	h.until("vm0", func() bool { return h.hasEndpoint("vm0") })
	name(o, "vm7", h.far)
	h.until("a device that is not there", func() bool { return h.waitsFor("vm7", "no interface of that name") })
	o.Vsctl("set", "interface", "vm7", "type=dpdkvhostuserclient")
	h.until("a device that never will be", func() bool { return h.waitsFor("vm7", "dpdkvhostuserclient") })
	second := h.addPort("second", "vm1")
	name(o, "vm1", h.vm)
	h.until("a MAC twice", func() bool { return h.waitsFor("vm1", "is that of vm0") && h.isHeld("vm1") })
	name(o, "vm2", second)
	o.Vsctl("set", "interface", "vm1", "external_ids:attached-mac=nonsense")
	h.until("nonsense", func() bool { return h.waitsFor("vm1", `attached-mac "nonsense" must be`) })
	name(o, "up0", second)
	h.until("the uplink", func() bool { return h.waitsFor("up0", "is the uplink") && h.waitsFor("up0", "linux-noop") })
	o.StopServer()
	h.until("no database", func() bool { return h.waitsFor("br-int", "endpoints stay as they are") })
	if !h.hasEndpoint("vm0") {
		t.Error("vm0 went with the database")
	}
	o.StartServer()
	h.until("it is back", func() bool { return !h.waitsFor("br-int", "cannot be read") })
}

// TestAUserspaceDatapathIsReported: with a true switch that forwards by itself.
func TestAUserspaceDatapathIsReported(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	for _, port := range []string{"vm0", "up0"} {
		if err := netlink.LinkSetNoMaster(testnet.Link(t, port)); err != nil {
			t.Fatal(err)
		}
	}
	o.StartSwitch()
	o.Vsctl("add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=netdev")
	o.Vsctl("add-port", "br-int", "up0", "--", "--id=@noop", "create", "qos", "type=linux-noop", "--", "set", "port", "up0", "qos=@noop")
	name(o, "vm0", h.vm)
	h.run()
	if h.waitsFor("up0", "") || !h.waitsFor("br-int", "userspace datapath") || !h.hasEndpoint("vm0") {
		t.Fatalf("%+v, want vm0 and a warning about the datapath", h.status())
	}
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	h.until("the switch forwards", func() bool {
		sender.Send(outward(ownIP, peerIP, testnet.CE))
		return len(capture.Waiting(udp)) > 0
	})
	sender.Send(outward(ownIP, peerIP, testnet.CE))
	if frame := capture.Next(eventually, udp); testnet.ECNOf(frame) != testnet.CE {
		t.Error("the shim changed what the userspace datapath forwards: correct docs/agent-configuration.md")
	}
	h.announce(h.vm, "vm0", ownIP)
}
