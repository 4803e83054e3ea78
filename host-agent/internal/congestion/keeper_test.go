// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const sysctl = "/proc/sys/net/ipv4/tcp_congestion_control"

var quiet = slog.New(slog.DiscardHandler)

// memoryRecord is a Record of one process.
type memoryRecord struct{ chosen []choice.Chosen }

func (m *memoryRecord) Chosen() []choice.Chosen { return m.chosen }

func (m *memoryRecord) SetChosen(chosen []choice.Chosen) error {
	m.chosen = chosen
	return nil
}

// namedNamespace is one that a path leads to, as `ip netns` makes it.
type namedNamespace struct {
	*testnet.Namespace
	path string
}

func newNamed(t *testing.T, path string) namedNamespace {
	t.Helper()
	n := namedNamespace{testnet.NewNamespace(t), path}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n.Do(func() error { return unix.Mount("/proc/thread-self/ns/net", path, "", unix.MS_BIND, "") })
	t.Cleanup(n.remove)
	return n
}

// remove takes the path away.
func (n namedNamespace) remove() {
	_ = unix.Unmount(n.path, 0)
	_ = os.Remove(n.path)
}

func (n namedNamespace) control() (name string) {
	n.Do(func() error {
		text, err := os.ReadFile(sysctl)
		name = strings.TrimSpace(string(text))
		return err
	})
	return name
}

func (n namedNamespace) choose(name string) {
	n.Do(func() error { return os.WriteFile(sysctl, []byte(name), 0) })
}

func keep(t *testing.T, directory string, record Record, choices ...choice.Choice) *Keeper {
	t.Helper()
	return keepWith(t, record, Settings{Controls: choice.Names, QueueBound: queueBound, Choices: choices, BPFDirectory: directory})
}

func keepWith(t *testing.T, record Record, settings Settings) *Keeper {
	t.Helper()
	k, err := Start(settings, record, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Remove(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func TestTheNamespacesCongestionControlIsRestored(t *testing.T) {
	directory := pins(t)
	n := newNamed(t, filepath.Join(t.TempDir(), "tenant"))
	n.choose("reno")
	record := &memoryRecord{}
	k := keep(t, directory, record, choice.Choice{Namespace: n.path, Control: choice.DADCTCP})
	if got := n.control(); got != choice.DADCTCP {
		t.Fatalf("new sockets use %q: %v", got, k.Overview(0).Conditions)
	}
	if err := k.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := n.control(); got != "reno" || len(record.chosen) > 0 {
		t.Errorf("new sockets use %q after all, want what was there before (%v on record)", got, record.chosen)
	}
}

func TestAControlChosenByOthersIsKept(t *testing.T) {
	directory := pins(t)
	n := newNamed(t, filepath.Join(t.TempDir(), "tenant"))
	if n.control() == "reno" {
		t.Fatal("this kernel's default is reno, which this test chooses in its place: set net.ipv4.tcp_congestion_control to another")
	}
	k := keep(t, directory, &memoryRecord{}, choice.Choice{Namespace: n.path, Control: choice.DCTCP})
	n.choose("reno")
	if err := k.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := n.control(); got != "reno" {
		t.Errorf("new sockets use %q, want somebody's choice", got)
	}
}

func TestARecreatedNamespaceIsConfigured(t *testing.T) {
	directory := pins(t)
	path := filepath.Join(t.TempDir(), "tenant")
	k := keep(t, directory, &memoryRecord{}, choice.Choice{Namespace: path, Control: choice.DCTCP})
	if c := k.Overview(0).Conditions; len(c) != 1 || !strings.Contains(c[0], path) {
		t.Errorf("conditions %q, want the missing namespace", c)
	}
	for range 2 {
		n := newNamed(t, path)
		k.Follow()
		if got := n.control(); got != choice.DCTCP {
			t.Errorf("new sockets use %q", got)
		}
		if c := k.Overview(0).Conditions; len(c) > 0 {
			t.Errorf("conditions %q, want none", c)
		}
		n.remove()
	}
}

// TestOnlyTheFirstNamespaceIsRefused: a test may run in the machine's first one, or in a container's.
func TestOnlyTheFirstNamespaceIsRefused(t *testing.T) {
	_, notFirst := os.Stat("/proc/sys/net/core/netdev_max_backlog")
	_, err := choice.Read(choice.Choice{Namespace: "/proc/thread-self/ns/net", Control: choice.DCTCP})
	if notFirst == nil && (err == nil || !strings.Contains(err.Error(), "congctl")) {
		t.Errorf("%v, want a refusal and the other way", err)
	}
	if notFirst != nil && err != nil {
		t.Errorf("%v, although it is not the first", err)
	}
}

func TestAKilledAgentsCongestionControlIsRestored(t *testing.T) {
	directory := pins(t)
	n := newNamed(t, filepath.Join(t.TempDir(), "tenant"))
	n.choose("reno")
	record := &memoryRecord{}
	killed := keep(t, directory, record, choice.Choice{Namespace: n.path, Control: choice.DCTCP})
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	if got := n.control(); got != choice.DCTCP || len(registered(t)) == 0 {
		t.Fatalf("new sockets use %q, registered are %v: want what the killed agent left", got, registered(t))
	}
	if err := choice.RestoreAll(record.chosen); err != nil {
		t.Fatal(err)
	}
	if got := n.control(); got != "reno" {
		t.Errorf("new sockets use %q after the clean-up", got)
	}
}

func TestASecondAgentOfOneKernelReportsTheRegisteredControl(t *testing.T) {
	directory := pins(t)
	load(t, choice.Names, directory)
	elsewhere := filepath.Join(directory, "other")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	k := keepWith(t, &memoryRecord{}, Settings{
		Controls: choice.Names, QueueBound: queueBound, BPFDirectory: elsewhere, goesWithin: 50 * time.Millisecond,
	})
	if c := k.Overview(0).Conditions; len(c) != 1 || !strings.Contains(c[0], "somebody else") {
		t.Errorf("conditions %q, want the other one's control", c)
	}
}

func TestMarksThatConnectionsDoNotReceiveAreACondition(t *testing.T) {
	for _, c := range []struct {
		arrived  uint64
		controls Status
		want     string
	}{
		{0, Status{Connections: 1}, ""},
		{5, Status{}, ""},
		{5, Status{Connections: 1, ReceivedMarks: 1}, ""},
		{5, Status{Connections: 1}, "ecn: preserve"},
		{0, Status{Name: choice.DCTCP, ConnectionsWithoutECN: 2, LastWithoutECN: "10.0.0.1:80"}, "2 connections have not agreed on ECN, the last with 10.0.0.1:80"},
	} {
		got := fmt.Sprint(marksConditions([]Status{c.controls}, c.arrived))
		if c.want == "" && got != "[]" || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %q", c, got, c.want)
		}
	}
}
