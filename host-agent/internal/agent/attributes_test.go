// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// attributes are what the agent changes on its devices, and what the kernel changes with it: gso_ipv4_max_size
// with gso_max_size, and a queue length of 0 with the first qdisc.
func attributes(t *testing.T) string {
	t.Helper()
	vm0, up0 := testnet.Link(t, "vm0").Attrs(), testnet.Link(t, "up0").Attrs()
	return fmt.Sprintf("gso_max_size %d, gso_ipv4_max_size %d, txqueuelen %d", vm0.GSOMaxSize, vm0.GSOIPv4MaxSize, up0.TxQLen)
}

func TestAttributesThatTheKernelChangesWithOthersAreRestored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ superPackets, ofIPv4, queueLength int }{
		{196608, 196608, 0}, {65536, 196608, 1000}, {196608, 65536, 500}, {20000, 65536, 0},
	} {
		for _, isKilled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v, killed %v", c, isKilled), func(t *testing.T) {
				t.Parallel()
				h := newHostWith(t, testnet.Veth, nil) // a tap has no BIG TCP
				for _, err := range []error{
					netlink.LinkSetGSOMaxSize(testnet.Link(t, "vm0"), c.superPackets),
					netlink.LinkSetGSOIPv4MaxSize(testnet.Link(t, "vm0"), c.ofIPv4),
					netlink.LinkSetTxQLen(testnet.Link(t, "up0"), c.queueLength),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				before := attributes(t)
				if isKilled {
					child := h.runChild()
					_ = child.Process.Kill()
					_ = child.Wait()
				} else {
					h.run()
					h.limit("vm0", 7_000_000)
				}
				if vm0 := testnet.Link(t, "vm0").Attrs(); vm0.GSOMaxSize > 65535 || vm0.GSOIPv4MaxSize != vm0.GSOMaxSize {
					t.Errorf("%s: super-packets of IPv4 are not bounded", attributes(t))
				}
				if isKilled {
					if found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); err != nil || !found {
						t.Errorf("cleanup: found %v, %v", found, err)
					}
				} else if err := h.stop(); err != nil {
					t.Error(err)
				}
				if after := attributes(t); after != before {
					t.Errorf("%s, want %s", after, before)
				}
			})
		}
	}
}

// Another program sets bounds of its own, as Cilium does for BIG TCP.
func TestAttributesThatOthersChangeArePutBack(t *testing.T) {
	t.Parallel()
	h := newHostWith(t, testnet.Veth, nil).run() // a tap has no super-packets over 64 KiB
	h.limit("vm0", 40_000_000)
	ours := attributes(t)
	setBySomebody := func(superPackets, ofIPv4 int) string {
		t.Helper()
		for _, err := range []error{
			netlink.LinkSetGSOMaxSize(testnet.Link(t, "vm0"), superPackets),
			netlink.LinkSetGSOIPv4MaxSize(testnet.Link(t, "vm0"), ofIPv4),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return fmt.Sprintf("gso_max_size %d, gso_ipv4_max_size %d", superPackets, ofIPv4)
	}
	setBySomebody(65536, 196608)
	testnet.Until(t, "ours are back", func() bool { return attributes(t) == ours })
	theirs := setBySomebody(60000, 50000)
	testnet.Until(t, "ours are back again", func() bool { return attributes(t) == ours })
	if h.limit("vm0", 20_000_000); attributes(t) == ours {
		t.Error("they do not follow the limit any more")
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if after := attributes(t); !strings.HasPrefix(after, theirs+",") {
		t.Errorf("%s are left, want what the other had set last: %s", after, theirs)
	}
}
