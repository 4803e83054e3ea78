// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// tenant is a network namespace that an agent is to choose a congestion control for.
type tenant struct {
	*testnet.Namespace
	path string
}

func newTenant(t *testing.T) tenant {
	t.Helper()
	tenant := tenant{testnet.NewNamespace(t), filepath.Join(t.TempDir(), "tenant")}
	if err := os.WriteFile(tenant.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tenant.Do(func() error { return unix.Mount("/proc/thread-self/ns/net", tenant.path, "", unix.MS_BIND, "") })
	t.Cleanup(func() { _ = unix.Unmount(tenant.path, 0) })
	tenant.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/tcp_congestion_control", []byte("reno"), 0) })
	return tenant
}

func (n tenant) control() (name string) {
	n.Do(func() error {
		text, err := os.ReadFile("/proc/sys/net/ipv4/tcp_congestion_control")
		name = strings.TrimSpace(string(text))
		return err
	})
	return name
}

func controlsInKernel(t testing.TB) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(strings.Fields(string(text)), func(name string) bool { return slices.Contains(choice.Names, name) })
}

func withCongestion(t *testing.T, n tenant) *host {
	t.Helper()
	return newHost(t, func(c *config.Host) {
		c.CongestionControls = choice.Names
		c.CongestionNamespaces = []choice.Choice{{Namespace: n.path, Control: choice.DADCTCP}}
	})
}

func (h *host) expectNoControls(n tenant) {
	h.t.Helper()
	if got := n.control(); got != "reno" {
		h.t.Errorf("the namespace uses %q, want what it had used before", got)
	}
	testnet.Until(h.t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(h.t) })
	h.expectNothingLeft()
}

func TestCongestionControlsAreRemovedWithTheAgent(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	n := newTenant(t)
	h := withCongestion(t, n).run()
	if got := n.control(); got != choice.DADCTCP {
		t.Errorf("the namespace uses %q", got)
	}
	s := h.status().Congestion
	if s == nil || len(s.Controls) != 2 || len(s.Chosen) != 1 || len(s.Conditions) != 0 {
		t.Errorf("%+v, want both controls and the choice, and nothing wrong", s)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNoControls(n)
}

func TestAKilledAgentsCongestionControlsStayUntilCleanUp(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	n := newTenant(t)
	h := withCongestion(t, n)
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if got := n.control(); got != choice.DADCTCP || !controlsInKernel(t) {
		t.Errorf("the namespace uses %q, in the kernel: %v; want what the killed agent left", got, controlsInKernel(t))
	}
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectNoControls(n)
}

func TestARestartWithoutCongestionControlsRemovesThem(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	n := newTenant(t)
	h := withCongestion(t, n).run()
	if err := h.handsOver(); err != nil {
		t.Fatal(err)
	}
	if got := n.control(); got != choice.DADCTCP || !controlsInKernel(t) {
		t.Errorf("the namespace uses %q between two agents", got)
	}
	h.settings.CongestionControls, h.settings.CongestionNamespaces = nil, nil
	h.run()
	if got := n.control(); got != "reno" {
		t.Errorf("the namespace uses %q, want what it had used before", got)
	}
	testnet.Until(t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(t) })
}

// withRoutes is a host whose connections towards a container are to use a control, and others of the container's.
func withRoutes(t *testing.T) (*host, *testnet.Namespace) {
	t.Helper()
	testnet.Exclusive(t, "congestion")
	return withStacks(t, func(c *config.Host) {
		c.CongestionControls = choice.Names
		c.CongestionRoutes = []choice.Route{
			{Destinations: []netip.Prefix{netip.MustParsePrefix(serverAddress + "/32")}, Control: choice.DADCTCP},
			{Namespace: c.TCPHints.Namespaces[0], Control: choice.DCTCP},
		}
		c.TCPHints = nil
	})
}

func TestRoutesNameCongestionControlsWhileTheAgentRuns(t *testing.T) {
	h, container := withRoutes(t)
	before, own := hostRoutes(t), connect(t, container)
	h.run()
	if got := connect(t, container); got.control != choice.DADCTCP {
		t.Errorf("a connection uses %s", got.control)
	}
	if text := routesOf(t, container); !strings.Contains(text, choice.DCTCP) {
		t.Errorf("the container's routes name no control: %s", text)
	}
	s := h.status().Congestion
	if len(s.Routes) != 2 || s.Routes[0].Routes != 1 || s.Routes[1].Routes != 1 || len(s.Conditions) != 0 {
		t.Errorf("%+v, want a route of each namespace, and nothing wrong", s)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if got := connect(t, container); got.control != own.control {
		t.Errorf("a connection uses %s after the end, before it was %s", got.control, own.control)
	}
	h.expectRoutes(container, before)
}

func TestAKilledAgentsRoutesAreRestored(t *testing.T) {
	h, container := withRoutes(t)
	before := hostRoutes(t)
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if got := connect(t, container); got.control != choice.DADCTCP {
		t.Errorf("a connection uses %s, want what the killed agent left", got.control)
	}
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectRoutes(container, before)
}

// What is pinned in a mount namespace of the agent's own goes with it when it is killed, and the controls with that: the
// kernel then does not show any more which routes name one, and names it again to whoever loads one of its name. The
// paths of network namespaces that are mounted there lead nowhere.
func TestControlsThatWentWithAKilledAgentsMountsAreRemovedFromRoutes(t *testing.T) {
	h, container := withRoutes(t)
	before := hostRoutes(t)
	source, target := h.settings.CongestionRoutes[1].Namespace, filepath.Join(t.TempDir(), "container")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n := tenant{container, target}
	chosenBefore := n.control()
	h.settings.CongestionRoutes[0].Destinations = nil // routes that there are, and none of the agent's own
	h.settings.CongestionRoutes[1].Namespace = target
	h.settings.CongestionNamespaces = []choice.Choice{{Namespace: target, Control: choice.DCTCP}}
	child := h.runSecludedChild(source, target)
	if text := routesOf(t, container); !strings.Contains(text, choice.DCTCP) || n.control() != choice.DCTCP {
		t.Fatalf("nothing names a control: %s", text)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	testnet.Until(t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(t) })

	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	if chosen := n.control(); chosen != chosenBefore {
		t.Errorf("the container uses %q, want %q as before", chosen, chosenBefore)
	}
	others := t.TempDir()
	if err := bpffs.Prepare(others); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bpffs.Remove(others) }()
	controls, err := congestion.Load(congestion.Settings{Controls: choice.Names, QueueBound: time.Millisecond, BPFDirectory: others})
	if err != nil {
		t.Fatal(err)
	}
	h.expectOnlyRoutes(container, before)
	if err := errors.Join(controls.Close(), congestion.RemovePins(others)); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	testnet.Until(t, "the kernel has forgotten them again", func() bool { return !controlsInKernel(t) })
	h.expectNothingLeft()
}

func TestARestartWithoutRoutesRestoresThem(t *testing.T) {
	h, container := withRoutes(t)
	before := hostRoutes(t)
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	h.settings.CongestionControls, h.settings.CongestionRoutes = nil, nil
	h.run()
	h.expectOnlyRoutes(container, before)
	testnet.Until(t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(t) })
}

func TestConnectionsOfACgroupUseItsControlWhileTheAgentRuns(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	cgroup := testnet.NewCgroup(t)
	h, container := withStacks(t, func(c *config.Host) {
		c.CongestionControls, c.TCPHints = choice.Names, nil
		c.CongestionCgroups = []choice.Cgroup{{Path: cgroup.Name, Control: choice.DADCTCP}, {Path: "sluice/none", Control: choice.DCTCP}}
	})
	own := connect(t, container)
	h.run()
	if got := connect(t, container); got.control != own.control {
		t.Errorf("a connection of no chosen cgroup uses %s", got.control)
	}
	leave := cgroup.Enter()
	if got := connect(t, container); got.control != choice.DADCTCP {
		t.Errorf("a connection of the cgroup uses %s", got.control)
	}
	s := h.status().Congestion
	if len(s.Cgroups) != 1 || s.Cgroups[0].Cgroups != 1 || len(s.Conditions) != 1 || !strings.Contains(s.Conditions[0], "sluice/none") {
		t.Errorf("%+v, want one cgroup, and the one named that is not there", s)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if got := connect(t, container); got.control != own.control {
		t.Errorf("a connection of the cgroup uses %s after the end", got.control)
	}
	leave()
	testnet.Until(t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(t) })
	h.expectNothingLeft()
}

func TestAKilledAgentsCgroupsAreReleased(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	cgroup := testnet.NewCgroup(t)
	h, container := withStacks(t, func(c *config.Host) {
		c.CongestionControls, c.TCPHints = choice.Names, nil
		c.CongestionCgroups = []choice.Cgroup{{Path: cgroup.Name, Control: choice.DCTCP}}
	})
	own := connect(t, container)
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	leave := cgroup.Enter()
	if got := connect(t, container); got.control != choice.DCTCP {
		t.Errorf("a connection of the cgroup uses %s, want what the killed agent left", got.control)
	}
	h.endCgroupsLease()
	if got := connect(t, container); got.control != own.control {
		t.Errorf("a connection of the cgroup uses %s after the lease", got.control)
	}
	leave()
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	testnet.Until(t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(t) })
	h.expectNothingLeft()
}

// endCgroupsLease checks that the hints of cgroups end by themselves, as nobody renews them, and has that be now.
func (h *host) endCgroupsLease() {
	h.t.Helper()
	const atMost = 5 * time.Second
	type lease struct{ EndsNanos, Set uint64 }
	leases := h.cgroupsLeases()
	defer leases.Close()
	var now lease
	err := leases.Lookup(uint32(0), &now)
	if left := time.Duration(int64(now.EndsNanos) - clock.Nanos()); err != nil || left <= 0 || left > atMost {
		h.t.Fatalf("the lease ends in %v (%v)", left, err)
	}
	if err := leases.Put(uint32(0), lease{EndsNanos: 1, Set: now.Set}); err != nil {
		h.t.Fatal(err)
	}
}

// cgroupsLeases is the map that has it, of the program that is pinned.
func (h *host) cgroupsLeases() *ebpf.Map {
	h.t.Helper()
	pins, err := bpffs.Entries(h.settings.BPFDirectory)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, name := range pins {
		pinned, err := link.LoadPinnedLink(filepath.Join(h.settings.BPFDirectory, name), nil)
		if err != nil {
			continue // not a link
		}
		defer pinned.Close()
		if leases := mapOf(h.t, pinned, "leases"); leases != nil {
			return leases
		}
	}
	h.t.Fatalf("no program with a lease is among %q", pins)
	return nil
}

// mapOf is a map of an attached program; nil if it has none of that name.
func mapOf(t testing.TB, attached link.Link, name string) *ebpf.Map {
	t.Helper()
	about, err := attached.Info()
	if err != nil {
		t.Fatal(err)
	}
	program, err := ebpf.NewProgramFromID(about.Program)
	if err != nil {
		return nil // a map of operations has none
	}
	defer program.Close()
	info, err := program.Info()
	if err != nil {
		t.Fatal(err)
	}
	ids, _ := info.MapIDs()
	for _, id := range ids {
		found, err := ebpf.NewMapFromID(id)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := found.Info(); err == nil && info.Name == name {
			return found
		}
		found.Close()
	}
	return nil
}

// expectRoutes expects that nothing names a control any more, and nothing is left of one.
func (h *host) expectRoutes(container *testnet.Namespace, before []string) {
	h.t.Helper()
	h.expectOnlyRoutes(container, before)
	testnet.Until(h.t, "the kernel has forgotten the controls", func() bool { return !controlsInKernel(h.t) })
	h.expectNothingLeft()
}

func (h *host) expectOnlyRoutes(container *testnet.Namespace, before []string) {
	h.t.Helper()
	if after := hostRoutes(h.t); !slices.Equal(after, before) {
		h.t.Errorf("routes are\n%s\nbefore they were\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if text := routesOf(h.t, container); strings.Contains(text, "sluice") {
		h.t.Errorf("the container's routes still name a control: %s", text)
	}
}

func routesOf(t testing.TB, n *testnet.Namespace) (text string) {
	n.Do(func() error {
		text = strings.Join(hostRoutes(t), "\n")
		return nil
	})
	return text
}
