// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/hooks"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// onDevice is a shim whose endpoint is a real interface.
type onDevice struct {
	*fixture
	device    netlink.Link
	directory string
}

func newOnDevice(t *testing.T) *onDevice {
	testnet.Enter(t)
	_, device := testnet.Guest(t, "vm", "vm0")
	f := newFixture(t)
	directory := t.TempDir()
	if err := bpffs.Prepare(directory); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bpffs.Remove(directory); err != nil {
			t.Error(err)
		}
	})
	d := &onDevice{f, device, directory}
	if err := d.occupy(endpointIndex, model.Place{Ifindex: d.ifindex()}); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *onDevice) ifindex() int { return d.device.Attrs().Index }

func (d *onDevice) attach() {
	d.t.Helper()
	if err := d.AttachEndpoint(d.directory, model.Place{Ifindex: d.ifindex()}); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = d.DetachAll() })
}

// passing is a foreign program that returns PASS, which ends the chain.
func (d *onDevice) passing(name string, where ebpf.AttachType, anchor link.Anchor) link.Link {
	d.t.Helper()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: ebpf.SchedCLS, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = program.Close() })
	attached, err := link.AttachTCX(link.TCXOptions{Interface: d.ifindex(), Program: program, Attach: where, Anchor: anchor})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = attached.Close() })
	return attached
}

func (d *onDevice) occupants() (names []string) {
	d.t.Helper()
	all, err := hooks.NewLister(&netlink.Handle{}).Of(d.device)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, o := range all {
		names = append(names, fmt.Sprint(o.Hook, ": ", o.Name))
	}
	return names
}

func (d *onDevice) expectOccupants(want ...string) {
	d.t.Helper()
	if got := d.occupants(); !slices.Equal(got, want) {
		d.t.Errorf("%q, want %q", got, want)
	}
}

func (d *onDevice) expectPutBack(what string, want bool) {
	d.t.Helper()
	own, restored, err := d.PutBack(d.ifindex())
	if at := d.Attached(); err != nil || !slices.Equal(at, []int{d.ifindex()}) || len(own) != 2 || restored != want {
		d.t.Errorf("%s: interfaces %v, programs %v, restored %v, %v", what, at, own, restored, err)
	}
}

func TestProgramsAreAttachedBeforeThoseOfOthers(t *testing.T) {
	d := newOnDevice(t)
	d.passing("earlier", ebpf.AttachTCXIngress, nil)
	d.attach()
	d.passing("later", ebpf.AttachTCXEgress, nil)
	d.expectOccupants("tcx ingress: from_vm", "tcx ingress: earlier", "tcx egress: to_vm", "tcx egress: later")
	foreign := udpOut()
	foreign.Source = other4
	testnet.NewSender(t, testnet.Link(t, "vm")).Send(foreign.Build())
	testnet.Until(t, "what the other would pass is dropped", func() bool {
		return d.Endpoint(endpointIndex).SpoofedPackets == 1
	})
}

func TestDetachedProgramsAreAttachedAgain(t *testing.T) {
	d := newOnDevice(t)
	d.attach()
	d.passing("other", ebpf.AttachTCXIngress, nil)
	pin := filepath.Join(d.directory, pinName(fromVM, d.ifindex()))
	pinned, err := link.LoadPinnedLink(pin, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pinned.Detach(); err != nil { // as bpftool link detach does
		t.Fatal(err)
	}
	_ = pinned.Close()
	d.expectPutBack("detached", true)
	d.expectOccupants("tcx ingress: from_vm", "tcx ingress: other", "tcx egress: to_vm")
	if err := os.Remove(pin); err != nil {
		t.Fatal(err)
	}
	d.expectPutBack("its pin removed", true)
	if _, err := os.Lstat(pin); err != nil {
		t.Error(err)
	}
	d.expectPutBack("nothing removed", false)
	if err := d.DetachAll(); err != nil {
		t.Fatal(err)
	}
	d.expectOccupants("tcx ingress: other")
}
