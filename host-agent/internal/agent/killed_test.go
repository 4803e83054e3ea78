// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// childVariable makes the test binary an agent that can be killed; it names its configuration.
const childVariable = "SLUICE_TEST_AGENT"

// hintVariable has a hint for the child, as JSON; without it the child has none.
const hintVariable = "SLUICE_TEST_HINT"

// mountVariable has the child mount a network namespace where only it and its like see that: "SOURCE TARGET".
const mountVariable = "SLUICE_TEST_MOUNT"

func TestMain(m *testing.M) {
	if file := os.Getenv(childVariable); file != "" {
		if err := runAsAgent(file); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func runAsAgent(file string) error {
	if text := os.Getenv(mountVariable); text != "" {
		source, target, _ := strings.Cut(text, " ")
		if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	settings, err := config.LoadHost(file)
	if err != nil {
		return err
	}
	a, err := Start(settings, "test", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if text := os.Getenv(hintVariable); text != "" {
		var hint model.TCPHint
		if err := json.Unmarshal([]byte(text), &hint); err != nil {
			return err
		}
		a.decisions.ApplyTCPHints("node", model.TCPHints{Hints: []model.TCPHint{hint}})
	}
	fmt.Println("ready")
	return a.Run(context.Background())
}

// runChild starts an agent in a process of its own, in this test's network namespace.
func (h *host) runChild() *exec.Cmd {
	h.t.Helper()
	return h.runChildWith(0)
}

// runSecludedChild starts one in a mount namespace of its own, in which a network namespace is at target.
func (h *host) runSecludedChild(source, target string) *exec.Cmd {
	h.t.Helper()
	return h.runChildWith(syscall.CLONE_NEWNS, mountVariable+"="+source+" "+target)
}

// runHintedChild starts one that was given a hint.
func (h *host) runHintedChild(hint model.TCPHint) *exec.Cmd {
	h.t.Helper()
	text, err := json.Marshal(hint)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.runChildWith(0, hintVariable+"="+string(text))
}

func (h *host) runChildWith(unshared uintptr, environment ...string) *exec.Cmd {
	h.t.Helper()
	text, err := yaml.Marshal(h.settings)
	if err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.t.TempDir(), "agent.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		h.t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unshared}
	child.Env = append(append(os.Environ(), childVariable+"="+file), environment...)
	output, err := child.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = child.Process.Kill() })
	line := make([]byte, 200)
	n, _ := output.Read(line)
	if answer := strings.TrimSpace(string(line[:n])); answer != "ready" {
		h.t.Fatalf("the agent answered %q (this test needs root)", answer)
	}
	return child
}

func TestAKilledAgentsLimitsExpireWithTheLeaseIfConfigured(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond
	h := newHost(t, func(c *config.Host) {
		c.LeaseMillis, c.AfterLease = int(lease.Milliseconds()), config.AfterLeaseOpen
	})
	child := h.runChild()
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	// A forged mark that is cleared shows that the shim is at work.
	enforced := func() bool {
		return testnet.ECNOf(capture.FirstOf(sender, udp, outward(ownIP, peerIP, testnet.CE))) == testnet.ECT0
	}
	if !enforced() {
		t.Fatal("the agent does not enforce")
	}
	killed := time.Now()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if !enforced() {
		t.Error("open at once after the agent was killed")
	}
	testnet.Until(t, "it is open once the lease is over", func() bool { return !enforced() })
	if held := time.Since(killed); held < lease*3/4 {
		t.Errorf("open after %v already, want a lease of %v", held, lease)
	}
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectNothingLeft()
}

func TestAKilledAgentsLimitsHold(t *testing.T) {
	t.Parallel()
	const lease = 200 * time.Millisecond
	h := newHost(t, func(c *config.Host) { c.LeaseMillis = int(lease.Milliseconds()) })
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	time.Sleep(2 * lease) // it is over
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	foreign, own := outward(otherIP, peerIP, testnet.NotECT), outward(ownIP, peerIP, testnet.CE)
	if frame := capture.FirstOf(sender, udp, foreign, own); testnet.ECNOf(frame) != testnet.ECT0 {
		t.Error("a dead agent's host is open")
	}
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectNothingLeft()
}

func TestARestartReplacesTheStateOfAKilledAgent(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	child := h.runChild()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	h.run()
	capture := testnet.NewCapture(t, h.far)
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	capture.Next(eventually, udp)
	s := h.status()
	if sent := s.Endpoints[0].TxPackets; sent != 1 {
		t.Errorf("the new agent counts %d packets, want 1", sent)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestCleanupFollowsAKilledAgentsBridge(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge)
	child := h.runChild()
	h.addPort("second", "vm1")
	testnet.Until(t, "the new port's programs are pinned", func() bool {
		pins, err := bpffs.Entries(h.settings.BPFDirectory)
		pins = slices.DeleteFunc(pins, func(name string) bool { return !strings.Contains(name, "_vm-") })
		return err == nil && len(pins) == 4
	})
	if size := testnet.Link(t, "vm1").Attrs().GSOMaxSize; size == 65536 {
		t.Error("vm1's gso_max_size was left as it was")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	h.remake() // nobody follows it now
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectNothingLeft()
	if size := testnet.Link(t, "vm1").Attrs().GSOMaxSize; size != 65536 {
		t.Errorf("gso_max_size of vm1 is %d, want what it was", size)
	}
}
