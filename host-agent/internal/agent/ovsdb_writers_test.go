// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// plug is a port of the bridge with these external_ids of its interface and of the port itself.
func plug(o *testnet.OpenVSwitch, name, interfaceIDs, portIDs string) {
	arguments := []string{"add-port", "br-int", name}
	if interfaceIDs != "" {
		arguments = append(arguments, "--", "set", "interface", name, "external_ids={"+interfaceIDs+"}")
	}
	if portIDs != "" {
		arguments = append(arguments, "--", "set", "port", name, "external_ids={"+portIDs+"}")
	}
	o.Vsctl(arguments...)
}

// isHeld reports whether the status shows an interface as held.
func (h *host) isHeld(name string) bool {
	return slices.ContainsFunc(h.status().Waiting, func(m interfaces.Missing) bool { return m.Interface == name && m.Held })
}

func TestInterfacesAreEndpointsAsNovaOVNKubernetesAndAntreaDescribeThem(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	o.Vsctl("add-br", "br-int")
	h.run()
	capture := testnet.NewCapture(t, h.far)
	address := netip.MustParseAddr("10.0.0.11")
	for _, c := range []struct{ name, ofInterface, ofPort string }{
		{"nova", `iface-id=p1,attached-mac="MAC",iface-status=active,vm-uuid=u`, ""},
		{"ovnk", `iface-id=ns_pod,attached_mac="MAC",iface-id-ver=u,sandbox=s,ip_addresses="IP/24"`, ""},
		{"antrea", "", `attached-mac="MAC",ip-address="IP",container-id=c,pod-name=p,pod-namespace=ns,antrea-type=container`},
	} {
		vm := h.addPort(c.name+"-vm", c.name)
		values := strings.NewReplacer("MAC", vm.Attrs().HardwareAddr.String(), "IP", address.String()).Replace
		plug(o, c.name, values(c.ofInterface), values(c.ofPort))
		h.until(c.name+" is an endpoint", func() bool {
			e, found := h.endpoint(c.name)
			return found && e.MAC == vm.Attrs().HardwareAddr.String()
		})
		if c.name == "nova" {
			h.announce(vm, c.name, address)
		} else if e, _ := h.endpoint(c.name); !slices.Equal(e.IPs, []netip.Addr{address}) {
			t.Errorf("%s has %v, want %s", c.name, e.IPs, address)
		}
		sender := testnet.NewSender(t, vm)
		untilEnforced(t, sender, capture, from(vm, address, peerIP))
		sender.Send(from(vm, ownIP, peerIP))
		h.until("a foreign address is dropped", func() bool { e, _ := h.endpoint(c.name); return e.SpoofedPackets == 1 })
		address = address.Next()
	}
}

// Kube-OVN gives no MAC: the pod's end of the veth has it, once that is in the pod's network namespace.
func TestAPodsMACIsThatOfItsEndOfTheVeth(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	o.Vsctl("add-br", "br-int")
	h.run()
	capture := testnet.NewCapture(t, h.far)
	inside := h.addPortWith(testnet.Veth, "eth0", "pod_h")
	plug(o, "pod_h", fmt.Sprintf(`iface-id=pod.ns,vendor=kube-ovn,pod_name=pod,pod_netns="/run/netns/x",ip="%s"`, otherIP), "")
	h.until("it is waited for", func() bool { return h.waitsFor("pod_h", "no pod's network namespace yet") && h.isHeld("pod_h") })
	sender := testnet.NewSender(t, inside)
	h.until("what it sends is dropped", func() bool {
		sender.Send(from(inside, otherIP, peerIP))
		return h.status().Shim.HeldPackets > 2
	})
	if passed := capture.Waiting(udp); len(passed) > 0 {
		t.Errorf("%d packets pass that nothing limits", len(passed))
	}

	pod, mac := testnet.NewNamespace(t), net.HardwareAddr{2, 0, 0, 0, 7, 7}
	pod.Take(inside, mac, otherIP.String()+"/24")
	has := func(mac string) bool { e, found := h.endpoint("pod_h"); return found && e.MAC == mac }
	h.until("it is an endpoint", func() bool { return has(mac.String()) })
	pod.Do(func() (err error) {
		inside, err = netlink.LinkByName("eth0")
		sender = testnet.NewSender(t, inside)
		return err
	})
	untilEnforced(t, sender, capture, fromMAC([6]byte(mac), otherIP, peerIP))

	// Whoever may change it inside cannot have it followed, nor does a restart.
	other := net.HardwareAddr{2, 0, 0, 0, 7, 8}
	pod.Do(func() error { return netlink.LinkSetHardwareAddr(inside, other) })
	if err := h.handsOver(); err != nil {
		t.Fatal(err)
	}
	h.run()
	h.until("it is the same endpoint", func() bool { return has(mac.String()) })
	sender.Send(fromMAC([6]byte(other), otherIP, peerIP))
	h.until("another MAC is dropped", func() bool { e, _ := h.endpoint("pod_h"); return e.SpoofedPackets == 1 })
}

// What is described wrongly passes neither before nor after it was an endpoint, nor on the way.
func TestWhatCannotBecomeAnEndpointIsHeld(t *testing.T) {
	t.Parallel()
	h, o := switched(t)
	o.Vsctl("add-br", "br-int")
	h.run()
	capture := testnet.NewCapture(t, h.far)
	vm := h.addPort("second", "vm1")
	sender := testnet.NewSender(t, vm)
	const half, right = "02:00:00:00:07", `iface-id=p,attached_mac="%s",ip_addresses="%s"`
	describe := func(mac string) {
		o.Vsctl("set", "interface", "vm1", "external_ids={"+fmt.Sprintf(right, mac, otherIP)+"}")
	}
	untilHeld := func(reason string) {
		t.Helper()
		h.until("it is held", func() bool { return h.waitsFor("vm1", reason) && h.isHeld("vm1") && !h.hasEndpoint("vm1") })
		dropped := h.status().Shim.HeldPackets
		h.until("its packets are dropped", func() bool {
			sender.Send(from(vm, otherIP, peerIP))
			return h.status().Shim.HeldPackets > dropped+2
		})
	}
	o.Vsctl("add-port", "br-int", "vm1", "--", "set", "interface", "vm1", "external_ids={"+fmt.Sprintf(right, half, otherIP)+"}")
	untilHeld(`attached_mac "` + half + `" must be`)
	if passed := capture.Waiting(udp); len(passed) > 0 {
		t.Errorf("%d packets pass that nothing limits", len(passed))
	}
	describe(vm.Attrs().HardwareAddr.String())
	h.until("it is an endpoint", func() bool { return h.hasEndpoint("vm1") && !h.isHeld("vm1") })
	untilEnforced(t, sender, capture, from(vm, otherIP, peerIP))

	describe("nonsense")
	untilHeld("nonsense")
	for _, frame := range capture.Waiting(udp) {
		if testnet.ECNOf(frame) != testnet.ECT0 {
			t.Error("a packet passed beside the programs")
		}
	}
	o.Vsctl("set", "interface", "vm1", "external_ids={}") // nobody's: the host's administrator's
	h.until("it is let go", func() bool { return !h.waitsFor("vm1", "") })
	h.until("it passes", func() bool {
		sender.Send(from(vm, otherIP, peerIP))
		return len(capture.Waiting(udp)) > 0
	})
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}
