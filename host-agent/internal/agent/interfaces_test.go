// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// remake deletes the VM's devices and makes new ones under the same names, in the bridge.
func (h *host) remake() {
	h.t.Helper()
	testnet.Delete(h.t, "vm0")
	h.vm = h.addPort("vm", "vm0")
}

// untilEnforced sends a frame of IPv4 until the shim is seen at work: ECT(0) on the wire. A bridge drops what a port
// sends while that is coming up.
func untilEnforced(t *testing.T, sender *testnet.Sender, capture *testnet.Capture, frame []byte) {
	t.Helper()
	testnet.Until(t, "the programs are attached", func() bool {
		sender.Send(frame)
		return slices.ContainsFunc(capture.Waiting(udp), func(f []byte) bool {
			return testnet.ECNOf(f) == testnet.ECT0 && bytes.Equal(f[26:34], frame[26:34]) // not of another VM
		})
	})
}

func TestARecreatedInterfaceIsTakenOver(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	observer := h.runObserved()
	h.limit("vm0", 7_000_000)
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{{Interface: "vm0", Tenant: "gold", Weight: 2}})
	h.share(20_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	capture := testnet.NewCapture(t, h.far)
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	capture.Next(eventually, udp)

	h.remake()
	testnet.Until(t, "the new interface is the endpoint", func() bool {
		e, found := h.endpoint("vm0")
		return found && e.Ifindex == testnet.Link(t, "vm0").Attrs().Index
	})
	observer.until("controllers get it", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 1 && slices.Equal(e.Endpoints[0].IPs, h.agent.config.StaticEndpoints()[0].IPs)
	})
	if e, _ := h.endpoint("vm0"); e.RateBitsPerSecond != 7_000_000 || e.Tenant != "gold" || e.TxPackets != 0 {
		t.Errorf("%+v: want the operator's limit, the tenant, and fresh counters", e)
	}
	sender := testnet.NewSender(t, h.vm)
	untilEnforced(t, sender, capture, outward(ownIP, peerIP, testnet.NotECT))
	h.share(20_000_000, 4, peerIP)
	testnet.Until(t, "shares act on it", func() bool {
		g, ok := h.group(testPort)
		sender.Send(outward(ownIP, peerIP, testnet.NotECT))
		return ok && g.SentPackets > 0
	})
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestARemovedInterfaceDoesNotDisturbOthers(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge).run()
	second := h.addPort("second", "vm1")
	h.announce(h.vm, "vm0", ownIP)
	h.announce(second, "vm1", otherIP)
	before, _ := h.endpoint("vm1")
	testnet.Delete(t, "vm0")
	testnet.Until(t, "one has gone", func() bool { return !h.hasEndpoint("vm0") })
	testnet.NewSender(t, second).Send(from(second, otherIP, peerIP))
	testnet.Until(t, "the other counts on", func() bool {
		e, _ := h.endpoint("vm1")
		return e.Ifindex == before.Ifindex && e.TxPackets > before.TxPackets
	})
}

func TestTheAgentWaitsForAMissingInterface(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) {
		c.Endpoints.Static = append(c.Endpoints.Static,
			config.StaticEndpoint{Interface: "vm1", MAC: "02:00:00:00:00:02", IPs: []string{otherIP.String()}})
	})
	observer := h.runObserved()
	s := h.status()
	if len(s.Endpoints) != 1 || len(s.Waiting) != 1 || s.Waiting[0].Interface != "vm1" || s.Waiting[0].Reason == "" {
		t.Fatalf("%+v %+v, want vm0 and waiting for vm1", s.Endpoints, s.Waiting)
	}
	h.limit("vm1", 3_000_000)
	second := h.addPort("second", "vm1")
	testnet.Until(t, "it is picked up, with the limit set before", func() bool {
		e, found := h.endpoint("vm1")
		return found && e.RateBitsPerSecond == 3_000_000 && len(h.status().Waiting) == 0
	})
	observer.until("controllers get it", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 2
	})
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, second)
	untilEnforced(t, sender, capture, fromMAC([6]byte{2, 0, 0, 0, 0, 2}, otherIP, peerIP))
}

func TestManyInterfacesAreAddedAndRemoved(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge).run()
	names := []string{"vma", "vmb", "vmc", "vmd", "vme.100", "vmf"}
	for range 3 {
		for _, name := range names {
			h.addPort(name+"x", name)
		}
		testnet.Until(t, "all are endpoints", func() bool { return len(h.status().Endpoints) == 1+len(names) })
		for _, name := range names {
			testnet.Delete(t, name)
		}
		testnet.Until(t, "all have gone", func() bool { return len(h.status().Endpoints) == 1 })
	}
	classes, err := netlink.ClassList(testnet.Link(t, "up0"), netlink.HANDLE_NONE)
	if err != nil || len(classes) != 7 {
		t.Errorf("%d classes, %v; want the uplink's, the open one, the tenant's and vm0's four", len(classes), err)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestTheAgentEndsWithItsUplink(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	a, err := Start(h.settings, "test", nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventually)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	testnet.Delete(t, "up0")
	select {
	case err = <-done:
	case <-time.After(eventually):
		t.Fatal("it runs on")
	}
	if !errors.Is(err, interfaces.ErrUplinkGone) || !strings.Contains(err.Error(), "up0") {
		t.Errorf("%v, want that the uplink has gone", err)
	}
	if err := a.Stop(); err != nil {
		t.Error(err)
	}
}

// The kernel takes any bytes for a name but slashes, colons and blanks.
func TestAnInterfaceWhoseNameCannotBeReportedIsBlockedAlone(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	h.addPort("invalid", "tap\xff")
	h.addPort("foreign", "tapä")
	observer := h.runObserved()
	h.announce(h.vm, "vm0", ownIP)
	observer.until("controllers have the others", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && len(e.Endpoints) == 1 && e.Endpoints[0].Interface == "vm0"
	})
	control := h.addPort("control", "tap\x01")
	for _, name := range []string{`tap\xff`, "tapä", `tap\x01`} {
		h.until(name+" is shown", func() bool { return h.waitsFor(name, "rename the interface") })
	}
	observer.until("controllers have the reasons", func(e model.Event) bool {
		return e.Kind == model.ConditionsChanged && len(e.Conditions) == 3
	})
	before := h.status().Shim.HeldPackets
	testnet.NewSender(t, control).Send(from(control, otherIP, peerIP))
	h.until("its packets are dropped and counted", func() bool { return h.status().Shim.HeldPackets > before })
	if endpoints := h.status().Endpoints; len(endpoints) != 1 || endpoints[0].Interface != "vm0" {
		t.Errorf("%+v, want vm0 alone", endpoints)
	}

	if err := netlink.LinkSetName(testnet.Link(t, "tap\x01"), "tap1"); err != nil {
		t.Fatal(err)
	}
	h.announce(control, "tap1", otherIP)
	if err := netlink.LinkSetName(testnet.Link(t, "tap1"), "tap\xfe"); err != nil {
		t.Fatal(err)
	}
	h.until("the endpoint is none under its new name", func() bool {
		return !h.hasEndpoint("tap1") && h.waitsFor(`tap\xfe`, "rename the interface")
	})
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}
