// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// stackAddress is the host's own, serverAddress is that of a namespace beside it which takes hints as well.
const stackAddress, serverAddress = "10.77.0.1", "10.77.0.2"

// withStacks gives a host a TCP of its own towards a container's.
func withStacks(t *testing.T, change func(*config.Host)) (*host, *testnet.Namespace) {
	container := testnet.NewNamespace(t)
	var path string
	container.Do(func() error {
		path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), unix.Gettid())
		return nil
	})
	h := newHost(t, func(c *config.Host) {
		c.TCPHints = &config.TCPHints{Host: true, Namespaces: []string{path, "/run/netns/sluice-not-there"}}
		if change != nil {
			change(c)
		}
	})
	inside, outside := testnet.Veth(t, "eth0", "ct0")
	container.Take(inside, net.HardwareAddr{2, 0, 0, 0, 0, 0x77}, serverAddress+"/24")
	address, err := netlink.ParseAddr(stackAddress + "/24")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.AddrAdd(outside, address); err != nil {
		t.Fatal(err)
	}
	return h, container
}

// routes are the host's, with all that they say.
func hostRoutes(t testing.TB) []string {
	t.Helper()
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range routes {
		lines = append(lines, fmt.Sprintf("%+v initcwnd %d rto_min %d congctl %q", r, r.InitCwnd, r.RtoMin, r.Congctl))
	}
	return lines
}

// connection is what a new one between host and container has.
type connection struct {
	window  uint32
	rto     uint32 // µs
	control string
}

func (c connection) String() string { return fmt.Sprintf("%d %s %v", c.window, c.control, c.rto) }

func connect(t *testing.T, container *testnet.Namespace) connection {
	t.Helper()
	var listener net.Listener
	container.Do(func() (err error) {
		listener, err = net.Listen("tcp4", serverAddress+":0")
		return err
	})
	defer listener.Close()
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var c connection
	var failure error
	_ = raw.Control(func(fd uintptr) {
		var info *unix.TCPInfo
		if info, failure = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); failure != nil {
			return
		}
		c.window, c.rto = info.Snd_cwnd, info.Rto
		c.control, failure = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	})
	if failure != nil {
		t.Fatal(failure)
	}
	return c
}

func everywhere() model.TCPHint {
	return model.TCPHint{InitialWindowSegments: 20, RtoMinNanos: 2_000_000, CongestionControl: "reno"}
}

func (o *observer) hinted(suits func(model.TCPHintReport) bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.hints) > 0 && suits(o.hints[len(o.hints)-1])
}

func TestNewConnectionsUseHintedParameters(t *testing.T) {
	t.Parallel()
	h, container := withStacks(t, nil)
	before, own := hostRoutes(t), connect(t, container)
	if own.window != 10 || own.rto < 200_000 {
		t.Fatalf("without hints a connection has %v", own)
	}
	controller := h.runObserved()
	h.agent.decisions.ApplyTCPHints("node", model.TCPHints{Revision: 7, Hints: []model.TCPHint{
		{Destinations: []netip.Prefix{netip.MustParsePrefix(serverAddress + "/32")}, InitialWindowSegments: 30, CongestionControl: "none-such"},
		everywhere(),
	}})
	testnet.Until(t, "hints are in force", func() bool {
		return controller.hinted(func(r model.TCPHintReport) bool { return r.Revision == 7 })
	})
	// In the host its own connected route, and one of ours; in the container the connected one, which is the same link.
	if hinted := connect(t, container); hinted.window != 30 || hinted.control != "reno" || hinted.rto >= own.rto/2 {
		t.Errorf("a connection has %v, want 30, reno, and less than half of %v", hinted, own)
	}
	s := h.status().TCPHints
	if s.Node != "node" || s.Revision != 7 || s.Namespaces != 2 || s.ConfiguredNamespaces != 3 || len(s.Hints) != 2 {
		t.Errorf("%+v", s)
	}
	if s.Hints[1].RtoMinNanos < 2_000_000 || s.Hints[1].Routes < 2 || s.Hints[0].Routes != 2 || s.Hints[0].CongestionControl != "" {
		t.Errorf("%+v", s.Hints)
	}
	for _, reason := range []string{"none-such: not loaded", "sluice-not-there"} {
		if !slices.ContainsFunc(s.Refused, func(r string) bool { return strings.Contains(r, reason) }) {
			t.Errorf("refused %q, want %q", s.Refused, reason)
		}
	}
	h.agent.decisions.ApplyTCPHints("", model.TCPHints{})
	testnet.Until(t, "they end", func() bool { return slices.Equal(hostRoutes(t), before) })
	if after := connect(t, container); after.window != own.window || after.control != own.control || after.rto < 200_000 {
		t.Errorf("afterwards a connection has %v, want %v", after, own)
	}
}

// TestHintsAreRemovedWithTheAgent: stopped, restarted or killed, then started anew or cleaned up.
func TestHintsAreRemovedWithTheAgent(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *host) error{
		"stopped": func(h *host) error { return h.stop() },
		"restarted": func(h *host) error {
			h.t.Cleanup(func() { _, _ = footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory) })
			return h.handsOver()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, container := withStacks(t, nil)
			before := hostRoutes(t)
			h.runObserved()
			h.agent.decisions.ApplyTCPHints("node", model.TCPHints{Hints: []model.TCPHint{everywhere()}})
			testnet.Until(t, "hints are in force", func() bool { return connect(t, container).window == 20 })
			if err := end(h); err != nil {
				t.Fatal(err)
			}
			if after := hostRoutes(t); !slices.Equal(after, before) {
				t.Errorf("routes are %v, want %v", after, before)
			}
			if after := connect(t, container); after.window != 10 {
				t.Errorf("a connection has %v", after)
			}
		})
	}
	for name, restore := range map[string]func(h *host){
		"killed and started": func(h *host) { h.run() },
		"killed and cleaned up": func(h *host) {
			if found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); err != nil || !found {
				h.t.Fatalf("cleanup: found %v, %v", found, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, container := withStacks(t, nil)
			before := hostRoutes(t)
			child := h.runHintedChild(everywhere())
			testnet.Until(t, "hints are in force", func() bool { return connect(t, container).window == 20 })
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait()
			restore(h)
			if after := hostRoutes(t); !slices.Equal(after, before) {
				t.Errorf("routes are %v, want %v", after, before)
			}
			if after := connect(t, container); after.window != 10 {
				t.Errorf("a connection has %v", after)
			}
		})
	}
}

// TestConnectionsOfACgroupUseHintedParameters: while the agent lives, and after a kill until the next start, or cleanup.
func TestConnectionsOfACgroupUseHintedParameters(t *testing.T) {
	cgroup := testnet.NewCgroup(t)
	withCgroup := func(c *config.Host) {
		c.TCPHints = &config.TCPHints{Cgroups: []string{cgroup.Name, "sluice-not-there"}}
	}
	hint := everywhere()
	hint.PacingBitsPerSecond = 80_000_000
	t.Run("stopped", func(t *testing.T) {
		h, container := withStacks(t, withCgroup)
		before := hostRoutes(t)
		cgroup.Enter()
		controller := h.runObserved()
		h.agent.decisions.ApplyTCPHints("node", model.TCPHints{Revision: 7, Hints: []model.TCPHint{hint}})
		testnet.Until(t, "hints are in force", func() bool { return connect(t, container).window == 20 })
		testnet.Until(t, "they are reported", func() bool {
			return controller.hinted(func(r model.TCPHintReport) bool { return r.Revision == 7 && r.Hints[0].Cgroups == 1 })
		})
		s := h.status().TCPHints
		if s.Cgroups != 1 || s.ConfiguredCgroups != 2 || s.Hints[0].PacingBitsPerSecond != hint.PacingBitsPerSecond || s.Hints[0].Routes != 0 {
			t.Errorf("%+v", s)
		}
		if len(s.Refused) != 1 || !strings.Contains(s.Refused[0], "sluice-not-there") {
			t.Errorf("refused %q", s.Refused)
		}
		if !slices.Equal(hostRoutes(t), before) {
			t.Error("routes have been changed")
		}
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		if after := connect(t, container); after.window != 10 {
			t.Errorf("a connection has %v", after)
		}
	})
	for name, restore := range map[string]func(h *host){
		"killed and started": func(h *host) { h.run() },
		"killed and cleaned up": func(h *host) {
			if found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); err != nil || !found {
				h.t.Fatalf("cleanup: found %v, %v", found, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, container := withStacks(t, withCgroup)
			cgroup.Enter()
			child := h.runHintedChild(hint)
			testnet.Until(t, "hints are in force", func() bool { return connect(t, container).window == 20 })
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait()
			restore(h)
			testnet.Until(t, "they have ended", func() bool { return connect(t, container).window == 10 })
		})
	}
}
