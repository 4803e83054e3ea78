// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"errors"
	"math/bits"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Fields of struct __sk_buff.
const (
	skbProtocol       = 16
	skbVLANPresent    = 20
	skbVLANTCI        = 24
	skbIngressIfindex = 36
)

const (
	tcxNext = -1
	tcxDrop = 2
	vlanID  = 0x0fff
)

// AccessPorts makes the ports of a bridge access ports of a VLAN and its uplink a trunk with that VLAN alone. Where this
// kernel has no vlan_filtering programs behind others at the uplink stand in for it.
func AccessPorts(t testing.TB, uplink netlink.Link, vlan uint16) {
	t.Helper()
	err := netlink.BridgeVlanAdd(uplink, vlan, false, false, false, true)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		standIn(t, uplink, vlan)
	case err != nil:
		t.Fatalf("VLAN %d of %s: %v", vlan, uplink.Attrs().Name, err)
	default:
		filter(t, uplink, vlan)
	}
}

// filter sets a bridge's vlan_filtering up behind its uplink.
func filter(t testing.TB, uplink netlink.Link, vlan uint16) {
	t.Helper()
	const usual = 1
	links, err := netlink.LinkList()
	if err != nil {
		t.Fatal(err)
	}
	failures := []error{netlink.BridgeVlanDel(uplink, usual, true, true, false, true)}
	for _, link := range links {
		switch {
		case link.Attrs().Index == uplink.Attrs().MasterIndex:
			// Nothing else: what was read of it may not be written back.
			bridge := &netlink.Bridge{LinkAttrs: netlink.NewLinkAttrs()}
			bridge.Name, bridge.Index = link.Attrs().Name, link.Attrs().Index
			failures = append(failures, netlink.BridgeSetVlanFiltering(bridge, true))
		case link.Attrs().MasterIndex == uplink.Attrs().MasterIndex && link.Attrs().Index != uplink.Attrs().Index:
			failures = append(failures, netlink.BridgeVlanDel(link, usual, true, true, false, true),
				netlink.BridgeVlanAdd(link, vlan, true, true, false, true))
		}
	}
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
}

func standIn(t testing.TB, uplink netlink.Link, vlan uint16) {
	t.Helper()
	attach(t, uplink, ebpf.AttachTCXIngress, asm.Instructions{
		asm.LoadMem(asm.R0, asm.R6, skbVLANPresent, asm.Word),
		asm.JEq.Imm(asm.R0, 0, "drop"), // the trunk has no untagged VLAN
		asm.LoadMem(asm.R0, asm.R6, skbVLANTCI, asm.Word),
		asm.And.Imm(asm.R0, vlanID),
		asm.JNE.Imm(asm.R0, int32(vlan), "pass"),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.FnSkbVlanPop.Call(),
	})
	attach(t, uplink, ebpf.AttachTCXEgress, asm.Instructions{
		asm.LoadMem(asm.R0, asm.R6, skbVLANPresent, asm.Word),
		asm.JNE.Imm(asm.R0, 0, "pass"),
		asm.LoadMem(asm.R0, asm.R6, skbIngressIfindex, asm.Word),
		asm.JEq.Imm(asm.R0, 0, "own"),
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Imm(asm.R2, int32(bits.ReverseBytes16(unix.ETH_P_8021Q))),
		asm.Mov.Imm(asm.R3, int32(vlan)),
		asm.FnSkbVlanPush.Call(),
		asm.Ja.Label("pass"),
		// The host's own has passed no port: its tag, if any, is in the frame.
		asm.LoadMem(asm.R0, asm.R6, skbProtocol, asm.Word).WithSymbol("own"),
		asm.JNE.Imm(asm.R0, int32(bits.ReverseBytes16(unix.ETH_P_8021Q)), "drop"),
	})
}

// attach puts a program behind the others of a hook until the test ends. It may jump to pass and drop; R6 is its packet.
func attach(t testing.TB, device netlink.Link, where ebpf.AttachType, body asm.Instructions) {
	t.Helper()
	instructions := append(asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}, body...)
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.SchedCLS, License: "Apache-2.0",
		Instructions: append(instructions,
			asm.Mov.Imm(asm.R0, tcxNext).WithSymbol("pass"),
			asm.Return(),
			asm.Mov.Imm(asm.R0, tcxDrop).WithSymbol("drop"),
			asm.Return(),
		),
	})
	if err != nil {
		t.Fatalf("%+v (this test needs root)", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	attached, err := link.AttachTCX(link.TCXOptions{
		Interface: device.Attrs().Index, Program: program, Attach: where, Anchor: link.Tail(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = attached.Close() })
}
