// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	hostFile = "testdata/host.yaml"
	portFile = "testdata/port.yaml"
)

func TestHostFile(t *testing.T) {
	h, err := LoadHost(hostFile)
	if err != nil {
		t.Fatal(err)
	}
	if h.Host != "h1" || h.Uplink.CapacityBitsPerSecond() != 50_000_000 || !bool(h.Enforcement) ||
		h.Lease() != 5*time.Second || h.Tau() != 2500*time.Microsecond || h.ControlProtocol != 253 {
		t.Errorf("%+v", h)
	}
	endpoints := h.StaticEndpoints()
	if len(endpoints) != 1 || endpoints[0].MAC.String() != "02:00:00:00:01:01" ||
		endpoints[0].IPs[1] != netip.MustParseAddr("fd00::1") {
		t.Errorf("endpoints %+v", endpoints)
	}
}

func TestAddressesAreLearnedWithinTheConfiguredPrefixes(t *testing.T) {
	sources := Sources{Source: SourceBridge, LearnWithin: map[string][]string{
		"*": {"10.1.0.0/16", "fd00:1::/64"}, "vnet3": {"10.2.0.7/32"},
	}}
	for _, c := range []struct {
		networkInterface, address string
		may                       bool
	}{
		{"vnet0", "10.1.9.9", true},
		{"vnet0", "fd00:1::9", true},
		{"vnet0", "10.2.0.7", false},
		{"vnet3", "10.2.0.7", true},
		{"vnet3", "10.1.9.9", false},
	} {
		if got := sources.MayLearn(c.networkInterface, netip.MustParseAddr(c.address)); got != c.may {
			t.Errorf("%s on %s: %v", c.address, c.networkInterface, got)
		}
	}
	if (&Sources{}).MayLearn("vnet0", netip.MustParseAddr("10.1.0.1")) {
		t.Error("without prefixes nothing counts as written down")
	}
}

func TestPortFile(t *testing.T) {
	p, err := LoadPort(portFile)
	if err != nil {
		t.Fatal(err)
	}
	if p.CapacityBitsPerSecond() != 50_000_000 || p.MarkThresholdPackets != 8 || p.NonEct != NonEctDrop {
		t.Errorf("%+v", p)
	}
	if p.Host != "wire1" || len(p.Controllers) != 1 || p.TLS.Key != "/etc/sluice/wire1.key" {
		t.Errorf("agent link: %+v", p)
	}
}

func TestDefaultThresholdOfAPort(t *testing.T) {
	for _, c := range []struct {
		mbps         float64
		marks, count int
		buffer, want int
	}{
		{50, 5, 0, 100, 5},   // where it marks, by that
		{50, 0, 12, 100, 12}, // else by what is configured
		{50, 0, 0, 100, 8},   // else by 2 ms,
		{1, 0, 0, 100, 4},    // four packets at least
		{10_000, 0, 0, 100, 20},
		{10_000, 0, 0, 10, 9}, // and less than the buffer
	} {
		p := Port{CapacityMbps: c.mbps, MarkThresholdPackets: c.marks, ThresholdPackets: c.count, BufferPackets: c.buffer}
		if got := p.CountThresholdPackets(); got != c.want {
			t.Errorf("%+v: %d, want %d", c, got, c.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	path := write(t, `
host: h1
uplink: {interface: up0, capacityMbps: 10}
endpoints:
  static:
    - {interface: vm0, mac: "02:00:00:00:01:01", ips: ["10.0.0.1"]}
`)
	h, err := LoadHost(path)
	if err != nil {
		t.Fatal(err)
	}
	if !h.AntiSpoof || h.ECN != ECNClear || !bool(h.Enforcement) || h.Limiter != LimiterShape || h.VLANs != VLANsDrop ||
		h.Uplink.ReceiveCeilingBitsPerSecond() != 0 || h.LeaseMillis != 5000 || h.RunDirectory != "/run/sluice" {
		t.Errorf("%+v", h)
	}
}

func TestABridgeAloneIsAValidSourceOfEndpoints(t *testing.T) {
	const file = "host: h1\nuplink: {interface: up0, capacityMbps: 10}\nendpoints: {source: bridge%s}\n"
	for extra, bridge := range map[string]string{"": "", ", bridge: br0": "br0"} {
		h, err := LoadHost(write(t, fmt.Sprintf(file, extra)))
		if err != nil || h.Endpoints.Source != SourceBridge || h.Endpoints.Bridge != bridge || len(h.StaticEndpoints()) != 0 {
			t.Errorf("%q: %+v, %v", extra, h.Endpoints, err)
		}
	}
	path := write(t, fmt.Sprintf(file, ", bridge: averyverylongname"))
	_, err := LoadHost(path)
	expectRefusal(t, err, path, "endpoints.bridge", "averyverylongname")
}

// edit replaces text in a valid file; it fails when there is nothing to replace.
func edit(t *testing.T, file, old, new string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %q", file, old)
	}
	return write(t, strings.Replace(string(text), old, new, 1))
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHostRefusals(t *testing.T) {
	for _, c := range []struct{ name, old, new, field, value string }{
		{"host missing", "host: h1", "host: \"\"", "host", ""},
		{"host malformed", "host: h1", "host: h 1", "host", "h 1"},
		{"controller without port", "10.9.0.1:6680", "10.9.0.1", "controllers[0]", "10.9.0.1"},
		{"controller's port beyond all", ":6680", ":70000", "controllers[0]", "10.9.0.1:70000"},
		{"interface with a colon", "interface: up0", "interface: \"up:0\"", "uplink.interface", "up:0"},
		{"IP of nobody in IPv6's clothes", "10.0.0.1\"", "::ffff:0.0.0.0\"", "endpoints.static[0].ips[0]", "::ffff:0.0.0.0"},
		{"IP of every host itself", "10.0.0.1\"", "127.0.0.1\"", "endpoints.static[0].ips[0]", "127.0.0.1"},
		{"MAC of nobody", "02:00:00:00:01:01", "00:00:00:00:00:00", "endpoints.static[0].mac", "00:00:00:00:00:00"},
		{"no certificate", "certificate: /etc/sluice/h1.pem", "certificate: \"\"", "tls.certificate", ""},
		{"uplink missing", "interface: up0", "interface: \"\"", "uplink.interface", ""},
		{"interface too long", "interface: up0", "interface: averyverylongname", "uplink.interface", "averyverylongname"},
		{"uplink that cannot be reported", "interface: up0", "interface: \"up\\xe4\"", "uplink.interface", "upä"},
		{"endpoint that cannot be reported", "interface: vm0", "interface: \"vm\\x01\"", "endpoints.static[0].interface", "vm\x01"},
		{"capacity missing", "capacityMbps: 50", "capacityMbps: 0", "uplink.capacityMbps", "0"},
		{"capacity senseless", "capacityMbps: 50", "capacityMbps: -3", "uplink.capacityMbps", "-3"},
		{"receive ceiling senseless", "capacityMbps: 50", "capacityMbps: 50, receiveCeilingMbps: -1", "uplink.receiveCeilingMbps", "-1"},
		{"other source", "source: static", "source: neutron", "endpoints.source", "neutron"},
		{"list of a database", "source: static", "source: ovsdb", "endpoints.static", "1"},
		{"database of a list", "source: static", "source: static\n  ovsdb: {bridge: br-ex}", "endpoints.ovsdb", "br-ex"},
		{"kubelet elsewhere", "source: static", "source: static\n  kubeletPods: http://10.0.0.1:10255/pods", "endpoints.kubeletPods", "http://10.0.0.1:10255/pods"},
		{"kubelet with credentials", "source: static", "source: static\n  kubeletPods: https://127.0.0.1:10250/pods", "endpoints.kubeletPods", "https://127.0.0.1:10250/pods"},
		{"socket relative", "source: static", "source: ovsdb\n  ovsdb: {socket: db.sock}", "endpoints.ovsdb.socket", "db.sock"},
		{"bridge of a database too long", "source: static", "source: ovsdb\n  ovsdb: {bridge: averyverylongname}", "endpoints.ovsdb.bridge", "averyverylongname"},
		{"bridge of a static list", "source: static", "source: static\n  bridge: br0", "endpoints.bridge", "br0"},
		{"list of a bridge", "source: static", "source: bridge", "endpoints.static", "1"},
		{"MAC malformed", "02:00:00:00:01:01", "02:00", "endpoints.static[0].mac", "02:00"},
		{"MAC multicast", "02:00:00:00:01:01", "03:00:00:00:01:01", "endpoints.static[0].mac", "03:00:00:00:01:01"},
		{"IP malformed", "10.0.0.1\"", "10.0.0\"", "endpoints.static[0].ips[0]", "10.0.0"},
		{"IP with prefix", "10.0.0.1\"", "10.0.0.1/24\"", "endpoints.static[0].ips[0]", "10.0.0.1/24"},
		{"IP twice", "fd00::1", "10.0.0.1", "endpoints.static[0].ips[1]", "10.0.0.1"},
		{"endpoint is the uplink", "interface: vm0", "interface: up0", "endpoints.static[0].interface", "up0"},
		{"ecn", "ecn: clear", "ecn: keep", "ecn", "keep"},
		{"limiter", "ecn: clear", "limiter: drop", "limiter", "drop"},
		{"law unknown", "ecn: clear", "law: sdn-gcc", "law", "sdn-gcc"},
		{"law without controllers, with one", "ecn: clear", "law: hygenicc", "law", "hygenicc"},
		{"refusing all", "controllers:", "law: hygenicc\nhygenicc: {feedback: link, refuseConnectionsAbove: 1}\ncontrollers:",
			"hygenicc.refuseConnectionsAbove", "1"},
		{"feedback of another law", "ecn: clear", "hygenicc: {feedback: bit}", "hygenicc", "bit"},
		{"system of nothing", "ecn: clear", "system: {sources: []}", "system", ""},
		{"system's source without length", "ecn: clear", "system: {sources: [10.9.0.1]}", "system.sources[0]", "10.9.0.1"},
		{"system's source with bits behind", "ecn: clear", "system: {sources: [10.9.0.0/24, 10.9.0.1/24]}", "system.sources[1]", "10.9.0.1/24"},
		{"system's source mapped", "ecn: clear", "system: {sources: [\"::ffff:10.9.0.0/120\"]}", "system.sources[0]", "::ffff:10.9.0.0/120"},
		{
			"nine sources", "ecn: clear", "system: {sources: [10.0.0.0/8, 11.0.0.0/8, 12.0.0.0/8, 13.0.0.0/8, 14.0.0.0/8, " +
				"15.0.0.0/8, 16.0.0.0/8, 17.0.0.0/8, 18.0.0.0/8]}", "system.sources", "9",
		},
		{"system's cgroup relative", "ecn: clear", "system: {cgroups: [storage.slice]}", "system.cgroups[0]", "storage.slice"},
		{"DSCP beyond all", "ecn: clear", "system: {dscp: [10, 64]}", "system.dscp[1]", "64"},
		{"DSCP below all", "ecn: clear", "system: {dscp: [-1]}", "system.dscp[0]", "-1"},
		{"DSCP twice", "ecn: clear", "system: {dscp: [10, 10]}", "system.dscp[1]", "10"},
		{"hints for nobody", "ecn: clear", "tcpHints: {}", "tcpHints", ""},
		{"hints for no namespace", "ecn: clear", "tcpHints: {namespaces: [a/b]}", "tcpHints.namespaces[0]", "a/b"},
		{"hints for a cgroup outside the file system", "ecn: clear", "tcpHints: {cgroups: [a/../b]}", "tcpHints.cgroups[0]", "a/../b"},
		{"hints for a cgroup twice", "ecn: clear", "tcpHints: {cgroups: [a, a]}", "tcpHints.cgroups[1]", "a"},
		{"hints for a namespace twice", "ecn: clear", "tcpHints: {namespaces: [a, a]}", "tcpHints.namespaces[1]", "a"},
		{"levels of nothing", "ecn: clear", "levels: {}", "levels.thresholdBytes", "0"},
		{"five levels", "ecn: clear", "levels: {thresholdBytes: [1, 2, 3, 4]}", "levels.thresholdBytes", "4"},
		{"threshold of nothing", "ecn: clear", "levels: {thresholdBytes: [0]}", "levels.thresholdBytes[0]", "0"},
		{"threshold beyond all", "ecn: clear", "levels: {thresholdBytes: [1000000000001]}", "levels.thresholdBytes[0]", "1000000000001"},
		{"thresholds in disorder", "ecn: clear", "levels: {thresholdBytes: [200, 100]}", "levels.thresholdBytes[1]", "100"},
		{"threshold twice", "ecn: clear", "levels: {thresholdBytes: [100, 100]}", "levels.thresholdBytes[1]", "100"},
		{"level without DSCP", "ecn: clear", "levels: {thresholdBytes: [100], dscp: [16]}", "levels.dscp", "16"},
		{"DSCP without level", "ecn: clear", "levels: {thresholdBytes: [100], dscp: [16, 8, 0]}", "levels.dscp", "16 8 0"},
		{"a level's DSCP twice", "ecn: clear", "levels: {thresholdBytes: [100], dscp: [16, 16]}", "levels.dscp[1]", "16"},
		{"a level's DSCP below all", "ecn: clear", "levels: {thresholdBytes: [100], dscp: [16, -1]}", "levels.dscp[1]", "-1"},
		{"the network's control for a level", "ecn: clear", "levels: {thresholdBytes: [100], dscp: [48, 0]}", "levels.dscp[0]", "48"},
		{"a short pause", "ecn: clear", "levels: {thresholdBytes: [100], idleMillis: 99}", "levels.idleMillis", "99"},
		{"a pause beyond all", "ecn: clear", "levels: {thresholdBytes: [100], idleMillis: 60001}", "levels.idleMillis", "60001"},
		{"vlans", "ecn: clear", "vlans: strip", "vlans", "strip"},
		{"no VLAN", "interface: vm0,", "interface: vm0, vlan: 4095,", "endpoints.static[0].vlan", "4095"},
		{"permission of a VLAN without endpoint", "ecn: clear", "portSecurity: {vm0.7: [macs]}", "portSecurity.vm0.7", "vm0.7"},
		{"permission unknown", "ecn: clear", "portSecurity: {vm0: [macs, router]}", "portSecurity.vm0[1]", "router"},
		{"permission twice", "ecn: clear", "portSecurity: {vm0: [macs, macs]}", "portSecurity.vm0[1]", "macs"},
		{"no permission", "ecn: clear", "portSecurity: {vm0: []}", "portSecurity.vm0", ""},
		{"permission of an unknown interface", "ecn: clear", "portSecurity: {vm9: [macs]}", "portSecurity.vm9", "vm9"},
		{"permission of no interface", "ecn: clear", "portSecurity: {averyverylongname: [macs]}", "portSecurity.averyverylongname", "averyverylongname"},
		{"through too long", "interface: up0", "through: [averyverylongname], interface: up0", "uplink.through[0]", "averyverylongname"},
		{"through twice", "interface: up0", "through: [vx0, vx0], interface: up0", "uplink.through[1]", "vx0"},
		{"endpoint leads to the uplink", "interface: up0", "through: [vm0], interface: up0", "endpoints.static[0].interface", "vm0"},
		{"run directory relative", "runDirectory: /run/sluice", "runDirectory: run", "runDirectory", "run"},
		{"BPF directory everybody's", "bpfDirectory: /sys/fs/bpf/sluice", "bpfDirectory: /sys/fs/bpf/", "bpfDirectory", "/sys/fs/bpf/"},
		{"lease too short", "leaseMillis: 5000", "leaseMillis: 5", "leaseMillis", "5"},
		{"after the lease", "leaseMillis: 5000", "afterLease: close", "afterLease", "close"},
		{"tau too short", "tauMicros: 2500", "tauMicros: 10", "tauMicros", "10"},
		{"control protocol TCP", "ecn: clear", "controlProtocol: 6", "controlProtocol", "6"},
		{"metrics everywhere", "ecn: clear", "metricsAddress: 0.0.0.0:9631", "metricsAddress", "0.0.0.0:9631"},
		{"metrics without a port", "ecn: clear", "metricsAddress: 127.0.0.1", "metricsAddress", "127.0.0.1"},
		{"metrics by name", "ecn: clear", "metricsAddress: localhost:9631", "metricsAddress", "localhost:9631"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := edit(t, hostFile, c.old, c.new)
			_, err := LoadHost(path)
			expectRefusal(t, err, path, c.field, c.value)
		})
	}
}

func TestTrunks(t *testing.T) {
	const text = `
host: h1
uplink: {interface: up0, capacityMbps: 10}
endpoints:
  static:
    - {interface: tap0, mac: "02:00:00:00:00:01", ips: [10.0.0.1]}
    - {interface: tap0, vlan: 10, mac: "02:00:00:00:00:01", ips: [10.0.0.2]}
    - {interface: tap0, vlan: 20, mac: "02:00:00:00:00:01", ips: [10.0.0.3]}
portSecurity: {tap0.20: [addresses]}
`
	h, err := LoadHost(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name string
		vlan uint16
	}{{"tap0", 0}, {"tap0.10", 10}, {"tap0.20", 20}} {
		if e := h.StaticEndpoints()[i]; e.Interface != want.name || e.VLAN != want.vlan || e.Device() != "tap0" {
			t.Errorf("%+v of %s, want %+v of tap0", e, e.Device(), want)
		}
	}
	for _, c := range []struct{ name, old, new, field, value string }{
		{"a VLAN twice", "vlan: 20", "vlan: 10", "endpoints.static[2].interface", "tap0.10"},
		{"the name of another's VLAN", "interface: tap0, mac", "interface: tap0.10, mac", "endpoints.static[1].interface", "tap0.10"},
		{"an address in two VLANs", "10.0.0.3", "10.0.0.2", "endpoints.static[2].ips[0]", "10.0.0.2"},
		{"a VLAN of the uplink", "interface: tap0, vlan: 10", "interface: up0, vlan: 10", "endpoints.static[1].interface", "up0.10"},
		{"none of 1 to 4094", "vlan: 20", "vlan: -1", "endpoints.static[2].vlan", "-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, strings.Replace(text, c.old, c.new, 1))
			_, err := LoadHost(path)
			expectRefusal(t, err, path, c.field, c.value)
		})
	}
}

func TestPortSecurity(t *testing.T) {
	h, err := LoadHost(edit(t, hostFile, "ecn: clear",
		"portSecurity: {vm0: [addresses, macs, router-advertisements, dhcp-server, discovery]}"))
	if err != nil || !slices.Equal(h.PortSecurity["vm0"], permissions) {
		t.Errorf("%+v, %v", h.PortSecurity, err)
	}
	h, err = LoadHost(write(t, "host: h1\nuplink: {interface: up0, capacityMbps: 10}\n"+
		"endpoints: {source: bridge}\nportSecurity: {tap7: [dhcp-server]}\n"))
	if err != nil || len(h.PortSecurity) != 1 {
		t.Errorf("%+v, %v: a bridge's ports are not known beforehand", h.PortSecurity, err)
	}
}

func TestSystem(t *testing.T) {
	h, err := LoadHost(edit(t, hostFile, "ecn: clear",
		"system: {sources: [10.9.0.0/24, \"fd00:9::/64\"], cgroups: [/sys/fs/cgroup/storage.slice], dscp: [0, 63]}"))
	if err != nil {
		t.Fatal(err)
	}
	prefixes := []netip.Prefix{netip.MustParsePrefix("10.9.0.0/24"), netip.MustParsePrefix("fd00:9::/64")}
	if !slices.Equal(h.System.Prefixes(), prefixes) || !slices.Equal(h.System.DSCPs(), []uint8{0, 63}) || !h.HasSystem("system") {
		t.Errorf("%+v", h.System)
	}
	path := edit(t, hostFile, "interface: vm0", "interface: system")
	if _, err := LoadHost(path); err != nil {
		t.Errorf("%v: the name is free without the section", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = write(t, string(text)+"system: {dscp: [10]}\n")
	_, err = LoadHost(path)
	expectRefusal(t, err, path, "endpoints.static[0].interface", "system")
	if h, err := LoadHost(hostFile); err != nil || h.System != nil || h.HasSystem("system") {
		t.Errorf("%+v, %v: want none by default", h.System, err)
	}
}

func TestLevels(t *testing.T) {
	for thresholds, dscps := range map[string][]uint8{
		"[16384]": {16, 0}, "[16384, 100000]": {24, 16, 0}, "[1, 2, 1000000000000]": {32, 24, 16, 0},
	} {
		h, err := LoadHost(edit(t, hostFile, "ecn: clear", "levels: {thresholdBytes: "+thresholds+"}"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.Levels.DSCPs(), dscps) || h.Levels.Idle() != 500*time.Millisecond {
			t.Errorf("%s: DSCPs %v, idle after %v", thresholds, h.Levels.DSCPs(), h.Levels.Idle())
		}
	}
	h, err := LoadHost(edit(t, hostFile, "ecn: clear", "levels: {thresholdBytes: [100, 200], dscp: [47, 1, 0], idleMillis: 100}"))
	if err != nil || !slices.Equal(h.Levels.Thresholds(), []uint64{100, 200}) || !slices.Equal(h.Levels.DSCPs(), []uint8{47, 1, 0}) ||
		h.Levels.Idle() != 100*time.Millisecond {
		t.Errorf("%+v, %v", h.Levels, err)
	}
	if h, err := LoadHost(hostFile); err != nil || h.Levels != nil {
		t.Errorf("%+v, %v: want none by default", h.Levels, err)
	}
}

func TestCongestionControls(t *testing.T) {
	const at, loaded = "\nleaseMillis: 5000", "congestionControls: [sluice_dctcp]\n"
	h, err := LoadHost(edit(t, hostFile, at, at+`
congestionControls: [sluice_dctcp]
congestionNamespaces: [{namespace: /run/netns/a, use: sluice_dctcp}]
congestionRoutes: [{use: sluice_dctcp, destinations: [10.0.0.0/8]}, {namespace: /run/netns/a, use: sluice_dctcp}]
tcpHints: {namespaces: [b]}`))
	if err != nil || h.CongestionQueueBound() != 500*time.Microsecond || h.CongestionNamespaces[0].Control != "sluice_dctcp" {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, c := range []struct{ text, field, value string }{
		{"congestionControls: [dctcp]", "congestionControls[0]", "dctcp"},
		{"congestionControls: [sluice_dctcp, sluice_dctcp]", "congestionControls[1]", "sluice_dctcp"},
		{"congestionQueueBoundMicros: 0", "congestionQueueBoundMicros", "0"},
		{"congestionNamespaces: [{namespace: /a, use: sluice_dctcp}]", "congestionNamespaces[0].use", "sluice_dctcp"},
		{"congestionControls: [sluice_dctcp]\ncongestionNamespaces: [{namespace: a, use: sluice_dctcp}]",
			"congestionNamespaces[0].namespace", "a"},
		{"congestionRoutes: [{use: sluice_dctcp}]", "congestionRoutes[0].use", "sluice_dctcp"},
		{loaded + "congestionRoutes: [{namespace: a, use: sluice_dctcp}]", "congestionRoutes[0].namespace", "a"},
		{loaded + "congestionRoutes: [{use: sluice_dctcp, destinations: ['fd00::/8']}]", "congestionRoutes[0].destinations[0]", "fd00::/8"},
		{loaded + "congestionRoutes: [{use: sluice_dctcp, destinations: [10.0.0.1/8]}]", "congestionRoutes[0].destinations[0]", "10.0.0.1/8"},
		{loaded + "congestionRoutes: [{use: sluice_dctcp}, {use: sluice_dctcp, destinations: [0.0.0.0/0]}]",
			"congestionRoutes[1].destinations[0]", "0.0.0.0/0"},
		{loaded + "congestionCgroups: [{cgroup: ../a, use: sluice_dctcp}]", "congestionCgroups[0].cgroup", "../a"},
		{loaded + "congestionCgroups: [{cgroup: a, use: sluice_dadctcp}]", "congestionCgroups[0].use", "sluice_dadctcp"},
		{loaded + "congestionCgroups: [{cgroup: a, use: sluice_dctcp}, {cgroup: a, use: sluice_dctcp}]", "congestionCgroups[1].cgroup", "a"},
		{loaded + "congestionCgroups: [{cgroup: a, use: sluice_dctcp}]\ntcpHints: {cgroups: [a]}", "congestionCgroups[0].cgroup", "a"},
		{loaded + "congestionRoutes: [{use: sluice_dctcp}]\ntcpHints: {host: true}", "congestionRoutes[0].namespace", ""},
		{loaded + "congestionRoutes: [{namespace: /run/netns/a, use: sluice_dctcp}]\ntcpHints: {namespaces: [a]}",
			"congestionRoutes[0].namespace", "/run/netns/a"},
	} {
		path := edit(t, hostFile, at, at+"\n"+c.text)
		_, err := LoadHost(path)
		expectRefusal(t, err, path, c.field, c.value)
	}
}

func TestLevelsOfAPort(t *testing.T) {
	p, err := LoadPort(edit(t, portFile, "nonEct: drop", "levels: {dscp: [63, 16, 8, 0]}"))
	if err != nil || !slices.Equal(p.LevelDSCPs(), []uint8{63, 16, 8, 0}) {
		t.Errorf("%+v, %v", p.Levels, err)
	}
	if p, err := LoadPort(portFile); err != nil || p.Levels != nil || len(p.LevelDSCPs()) != 0 {
		t.Errorf("%+v, %v: want one queue by default", p.Levels, err)
	}
}

func TestMarkingBySlope(t *testing.T) {
	const at = "markThresholdPackets: 8"
	p, err := LoadPort(edit(t, portFile, at, "marking: {kind: slope, k1Packets: 8}"))
	if err != nil || p.MarkThresholdPackets != 8 || p.UpperThresholdPackets() != 16 {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, c := range []struct{ text, field, value string }{
		{"marking: {kind: red, k1Packets: 8}", "marking.kind", "red"},
		{"marking: {kind: slope}", "marking.k1Packets", "0"},
		{"marking: {kind: slope, k1Packets: 8, k2Packets: 7}", "marking.k2Packets", "7"},
		{at + "\nmarking: {kind: slope, k1Packets: 8}", "markThresholdPackets", "8"},
	} {
		path := edit(t, portFile, at, c.text)
		_, err := LoadPort(path)
		expectRefusal(t, err, path, c.field, c.value)
	}
}

func TestBacklogHoldIsValidated(t *testing.T) {
	const at = "markThresholdPackets: 8"
	p, err := LoadPort(edit(t, portFile, at, at+"\nbacklogHoldMicros: 1000"))
	if err != nil || p.BacklogHold() != time.Millisecond {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, c := range []struct{ text, value string }{
		{at + "\nbacklogHoldMicros: -1", "-1"},
		{at + "\nbacklogHoldMicros: 10001", "10001"},
		{"marking: {kind: slope, k1Packets: 8}\nbacklogHoldMicros: 1000", "1000"},
	} {
		path := edit(t, portFile, at, c.text)
		_, err := LoadPort(path)
		expectRefusal(t, err, path, "backlogHoldMicros", c.value)
	}
}

func TestPortRefusals(t *testing.T) {
	for _, c := range []struct{ name, old, new, field, value string }{
		{"port malformed", "of:0000000000000001/5", "of:1/5", "port", "of:1/5"},
		{"port beyond OpenFlow's", "of:0000000000000001/5", "of:0000000000000001/4294967295", "port", "of:0000000000000001/4294967295"},
		{"port 0", "of:0000000000000001/5", "of:0000000000000001/0", "port", "of:0000000000000001/0"},
		{"ingress missing", "ingress: wa", "ingress: \"\"", "ingress", ""},
		{"both the same", "egress: wb", "egress: wa", "egress", "wa"},
		{"capacity", "capacityMbps: 50", "capacityMbps: 999999999", "capacityMbps", "9.99999999e+08"},
		{"buffer", "bufferPackets: 100", "bufferPackets: 0", "bufferPackets", "0"},
		{"threshold above buffer", "markThresholdPackets: 8", "markThresholdPackets: 100", "markThresholdPackets", "100"},
		{"nonEct", "nonEct: drop", "nonEct: mark", "nonEct", "mark"},
		{"host missing", "host: wire1", "host: \"\"", "host", ""},
		{"controller without port", "10.9.0.1:6680", "10.9.0.1", "controllers[0]", "10.9.0.1"},
		{"no key", "key: /etc/sluice/wire1.key", "key: \"\"", "tls.key", ""},
		{"threshold of a queue that marks", "nonEct: drop", "thresholdPackets: 9", "thresholdPackets", "9"},
		{"threshold above buffer", "markThresholdPackets: 8", "thresholdPackets: 100", "thresholdPackets", "100"},
		{"no levels", "nonEct: drop", "levels: {}", "levels.dscp", ""},
		{"one level", "nonEct: drop", "levels: {dscp: [16]}", "levels.dscp", "16"},
		{"many levels", "nonEct: drop", "levels: {dscp: [32, 24, 16, 8, 0]}", "levels.dscp", "32 24 16 8 0"},
		{"a level's DSCP twice", "nonEct: drop", "levels: {dscp: [16, 16]}", "levels.dscp[1]", "16"},
		{"a level's DSCP below all", "nonEct: drop", "levels: {dscp: [-1, 0]}", "levels.dscp[0]", "-1"},
		{"a level's DSCP beyond all", "nonEct: drop", "levels: {dscp: [16, 64]}", "levels.dscp[1]", "64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := edit(t, portFile, c.old, c.new)
			_, err := LoadPort(path)
			expectRefusal(t, err, path, c.field, c.value)
		})
	}
}

func expectRefusal(t *testing.T, err error, path, field, value string) {
	t.Helper()
	var refusal *FieldError
	if !errors.As(err, &refusal) {
		t.Fatalf("%v, want a refusal of %s", err, field)
	}
	if refusal.File != path || refusal.Field != field || refusal.Value != value || refusal.Remedy == "" {
		t.Errorf("%+v, want field %s, value %q and a remedy", refusal, field, value)
	}
}

func TestSeveralMistakesAreReportedAtOnce(t *testing.T) {
	path := edit(t, hostFile, "host: h1", "host: \"\"")
	text, _ := os.ReadFile(path)
	path = write(t, strings.Replace(string(text), "ecn: clear", "ecn: keep", 1))
	if _, err := LoadHost(path); err == nil || !strings.Contains(err.Error(), "host") || !strings.Contains(err.Error(), "ecn") {
		t.Errorf("%v, want both mistakes", err)
	}
}

func TestDirectoriesOfEitherRole(t *testing.T) {
	for file, role := range map[string]string{hostFile: "host", portFile: "port"} {
		d, err := LoadCommon(file)
		if err != nil || d.Role != role || d.BPFDirectory == "" {
			t.Errorf("%s: %+v, %v", file, d, err)
		}
	}
	if _, err := LoadCommon("testdata/absent.yaml"); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestPagesHaveEveryKeyAndNoOther(t *testing.T) {
	for page, structure := range map[string]reflect.Type{
		"agent-configuration.md": reflect.TypeFor[Host](),
		"port-agent.md":          reflect.TypeFor[Port](),
	} {
		var documented []string
		for _, row := range keyTable(t, page) {
			documented = append(documented, row.keys...)
		}
		keys := keysOf(structure, "")
		slices.Sort(documented)
		slices.Sort(keys)
		if !slices.Equal(documented, keys) {
			t.Errorf("docs/%s has the keys\n%v, and the configuration has\n%v", page, documented, keys)
		}
	}
}

func TestPagesHaveTheDefaults(t *testing.T) {
	host, err := LoadHost(write(t, "host: h1\nuplink: {interface: up0, capacityMbps: 50}\n"+
		"endpoints: {static: [{interface: vm0, mac: \"02:00:00:00:00:01\", ips: [10.0.0.1]}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := LoadPort(write(t, "port: of:0000000000000001/5\ningress: wa\negress: wb\ncapacityMbps: 50\n"))
	if err != nil {
		t.Fatal(err)
	}
	for page, loaded := range map[string]reflect.Value{
		"agent-configuration.md": reflect.ValueOf(host), "port-agent.md": reflect.ValueOf(port),
	} {
		compared := 0
		for _, row := range keyTable(t, page) {
			value := loaded.FieldByNameFunc(func(name string) bool {
				field, _ := loaded.Type().FieldByName(name)
				return field.Tag.Get("yaml") == row.keys[0]
			})
			if !row.isLiteral || !value.IsValid() {
				continue // in words, or of a section
			}
			compared++
			is := fmt.Sprint(value)
			if value.Type() == reflect.TypeFor[Switch]() {
				is = map[bool]string{true: "on", false: "off"}[value.Bool()]
			}
			if is != row.defaultValue {
				t.Errorf("docs/%s: the default of %s is %s, not %s", page, row.keys[0], is, row.defaultValue)
			}
		}
		if compared < 5 {
			t.Errorf("docs/%s: %d defaults were read", page, compared)
		}
	}
}

// keyRow is a line of a page's table of keys.
type keyRow struct {
	keys         []string
	defaultValue string
	// isLiteral: the default is written as in the file, not described.
	isLiteral bool
}

// keyTable is what a page has below its heading "Keys".
func keyTable(t *testing.T, page string) []keyRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "# Keys\n")
	if !found {
		t.Fatalf("docs/%s has no heading Keys", page)
	}
	section, _, _ = strings.Cut(section, "\n#")
	quoted := regexp.MustCompile("`([^`]+)`")
	literal := regexp.MustCompile("^(?:`([^`]+)`|([0-9]+))$")
	var rows []keyRow
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, " | ")
		var row keyRow
		for _, key := range quoted.FindAllStringSubmatch(cells[0], -1) {
			row.keys = append(row.keys, key[1])
		}
		if value := literal.FindStringSubmatch(cells[2]); value != nil {
			row.isLiteral, row.defaultValue = true, value[1]+value[2]
		}
		rows = append(rows, row)
	}
	return rows
}

func keysOf(structure reflect.Type, prefix string) []string {
	var keys []string
	for field := range structure.Fields() {
		key := prefix + field.Tag.Get("yaml")
		section := field.Type
		if section.Kind() == reflect.Pointer {
			section = section.Elem()
		}
		if section.Kind() == reflect.Struct {
			keys = append(keys, keysOf(section, key+".")...)
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}

// Where controllers pass marks on there have to be some; otherwise there must be none.
func TestOnlyRelayedMarksNeedControllers(t *testing.T) {
	const controllers = "controllers: [10.9.0.1:6680]\ntls: {ca: a, certificate: b, key: c}\n"
	for text, field := range map[string]string{
		"hygenicc: {feedback: link}\n":                 "hygenicc.feedback",
		"hygenicc: {feedback: link}\n" + controllers:   "",
		"hygenicc: {feedback: packet}\n" + controllers: "law",
		controllers:                    "law",
		"hygenicc: {feedback: icmp}\n": "hygenicc.feedback",
	} {
		file := filepath.Join(t.TempDir(), "agent.yaml")
		whole := "host: h1\nuplink: {interface: up0, capacityMbps: 50}\nendpoints: {source: bridge}\nlaw: hygenicc\n" + text
		if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := LoadHost(file)
		if field == "" {
			if err != nil || !h.RelaysMarks() || h.ReflectsMarks() {
				t.Errorf("%q: relays %v, by bit %v, %v", text, h.RelaysMarks(), h.ReflectsMarks(), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), field+":") {
			t.Errorf("%q: %v, want one that names %s", text, err, field)
		}
	}
}

func TestHyGenICCReturnsMarksInReservedBitsByDefault(t *testing.T) {
	for text, want := range map[string]bool{"": true, "hygenicc: {}": true, "hygenicc: {feedback: bit}": true,
		"hygenicc: {feedback: packet}": false} {
		file := filepath.Join(t.TempDir(), "agent.yaml")
		whole := "host: h1\nuplink: {interface: up0, capacityMbps: 50}\nendpoints: {source: bridge}\nlaw: hygenicc\n" + text + "\n"
		if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := LoadHost(file)
		if err != nil || h.ReflectsMarks() != want || h.LawKind() != model.HyGenIcc {
			t.Errorf("%q: by bit %v, law %v, %v", text, h.ReflectsMarks(), h.LawKind(), err)
		}
	}
}
