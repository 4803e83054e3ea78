// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func (h *host) rootOfUplink() netlink.Qdisc {
	h.t.Helper()
	all, err := netlink.QdiscList(testnet.Link(h.t, "up0"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, qdisc := range all {
		if qdisc.Attrs().Parent == netlink.HANDLE_ROOT {
			return qdisc
		}
	}
	h.t.Fatal("no root qdisc")
	return nil
}

func (h *host) expectEnforced(what string) {
	h.t.Helper()
	testnet.Until(h.t, what, func() bool { return len(h.status().NotEnforced) == 0 })
}

// expectNotEnforced waits until status names a reason that has all of these words.
func (h *host) expectNotEnforced(words ...string) {
	h.t.Helper()
	testnet.Until(h.t, "status names "+strings.Join(words, ", "), func() bool {
		for _, reason := range h.status().NotEnforced {
			missing := 0
			for _, word := range words {
				if !strings.Contains(reason, word) {
					missing++
				}
			}
			if missing == 0 {
				return true
			}
		}
		return false
	})
}

// Somebody types tc qdisc del dev up0 root, or replace.
func TestARootQdiscThatIsTakenAwayIsPutBack(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.limit("vm0", 5_000_000)
	isOurs := func() bool { return h.rootOfUplink().Attrs().Handle == htb.Handle }
	if err := netlink.QdiscDel(h.rootOfUplink()); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the root is back", isOurs)
	h.expectEnforced("and holds")
	before := h.status().Endpoints[0].Groups[0].DroppedPackets
	stop := flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	testnet.Until(t, "the limit holds", func() bool {
		g := h.status().Endpoints[0].Groups[0]
		return g.RateBitsPerSecond == 5_000_000 && g.DroppedPackets > before+100
	})
	stop()

	foreign := &netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: testnet.Link(t, "up0").Attrs().Index, Handle: 0x80010000, Parent: netlink.HANDLE_ROOT},
		Rate:       1_000_000, Limit: 9000, Buffer: 5000,
	}
	if err := netlink.QdiscReplace(foreign); err != nil {
		t.Fatal(err)
	}
	h.expectNotEnforced("no limit holds at the uplink", "tbf", "replaceRootQdisc")
	if e := h.status().Endpoints; len(e) != 1 {
		t.Errorf("%+v", e)
	}
	if err := netlink.QdiscDel(foreign); err != nil {
		t.Fatal(err)
	}
	h.expectEnforced("once the other is gone")
	if !isOurs() {
		t.Error("status says that all is enforced")
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestARootQdiscOfOthersIsReplacedAgainWhereAllowed(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { c.ReplaceRootQdisc = true }).run()
	foreign := netlink.QdiscAttrs{LinkIndex: testnet.Link(t, "up0").Attrs().Index, Handle: 0x80010000, Parent: netlink.HANDLE_ROOT}
	if err := netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: foreign, QdiscType: "pfifo"}); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the root is ours", func() bool { return h.rootOfUplink().Attrs().Handle == htb.Handle })
	h.expectEnforced("and holds")
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if kind := h.rootOfUplink().Type(); kind != "pfifo" {
		t.Errorf("%s is left, want what the other had put there", kind)
	}
}

// attachPassing has a foreign program that passes all packets run at an interface, until the test or what is returned
// ends it.
func attachPassing(t *testing.T, name string, where ebpf.AttachType, anchor link.Anchor) (detach func()) {
	t.Helper()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "passes_all", Type: ebpf.SchedCLS, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	attached, err := link.AttachTCX(link.TCXOptions{
		Interface: testnet.Link(t, name).Attrs().Index, Program: program, Attach: where, Anchor: anchor,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = attached.Close() })
	return func() { _ = attached.Close() }
}

// A program before ours that passes packets ends the chain of tcx.
func TestProgramsOfOthersAreShown(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	detach := attachPassing(t, "vm0", ebpf.AttachTCXIngress, link.Head())
	h.expectNotEnforced("vm0", "passes_all", "tcx ingress")
	detach()
	h.expectEnforced("once it is gone")
	attachPassing(t, "vm0", ebpf.AttachTCXIngress, nil)
	testnet.Until(t, "it is shown behind ours", func() bool {
		all := h.status().Neighbours
		return len(all) == 1 && all[0].Name == "passes_all" && !all[0].Before
	})
	h.expectEnforced("behind ours it changes nothing")
}
