// SPDX-License-Identifier: Apache-2.0

// Package probe finds out what this kernel lets the agent do, by doing it, never by its version.
package probe

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/cgroups"
)

// Result is one feature: whether it is there, who needs it, what its absence costs.
type Result struct {
	model.Feature
	// NeededBy is "host", "port", or "" for what the agent can do without.
	NeededBy string `json:"neededBy,omitempty"`
	// Remedy is what would bring it, where it is missing.
	Remedy string `json:"remedy,omitempty"`
}

type check struct {
	name     string
	neededBy string
	cost     string
	remedy   string
	try      func() error
}

// Names of features that only some configurations use.
const (
	CongestionControls = "congestion-controls"
	CgroupHints        = "cgroup-hints"
)

// asRoot brings every privilege.
const asRoot = "sudo sluice-agent ..., or systemctl start sluice-agent; a container needs --privileged"

// newer brings a kernel that has everything.
const newer = "boot Linux 6.6 or newer (on Debian 12: apt-get install -t bookworm-backports linux-image-amd64)"

var checks = []check{
	{
		"privileges", "host,port", "the agent must run as root or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON",
		asRoot, tryPrivileges,
	},
	{
		"kernel-types", "host,port", "the kernel has no type information",
		"boot a kernel with CONFIG_DEBUG_INFO_BTF=y: those of Debian, Ubuntu and Fedora have it", tryBTF,
	},
	{"ring-buffer", "host", "kernel 5.8 or newer is needed", newer, tryRing},
	{
		"tcx", "host,port", "BPF cannot be attached to interfaces: kernel 6.6 or newer with CONFIG_NET_XGRESS is needed",
		newer, tryTCX,
	},
	{"shim-programs", "host", "the kernel refuses the shim's programs", newer, tryShim},
	{
		"exact-backlog", "", "a port marks by a phantom queue instead of its true backlog (kernel 6.2 or newer reads it)",
		newer, port.CanReadQdisc,
	},
	{
		CongestionControls, "", "congestionControls of agent.yaml cannot be loaded: kernel 6.4 or newer with BTF and CONFIG_BPF_JIT is needed",
		newer, congestion.Probe,
	},
	{
		CgroupHints, "", "tcpHints.cgroups of agent.yaml have no effect: kernel 5.8 or newer with CONFIG_CGROUP_BPF, type information and cgroup2 is needed",
		"mount -t cgroup2 none /sys/fs/cgroup/unified, or boot a kernel with CONFIG_CGROUP_BPF=y", cgroups.Probe,
	},
	{
		"htb", "host,port", "no rate can be limited: the kernel lacks CONFIG_NET_SCH_HTB",
		"modprobe sch_htb (the module is in the package of the running kernel: uname -r)", tryHTB,
	},
	{
		"fair-queues", "",
		"an endpoint's flows leave in the order of their arrival, so that a burst to one destination delays all others: the kernel lacks CONFIG_NET_SCH_FQ_CODEL",
		"modprobe sch_fq_codel (the module is in the package of the running kernel: uname -r)", tryFairQueues,
	},
	{
		"bpf-file-system", "host,port", "limits could not outlive a killed agent: the kernel lacks the bpf file system",
		"boot a kernel with CONFIG_BPF_SYSCALL=y; then: mount -t bpf bpf /sys/fs/bpf", tryBPFFS,
	},
}

// Run tries everything; it takes some tens of milliseconds and leaves nothing behind.
func Run() []Result {
	results := make([]Result, len(checks))
	for i, c := range checks {
		results[i] = Result{Feature: model.Feature{Name: c.name, Present: true}, NeededBy: c.neededBy}
		if err := c.try(); err != nil {
			results[i].Present = false
			results[i].Detail = fmt.Sprintf("%s (%v)", c.cost, err)
			results[i].Remedy = c.remedy
			if errors.Is(err, unix.EPERM) {
				results[i].Remedy = asRoot // the kernel may have it
			}
		}
	}
	return results
}

// Missing lists what a role cannot do without.
func Missing(results []Result, role string) error {
	var missing []error
	for _, r := range results {
		if !r.Present && (r.NeededBy == role || r.NeededBy == "host,port") {
			missing = append(missing, fmt.Errorf("%s: %s: %s", r.Name, r.Detail, r.Remedy))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("this host lacks what the agent needs:\n%w", errors.Join(missing...))
}

// For lists the features that a role may need, its optional ones included.
func For(results []Result, role string) []model.Feature {
	var features []model.Feature
	for _, r := range results {
		if r.NeededBy == "" || r.NeededBy == "host,port" || r.NeededBy == role {
			features = append(features, r.Feature)
		}
	}
	return features
}

func tryPrivileges() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	needed := map[string]int{"CAP_NET_ADMIN": unix.CAP_NET_ADMIN, "CAP_PERFMON": unix.CAP_PERFMON, "CAP_BPF": unix.CAP_BPF}
	for name, bit := range needed {
		if data[bit/32].Effective&(1<<(bit%32)) == 0 {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

func tryBTF() error {
	_, err := btf.LoadKernelSpec()
	return err
}

func tryRing() error {
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: uint32(os.Getpagesize())})
	if err != nil {
		return err
	}
	return m.Close()
}

// tryTCX attaches a program that does nothing to a fresh namespace's loopback.
func tryTCX() error {
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:         ebpf.SchedCLS,
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, -1), asm.Return()},
		License:      "Dual BSD/GPL",
	})
	if err != nil {
		return err
	}
	defer program.Close()
	return inFreshNetwork(func() error {
		attached, err := link.AttachTCX(link.TCXOptions{Interface: loopback, Program: program, Attach: ebpf.AttachTCXIngress})
		if err != nil {
			return err
		}
		return attached.Close()
	})
}

func tryShim() error {
	s, err := shim.Load([]int{loopback}, 253, true)
	if err != nil {
		return err
	}
	return s.Close()
}

func tryHTB() error {
	return withTree(func(*htb.Tree) error { return nil })
}

func tryFairQueues() error {
	return withTree(func(tree *htb.Tree) error {
		if tree.LacksFairQueues() {
			return unix.ENOENT
		}
		return nil
	})
}

// withTree tries something with a tree that has an endpoint, in a network of its own.
func withTree(try func(*htb.Tree) error) error {
	return inFreshNetwork(func() error {
		conn, err := htb.Dial()
		if err != nil {
			return err
		}
		defer conn.Close()
		tree, err := htb.NewTree(conn, "lo", loopback, 1500, 10_000_000, false)
		if err != nil {
			return err
		}
		part := htb.Part{RateBitsPerSecond: 5_000_000, CeilingBitsPerSecond: 5_000_000, QuantumBytes: htb.FrameBytes(1500)}
		return errors.Join(tree.AddTenant(1, part), tree.AddEndpoint(1, 1, part), try(tree), tree.Release())
	})
}

func tryBPFFS() error {
	systems, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Split(string(systems), "\n"), "nodev\tbpf") {
		return errors.New("not in /proc/filesystems")
	}
	return nil
}

// loopback is the index of lo in every network namespace.
const loopback = 1

// inFreshNetwork runs try in a network namespace of its own, which goes with its thread.
func inFreshNetwork(try func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the runtime then ends the thread
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("network namespace: %w", err)
			return
		}
		done <- try()
	}()
	return <-done
}
