// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

type directories struct{ run, bpf string }

// leave makes the traces of an agent that was killed: a root qdisc on "up0", pins' directory.
func leave(t *testing.T) directories {
	t.Helper()
	testnet.Enter(t)
	device, _ := testnet.Veth(t, "up0", "far")
	base := t.TempDir()
	d := directories{filepath.Join(base, "run"), filepath.Join(base, "bpf")}
	lock, err := Acquire(d.run)
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(d.run, d.bpf)
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	conn, err := htb.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := htb.NewTree(conn, "up0", device.Attrs().Index, 1500, 1_000_000, false); err != nil {
		t.Fatal(err)
	}
	f.RootInterface = "up0"
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = UndoEarlier(d.run, d.bpf) })
	return d
}

func TestEverythingIsUndoneOnce(t *testing.T) {
	d := leave(t)
	for _, want := range []bool{true, false} {
		found, err := UndoEarlier(d.run, d.bpf)
		if err != nil || found != want {
			t.Fatalf("found %v, %v; want %v", found, err, want)
		}
	}
	if _, err := os.Stat(d.bpf); !os.IsNotExist(err) {
		t.Errorf("%s is still there", d.bpf)
	}
}

func TestARemovedInterfaceIsIgnored(t *testing.T) {
	d := leave(t)
	testnet.Delete(t, "up0")
	if found, err := UndoEarlier(d.run, d.bpf); err != nil || !found {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestAnotherNetworkNamespaceIsRefused(t *testing.T) {
	d := leave(t)
	done := make(chan error)
	go func() {
		testnet.Enter(t)
		_, err := UndoEarlier(d.run, d.bpf)
		done <- err
	}()
	if err := <-done; !errors.Is(err, errOtherNamespace) {
		t.Errorf("%v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(d.run, fileName)); err != nil {
		t.Errorf("the footprint is lost: %v", err)
	}
}

func TestARunDirectoryHasOneAgent(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "run")
	first, err := Acquire(directory)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(directory); err == nil {
		t.Error("two agents in one directory")
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := Acquire(directory)
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Error("an empty run directory stays")
	}
}

func TestOthersPassTheRunDirectoryWhateverTheUmask(t *testing.T) {
	base := t.TempDir()
	before := unix.Umask(0o077)
	lock, err := Acquire(filepath.Join(base, "above", "run"))
	unix.Umask(before)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"above", "above/run"} {
		info, err := os.Stat(filepath.Join(base, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o711 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}
