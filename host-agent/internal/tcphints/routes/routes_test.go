// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// bench is a namespace with routes of many kinds, all to one device.
type bench struct {
	t         testing.TB
	directory string
	namespace *Namespace
	device    int
	before    []byte // all routes, as they were
}

func newBench(t testing.TB) *bench {
	t.Helper()
	testnet.Enter(t)
	device, _ := testnet.Veth(t, "up0", "far")
	address, err := netlink.ParseAddr("10.0.0.1/24")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.AddrAdd(device, address); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, directory: t.TempDir(), device: device.Attrs().Index}
	hop := func(gateway string) *netlink.NexthopInfo {
		return &netlink.NexthopInfo{LinkIndex: b.device, Gw: net.ParseIP(gateway)}
	}
	for _, r := range []netlink.Route{
		{Gw: net.ParseIP("10.0.0.254"), MTU: 1400, MTULock: true, InitCwnd: 14, Congctl: "cubic"},
		{Gw: net.ParseIP("10.0.0.253"), Priority: 100},
		{Dst: network("10.7.0.0/16"), MultiPath: []*netlink.NexthopInfo{hop("10.0.0.2"), hop("10.0.0.3")}},
		{Dst: network("10.8.0.0/16"), Type: unix.RTN_BLACKHOLE},
		{Dst: network("10.9.0.0/16"), Gw: net.ParseIP("10.0.0.4"), RtoMin: 40, RtoMinLock: true, Protocol: 188},
	} {
		if r.Type == 0 && len(r.MultiPath) == 0 {
			r.LinkIndex = b.device
		}
		if err := netlink.RouteAdd(&r); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
	}
	b.open()
	b.before = b.all()
	return b
}

func network(text string) *net.IPNet {
	_, parsed, err := net.ParseCIDR(text)
	if err != nil {
		panic(err)
	}
	return parsed
}

// open is as a new agent does.
func (b *bench) open() {
	b.t.Helper()
	namespace, err := Open(netspace.Own, OpenJournal(b.directory))
	if err != nil {
		b.t.Fatal(err)
	}
	b.namespace = namespace
}

// all is the main table as the kernel lists it, but for the order: of IPv6 it lists first what was changed last.
func (b *bench) all() []byte {
	b.t.Helper()
	messages, err := b.namespace.list(true)
	if err != nil {
		b.t.Fatal(err)
	}
	messages = slices.DeleteFunc(messages, func(message []byte) bool {
		_, isMain, err := parseRoute(message)
		return err == nil && !isMain
	})
	slices.SortFunc(messages, bytes.Compare)
	return bytes.Join(messages, nil)
}

func (b *bench) sync(hints ...model.TCPHint) Result {
	b.t.Helper()
	result := b.namespace.Sync(hintset.New(hints))
	for _, failure := range result.Failures {
		b.t.Error(failure)
	}
	return result
}

// shows is what the main table has, as text, with the metrics of hints.
func (b *bench) shows() map[string]string {
	b.t.Helper()
	messages, err := b.namespace.list(true)
	if err != nil {
		b.t.Fatal(err)
	}
	table, err := parse(messages)
	if err != nil {
		b.t.Fatal(err)
	}
	lines := map[string]string{}
	for _, r := range table {
		v := r.values
		lines[fmt.Sprintf("%v %d", r.key.Destination, r.key.Priority)] =
			fmt.Sprintf("%d %d %v %s", v.InitialWindowSegments, v.RtoMinMillis, v.RtoMinLocked, v.CongestionControl)
	}
	return lines
}

func (b *bench) expect(want map[string]string) {
	b.t.Helper()
	got := b.shows()
	for route, values := range want {
		if got[route] != values {
			b.t.Errorf("%s: %q, want %q", route, got[route], values)
		}
	}
	if len(got) != len(want) {
		b.t.Errorf("%v, want %v", got, want)
	}
}

// expectRestored checks that every route is as it was, and that there is nothing to undo.
func (b *bench) expectRestored() {
	b.t.Helper()
	if !bytes.Equal(b.all(), b.before) {
		b.t.Errorf("routes are not as they were: %v", b.shows())
	}
	if _, err := os.Stat(filepath.Join(b.directory, hintsJournal)); !os.IsNotExist(err) {
		b.t.Errorf("a journal stays (%v)", err)
	}
}

func toAll(window uint32) model.TCPHint {
	return model.TCPHint{InitialWindowSegments: window, RtoMinNanos: 2_000_000}
}

func to(prefix string, window uint32) model.TCPHint {
	return model.TCPHint{Destinations: []netip.Prefix{netip.MustParsePrefix(prefix)}, InitialWindowSegments: window}
}

func TestHintsAreMetricsOfRoutesUntilTheyEnd(t *testing.T) {
	b := newBench(t)
	result := b.sync(toAll(20))
	want := map[string]string{
		"0.0.0.0/0 0": "20 2 true cubic", "0.0.0.0/0 100": "20 2 true ", "10.0.0.0/24 0": "20 2 true ",
		"10.7.0.0/16 0": "20 2 true ", "10.8.0.0/16 0": "0 0 false ", "10.9.0.0/16 0": "20 2 true ",
	}
	b.expect(want)
	if result.Routes[0] != 5 {
		t.Errorf("%d routes, want 5", result.Routes[0])
	}
	inForce := b.all()
	b.sync(toAll(20))
	if !bytes.Equal(b.all(), inForce) {
		t.Error("the same hints again change something")
	}
	b.sync(model.TCPHint{CongestionControl: "reno"})
	b.expect(map[string]string{
		"0.0.0.0/0 0": "14 0 false reno", "0.0.0.0/0 100": "0 0 false reno", "10.0.0.0/24 0": "0 0 false reno",
		"10.7.0.0/16 0": "0 0 false reno", "10.8.0.0/16 0": "0 0 false ", "10.9.0.0/16 0": "0 40 true reno",
	})
	b.sync()
	b.expectRestored()
}

func TestAHintForSomeDestinationsHasARouteOfItsOwn(t *testing.T) {
	b := newBench(t)
	result := b.sync(to("10.0.0.5/32", 20), to("10.9.0.0/16", 30), to("10.8.0.9/32", 40), to("10.7.1.0/24", 25), to("192.168.0.0/16", 16))
	b.expect(map[string]string{
		"0.0.0.0/0 0": "14 0 false cubic", "0.0.0.0/0 100": "0 0 false ", "10.0.0.0/24 0": "0 0 false ",
		"10.7.0.0/16 0": "0 0 false ", "10.8.0.0/16 0": "0 0 false ", "10.9.0.0/16 0": "30 40 true ",
		"10.0.0.5/32 0": "20 0 false ", "10.7.1.0/24 0": "25 0 false ", "192.168.0.0/16 0": "16 0 false cubic",
	})
	for hint, count := range []int{1, 1, 0, 1, 1} {
		if result.Routes[hint] != count {
			t.Errorf("hint %d: %d routes, want %d", hint, result.Routes[hint], count)
		}
	}
	hops, err := netlink.RouteGet(net.ParseIP("192.168.1.1"))
	if err != nil || hops[0].Gw.String() != "10.0.0.254" {
		t.Errorf("the way is another: %v, %v", hops, err)
	}
	if err := b.namespace.Close(); err != nil {
		t.Fatal(err)
	}
	b.open()
	b.expectRestored()
}

func TestHintedRoutesFollowTheRouteTheyAreDerivedFrom(t *testing.T) {
	b := newBench(t)
	set := hintset.New([]model.TCPHint{to("192.168.0.0/16", 16)})
	b.namespace.Sync(set)
	other := netlink.Route{LinkIndex: b.device, Gw: net.ParseIP("10.0.0.9")}
	if err := netlink.RouteReplace(&other); err != nil {
		t.Fatal(err)
	}
	b.namespace.Sync(set)
	if hops, err := netlink.RouteGet(net.ParseIP("192.168.1.1")); err != nil || hops[0].Gw.String() != "10.0.0.9" {
		t.Errorf("%v, %v", hops, err)
	}
	if err := netlink.RouteAdd(&netlink.Route{Dst: network("192.168.0.0/17"), Type: unix.RTN_BLACKHOLE, Priority: 5}); err != nil {
		t.Fatal(err)
	}
	if _, err := netlink.RouteGet(net.ParseIP("192.168.1.1")); err == nil {
		t.Error("a route of ours hides somebody's blackhole")
	}
}

func TestRouteChangesByOthersAreKept(t *testing.T) {
	b := newBench(t)
	b.sync(toAll(20))
	other := netlink.Route{LinkIndex: b.device, Gw: net.ParseIP("10.0.0.9"), InitCwnd: 33}
	if err := netlink.RouteReplace(&other); err != nil {
		t.Fatal(err)
	}
	if err := Undo(b.directory); err != nil {
		t.Fatal(err)
	}
	b.expect(map[string]string{
		"0.0.0.0/0 0": "33 0 false ", "0.0.0.0/0 100": "0 0 false ", "10.0.0.0/24 0": "0 0 false ",
		"10.7.0.0/16 0": "0 0 false ", "10.8.0.0/16 0": "0 0 false ", "10.9.0.0/16 0": "0 40 true ",
	})
}

// withIPv6 adds routes of IPv6, some of which cannot have hints.
func (b *bench) withIPv6() {
	b.t.Helper()
	testnet.Veth(b.t, "up1", "far1")
	other := testnet.Link(b.t, "up1").Attrs().Index
	for _, device := range []string{"up0", "up1"} {
		for setting, value := range map[string]string{"disable_ipv6": "0", "accept_dad": "0", "accept_ra": "0"} {
			if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+device+"/"+setting, []byte(value), 0); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	address, err := netlink.ParseAddr("fd00::1/64")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := netlink.AddrAdd(testnet.Link(b.t, "up0"), address); err != nil {
		b.t.Fatal(err)
	}
	hop := func(gateway string) *netlink.NexthopInfo {
		return &netlink.NexthopInfo{LinkIndex: b.device, Gw: net.ParseIP(gateway)}
	}
	for _, r := range []netlink.Route{
		{Dst: network("::/0"), Gw: net.ParseIP("fd00::fe"), MTU: 1400, MTULock: true, InitCwnd: 14, Congctl: "cubic"},
		{Dst: network("::/0"), Gw: net.ParseIP("fd00::fd"), Priority: 99, Protocol: unix.RTPROT_RA},
		{Dst: network("fd07::/32"), MultiPath: []*netlink.NexthopInfo{hop("fd00::2"), hop("fd00::3")}},
		{Dst: network("fd08::/32"), Type: unix.RTN_BLACKHOLE},
		{Dst: network("fd09::/32"), Gw: net.ParseIP("fd00::4"), RtoMin: 40, RtoMinLock: true, Protocol: 188},
		{Dst: network("fd0a::/32"), LinkIndex: b.device},
		{Dst: network("fd0a::/32"), LinkIndex: other},
	} {
		if r.Type == 0 && len(r.MultiPath) == 0 && r.LinkIndex == 0 {
			r.LinkIndex = b.device
		}
		if err := netlink.RouteAppend(&r); err != nil {
			b.t.Fatalf("%v: %v", r, err)
		}
	}
	// Of devices' own addresses, which come later.
	testnet.Until(b.t, "both devices have theirs", func() bool {
		routes, err := netlink.RouteListFiltered(netlink.FAMILY_V6, &netlink.Route{Dst: network("fe80::/64")}, netlink.RT_FILTER_DST)
		return err == nil && len(routes) == 2
	})
	b.before = b.all()
}

func TestRoutesOfIPv6HaveHintsToo(t *testing.T) {
	b := newBench(t)
	b.withIPv6()
	result := b.sync(toAll(20), to("fd07:0:1::/64", 25), to("fd08:0:1::/64", 26), to("2001:db8::/32", 27))
	got := b.shows()
	for route, want := range map[string]string{
		"::/0 1024": "20 2 true cubic", "::/0 99": "0 0 false ", "fd00::/64 256": "20 2 true ", "fd07::/32 1024": "20 2 true ",
		"fd08::/32 1024": "0 0 false ", "fd09::/32 1024": "20 2 true ", "fd0a::/32 1024": "0 0 false ", "fe80::/64 256": "0 0 false ",
		"fd07:0:1::/64 1024": "25 2 true ", "2001:db8::/32 99": "27 2 true ",
		"0.0.0.0/0 0": "20 2 true cubic",
	} {
		if got[route] != want {
			t.Errorf("%s: %q, want %q", route, got[route], want)
		}
	}
	if result.Routes[1] != 1 || result.Routes[2] != 0 || result.Routes[3] != 1 {
		t.Errorf("%v", result.Routes)
	}
	for _, reason := range []string{"::/0 is a router's advertisement", "fd0a::/32 has others"} {
		if !slices.ContainsFunc(result.LeftAlone, func(r string) bool { return strings.Contains(r, reason) }) {
			t.Errorf("left alone: %q, want %q", result.LeftAlone, reason)
		}
	}
	inForce := b.all()
	b.sync(toAll(20), to("fd07:0:1::/64", 25), to("fd08:0:1::/64", 26), to("2001:db8::/32", 27))
	if !bytes.Equal(b.all(), inForce) {
		t.Error("the same hints again change something")
	}
	b.open() // a killed agent's successor
	if err := Undo(b.directory); err != nil {
		t.Fatal(err)
	}
	b.expectRestored()
}

// A killed agent's routes are restored from its journal, wherever it was killed.
func TestAJournalRestoresWhatAKilledAgentLeft(t *testing.T) {
	first := hintset.New([]model.TCPHint{toAll(20), to("10.0.0.5/32", 30)})
	second := hintset.New([]model.TCPHint{toAll(25), to("10.9.1.0/24", 30)})
	plan := func(b *bench) *plan {
		messages, err := b.namespace.list(true)
		if err != nil {
			b.t.Fatal(err)
		}
		table, err := parse(messages)
		if err != nil {
			b.t.Fatal(err)
		}
		loaded, err := LoadedControls()
		if err != nil {
			b.t.Fatal(err)
		}
		return newPlan(table, second, b.namespace.changed(), loaded)
	}
	for name, kill := range map[string]func(b *bench){
		"while hints hold": func(b *bench) { b.namespace.Sync(first) },
		"before the first change": func(b *bench) {
			p := plan(b)
			if err := b.namespace.write(p.journal, p.isNeeded()); err != nil {
				b.t.Fatal(err)
			}
		},
		"between two sets": func(b *bench) {
			b.namespace.Sync(first)
			p := plan(b)
			if err := b.namespace.write(p.journal, p.isNeeded()); err != nil {
				b.t.Fatal(err)
			}
			for _, r := range p.changes[:2] {
				if _, err := b.namespace.execute(r.request(unix.RTM_NEWROUTE, unix.NLM_F_REPLACE), 0); err != nil {
					b.t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			kill(b)
			if err := Undo(b.directory); err != nil {
				t.Fatal(err)
			}
			b.expectRestored()
			if err := Undo(b.directory); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

func TestARemovedNamespaceIsIgnored(t *testing.T) {
	b := newBench(t)
	b.sync(toAll(20))
	done := make(chan error)
	go func() {
		testnet.Enter(t) // at the same path there is another one now
		done <- Undo(b.directory)
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(b.directory, hintsJournal)); !os.IsNotExist(err) {
		t.Errorf("a journal stays (%v)", err)
	}
}

// Whoever has a container's network to itself makes as many routes as it likes.
func TestANamespaceOfVeryManyRoutesIsLeftAlone(t *testing.T) {
	b := newBench(t)
	b.sync(toAll(20))
	var lines strings.Builder
	for i := range mostRoutes + 1 {
		fmt.Fprintf(&lines, "route add 172.%d.%d.%d/32 dev up0\n", 16+i>>16, i>>8&255, i&255)
	}
	file := filepath.Join(b.directory, "routes")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("ip", "-batch", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	set := hintset.New([]model.TCPHint{toAll(30)})
	for look := range restLooks + 1 {
		if failures := b.namespace.Sync(set).Failures; len(failures) != 1 || !errors.Is(failures[0], errTooMany) {
			t.Fatalf("look %d: %v", look, failures)
		}
		if look == 0 {
			// They are discarded in one look, and not even listed in those that follow.
			if err := exec.Command("ip", "route", "flush", "root", "172.16.0.0/12").Run(); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.sync(toAll(30))
	if got := b.shows()["10.0.0.0/24 0"]; got != "30 2 true " {
		t.Errorf("afterwards: %q", got)
	}
	b.sync()
	b.expectRestored()
}

// A route by a next hop object keeps it.
func TestNextHopObjectsStay(t *testing.T) {
	r := &route{attributes: []attribute{{unix.RTA_OIF, []byte{1, 0, 0, 0}}, {nextHopObject, []byte{7, 0, 0, 0}}}}
	r.header.Family = unix.AF_INET
	var kinds []uint16
	text := r.request(unix.RTM_NEWROUTE, 0).Serialize()
	parsed, _, err := parseRoute(text[unix.SizeofNlMsghdr:])
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range parsed.attributes {
		kinds = append(kinds, a.kind)
	}
	if len(kinds) != 1 || kinds[0] != nextHopObject {
		t.Errorf("attributes %v, want the object alone", kinds)
	}
}
