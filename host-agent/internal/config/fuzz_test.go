// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// fuzzFile hands texts to a check as files of their own.
func fuzzFile(f *testing.F, sample string, check func(t *testing.T, path string)) {
	text, err := os.ReadFile(sample)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "{}", "[1]", "null", string(text), strings.ReplaceAll(string(text), "50", ".nan"),
		strings.ReplaceAll(string(text), "10.0.0.1", "::ffff:0.0.0.0"), "host: &a [*a]", "port: of:0000000000000001/4294967296",
		strings.ReplaceAll(string(text), ":6680", ":70000"), string(text) + "---\nhost: h2\n",
	} {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), "agent.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, path)
	})
}

// checkRefusal: an error names the file, and the field where it is about one.
func checkRefusal(t *testing.T, path string, err error) {
	t.Helper()
	if !strings.Contains(err.Error(), path) {
		t.Errorf("the file is not named: %v", err)
	}
	var field *FieldError
	if errors.As(err, &field) && (field.Field == "" || field.Remedy == "") {
		t.Errorf("without field or remedy: %#v", field)
	}
}

// checkInterface by what the kernel takes (dev_valid_name).
func checkInterface(t *testing.T, name string) {
	t.Helper()
	if name == "" || len(name) > 15 || name == "." || name == ".." || strings.ContainsAny(name, "/:\x00") ||
		strings.ContainsFunc(name, unicode.IsSpace) {
		t.Errorf("interface %q accepted", name)
	}
}

// checkReportedName by what controllers take besides.
func checkReportedName(t *testing.T, name string) {
	t.Helper()
	checkInterface(t, name)
	if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsPrint(c) }) {
		t.Errorf("interface %q accepted, which controllers do not take", name)
	}
}

func checkMbps(t *testing.T, bitsPerSecond uint64) {
	t.Helper()
	if bitsPerSecond < 100_000 || bitsPerSecond > 400_000_000_000 {
		t.Errorf("capacity %d bit/s accepted", bitsPerSecond)
	}
}

func FuzzHost(f *testing.F) {
	fuzzFile(f, hostFile, func(t *testing.T, path string) {
		h, err := LoadHost(path)
		if err != nil {
			checkRefusal(t, path, err)
			return
		}
		checkReportedName(t, h.Uplink.Interface)
		checkMbps(t, h.Uplink.CapacityBitsPerSecond())
		for _, address := range h.Controllers {
			host, port, err := net.SplitHostPort(address)
			number, notNumber := strconv.ParseUint(port, 10, 16)
			if err != nil || host == "" || notNumber != nil || number == 0 {
				t.Errorf("controller %q accepted", address)
			}
		}
		seen := map[netip.Addr]bool{}
		for _, e := range h.StaticEndpoints() {
			checkReportedName(t, e.Interface)
			if len(e.MAC) != 6 || e.MAC[0]&1 != 0 || e.MAC.String() == "00:00:00:00:00:00" || len(e.IPs) == 0 || len(e.IPs) > maxAddresses {
				t.Errorf("%+v accepted", e)
			}
			for _, ip := range e.IPs {
				if seen[ip] || ip.IsUnspecified() || ip.IsMulticast() || ip.Is4In6() || ip.Zone() != "" || ip.IsLoopback() {
					t.Errorf("address %v accepted", ip)
				}
				seen[ip] = true
			}
		}
		if h.Lease() <= 0 || h.Tau() < 0 || h.ControlProtocol < 143 || h.ControlProtocol > 254 {
			t.Errorf("%+v accepted", h)
		}
	})
}

func FuzzPort(f *testing.F) {
	fuzzFile(f, portFile, func(t *testing.T, path string) {
		p, err := LoadPort(path)
		if err != nil {
			checkRefusal(t, path, err)
			return
		}
		checkInterface(t, p.Ingress)
		checkInterface(t, p.Egress)
		checkMbps(t, p.CapacityBitsPerSecond())
		device, number, _ := strings.Cut(p.Port, "/")
		value, err := strconv.ParseUint(number, 10, 32)
		if err != nil || value == 0 || value > 0xffffff00 || len(device) != len("of:0000000000000001") || number[0] == '0' {
			t.Errorf("port %q accepted", p.Port)
		}
		if p.BufferPackets < 1 || p.MarkThresholdPackets < 0 || p.MarkThresholdPackets >= p.BufferPackets {
			t.Errorf("%+v accepted", p)
		}
	})
}

// FuzzDirectories: what `cleanup` removes is never everybody's.
func FuzzDirectories(f *testing.F) {
	fuzzFile(f, portFile, func(t *testing.T, path string) {
		d, err := LoadCommon(path)
		if err != nil {
			checkRefusal(t, path, err)
			return
		}
		for _, directory := range []string{d.RunDirectory, d.BPFDirectory} {
			if clean := filepath.Clean(directory); !filepath.IsAbs(directory) || clean == "/" {
				t.Errorf("%s directory %q accepted", d.Role, directory)
			}
		}
	})
}
