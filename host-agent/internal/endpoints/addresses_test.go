// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// learner is an endpoint that learns its addresses, on a host without an engine: the test sets the
// time.
type learner struct {
	t        *testing.T
	shim     *shim.Shim
	endpoint *Endpoint
	vm       netlink.Link
	sender   *testnet.Sender
	events   []model.Event
}

func (l *learner) Report(event model.Event) { l.events = append(l.events, event) }

var shims shim.Pool

func newLearner(t *testing.T) *learner {
	t.Helper()
	testnet.Enter(t)
	vm, vm0 := testnet.Guest(t, "vm", "vm0")
	_, up0 := testnet.Veth(t, "far", "up0")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v (this test needs root)", err)
		}
	}
	directory := t.TempDir()
	run, bpf := filepath.Join(directory, "run"), filepath.Join(directory, "bpf")
	must(os.Mkdir(run, 0o700))
	traces, err := footprint.New(run, bpf)
	must(err)
	conn, err := htb.Dial()
	must(err)
	tree, err := htb.NewTree(conn, "up0", up0.Attrs().Index, 1500, 50_000_000, false)
	must(err)
	programs, giveBack, err := shims.Take([]int{up0.Attrs().Index}, 253)
	must(err)
	devices, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	must(err)
	l := &learner{t: t, shim: programs, vm: vm, sender: testnet.NewSender(t, vm)}
	log := slog.New(slog.DiscardHandler)
	table := NewTable(&Host{
		Config:    config.Host{Uplink: config.Uplink{CapacityMbps: 50}, AntiSpoof: true, Enforcement: true},
		UplinkMTU: 1500, Shim: programs, Tree: tree, Devices: devices, Footprint: traces,
		Pacer: engine.NewPacer(engine.DefaultPace, 0), Faults: faults.New(log, l), Events: l, Log: log,
	})
	t.Cleanup(func() {
		devices.Close()
		if err := errors.Join(programs.DetachAll(), programs.Close(), traces.Undo(), conn.Close()); err != nil {
			t.Error(err)
		}
		giveBack()
	})
	programs.RenewLease(math.MaxInt64)
	programs.SetEnforcing(true)
	must(table.Add([]Described{{vm0, model.Endpoint{Interface: "vm0"}}})["vm0"])
	must(programs.AttachEndpoint(bpf, model.Place{Ifindex: vm0.Attrs().Index}))
	l.endpoint = table.All()[0]
	return l
}

// announce has the VM claim an address, and waits until the shim has decided.
func (l *learner) announce(address netip.Addr) {
	l.t.Helper()
	count := l.shim.AddressCount(l.endpoint.index)
	_, refused := l.shim.RefusedClaim(l.endpoint.index)
	mac := [6]byte(l.vm.Attrs().HardwareAddr)
	frame := testnet.ARP(mac, address, address)
	copy(frame[6:], mac[:])
	l.sender.Send(frame)
	testnet.Until(l.t, "the shim has learned or refused the address", func() bool {
		_, now := l.shim.RefusedClaim(l.endpoint.index)
		return now > refused || l.shim.AddressCount(l.endpoint.index) > count
	})
}

func TestANinthAddressReplacesAnIdleOne(t *testing.T) {
	l := newLearner(t)
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 9, 0, byte(i)}) }
	start := clock.Nanos()
	refusals := func() int {
		count := 0
		for _, e := range l.events {
			if e.Kind == model.Spoofed && strings.Contains(e.Detail, "claims 10.9.0.100, but has 8 addresses") {
				count++
			}
		}
		return count
	}
	l.announce(address(3))
	l.endpoint.Turn(start)
	for i := range shim.MaxAddresses {
		if i != 3 {
			l.announce(address(i))
		}
	}
	l.endpoint.Turn(start + int64(time.Second))
	if got := len(l.endpoint.IPs); got != shim.MaxAddresses {
		t.Fatalf("%d addresses learned, want %d", got, shim.MaxAddresses)
	}
	for range 2 {
		l.announce(address(100))
		l.endpoint.Turn(start + addressIdleNanos - 1)
	}
	if got := refusals(); got != 1 {
		t.Errorf("the ninth was reported as refused %d times, want once: %+v", got, l.events)
	}
	l.announce(address(100))
	l.endpoint.Turn(start + addressIdleNanos - 1 + evictionPauseNanos) // gives one up for the next claim
	l.announce(address(100))
	l.endpoint.Turn(start + addressIdleNanos - 1 + evictionPauseNanos)
	if got := l.endpoint.IPs; len(got) != shim.MaxAddresses || slices.Contains(got, address(3)) ||
		!slices.Contains(got, address(100)) {
		t.Errorf("%v, want the ninth instead of %s", got, address(3))
	}
	if got := refusals(); got != 1 {
		t.Errorf("%d refusals reported in the end, want one", got)
	}
}

func TestANewMACReplacesAnIdleOne(t *testing.T) {
	l := newLearner(t)
	start := clock.Nanos()
	l.announce(netip.MustParseAddr("10.9.0.1"))
	l.endpoint.Turn(start)
	first, second := l.endpoint.MAC, net.HardwareAddr{2, 0, 0, 0, 0, 0x77}
	frame := testnet.ARP([6]byte(second), netip.MustParseAddr("10.9.0.1"), netip.MustParseAddr("10.9.0.1"))
	copy(frame[6:], second)
	send := func() {
		t.Helper()
		_, before := l.shim.ForeignMAC(l.endpoint.index)
		l.sender.Send(frame)
		testnet.Until(t, "the shim has refused or taken the MAC", func() bool {
			_, now := l.shim.ForeignMAC(l.endpoint.index)
			return now > before || slices.Equal(l.shim.MAC(l.endpoint.index), second)
		})
	}
	send()
	l.endpoint.Turn(start + macIdleNanos - 1)
	if mac := l.shim.MAC(l.endpoint.index); !slices.Equal(mac, first) {
		t.Fatalf("MAC %s within a minute, want %s", mac, first)
	}
	send()
	l.endpoint.Turn(start + macIdleNanos)
	send()
	l.endpoint.Turn(start + macIdleNanos + 1)
	if !slices.Equal(l.endpoint.MAC, second) {
		t.Errorf("MAC %s after a minute, want %s", l.endpoint.MAC, second)
	}
}
