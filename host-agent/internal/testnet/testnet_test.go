// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
)

var frame = Frame{
	Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.2"),
	Protocol: UDP, PayloadBytes: 100,
}.Build()

// pass sends one frame through a bridge with two fresh ports and reports whether it came through.
func pass(t *testing.T, prepare func(vm netlink.Link) (send func([]byte))) bool {
	Enter(t)
	vm, vm0 := Veth(t, "vm", "vm0")
	far, up0 := Veth(t, "far", "up0")
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "br0"
	if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attributes}); err != nil {
		t.Fatal(err)
	}
	bridge := Link(t, "br0")
	for _, port := range []netlink.Link{vm0, up0} {
		if err := netlink.LinkSetMaster(port, bridge); err != nil {
			t.Fatal(err)
		}
	}
	if err := netlink.LinkSetUp(bridge); err != nil {
		t.Fatal(err)
	}
	send := prepare(vm)
	capture := NewCapture(t, far)
	send(frame)
	for deadline := time.Now().Add(arrivesWithin); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if len(capture.Waiting(IPProtocol(UDP))) > 0 {
			return true
		}
	}
	return false
}

// arrivesWithin is far more than a frame takes through two devices and a bridge.
const arrivesWithin = 2 * time.Second

// A test may send its first frame at once: what a device that is only just made drops never comes, however
// long the test waits for it.
func TestNewDevicesForwardTheFirstFrame(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T, netlink.Link) func([]byte){
		"here": func(t *testing.T, vm netlink.Link) func([]byte) { return NewSender(t, vm).Send },
		"in a namespace of its own": func(t *testing.T, vm netlink.Link) func([]byte) {
			n := NewNamespace(t)
			n.Take(vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, "10.0.0.1/24")
			var sender *Sender
			n.Do(func() error {
				inside, err := netlink.LinkByName("vm")
				if err == nil {
					sender = NewSender(t, inside)
				}
				return err
			})
			return sender.Send
		},
	} {
		t.Run(name, func(t *testing.T) {
			const tries = 20
			passed := 0
			for range tries {
				t.Run("", func(t *testing.T) {
					if pass(t, func(vm netlink.Link) func([]byte) { return prepare(t, vm) }) {
						passed++
					}
				})
			}
			if passed != tries {
				t.Errorf("%d of %d first frames came through", passed, tries)
			}
		})
	}
}
