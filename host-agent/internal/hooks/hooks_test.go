// SPDX-License-Identifier: Apache-2.0

package hooks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func load(t *testing.T, name string, kind ebpf.ProgramType, verdict int32) *ebpf.Program {
	t.Helper()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: kind, License: "GPL", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, verdict), asm.Return()},
	})
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return program
}

func TestAllHooksAreListedInTheOrderOfPackets(t *testing.T) {
	testnet.Enter(t)
	device, _ := testnet.Veth(t, "vm0", "vm")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	index := device.Attrs().Index
	const next, xdpPass = -1, 2
	program := load(t, "at_tc", ebpf.SchedCLS, next)
	qdisc := netlink.QdiscAttrs{LinkIndex: index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT}
	must(netlink.QdiscAdd(&netlink.GenericQdisc{QdiscAttrs: qdisc, QdiscType: "clsact"}))
	for name, parent := range map[string]uint32{"legacy_in": netlink.HANDLE_MIN_INGRESS, "legacy_out": netlink.HANDLE_MIN_EGRESS} {
		attributes := netlink.FilterAttrs{LinkIndex: index, Parent: parent, Handle: 1, Priority: 1, Protocol: unix.ETH_P_ALL}
		must(netlink.FilterAdd(&netlink.BpfFilter{FilterAttrs: attributes, Fd: program.FD(), Name: name, DirectAction: true}))
	}
	for _, where := range []ebpf.AttachType{ebpf.AttachTCXEgress, ebpf.AttachTCXIngress} {
		attached, err := link.AttachTCX(link.TCXOptions{Interface: index, Program: program, Attach: where})
		must(err)
		defer attached.Close()
	}
	express, err := link.AttachXDP(link.XDPOptions{
		Interface: index, Program: load(t, "at_xdp", ebpf.XDP, xdpPass), Flags: link.XDPGenericMode,
	})
	must(err)
	defer express.Close()

	all, err := All()
	must(err)
	if len(all) != 1 || all[0].Interface != "vm0" {
		t.Fatalf("%+v", all)
	}
	var got []string
	for _, o := range all[0].Occupants {
		got = append(got, fmt.Sprintf("%s: %s", o.Hook, o.Name))
		if o.ID == 0 {
			t.Errorf("%+v", o)
		}
	}
	want := []string{"xdp: at_xdp", "tcx ingress: at_tc", "clsact ingress: legacy_in", "tcx egress: at_tc", "clsact egress: legacy_out"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
