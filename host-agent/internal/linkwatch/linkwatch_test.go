// SPDX-License-Identifier: Apache-2.0

package linkwatch

import (
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func has(t *testing.T, w *Watcher, name string) bool {
	t.Helper()
	links, err := w.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if link.Attrs().Name == name {
			return true
		}
	}
	return false
}

// changed waits for a change after which the condition holds.
func changed(t *testing.T, w *Watcher, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-w.Changes():
		case <-deadline:
			t.Fatalf("no change reported: %s", what)
		}
	}
}

func TestAVethsOtherEndIsFoundInItsNamespace(t *testing.T) {
	testnet.Enter(t)
	w, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	inside, host := testnet.Veth(t, "eth0", "pod0")
	if peer, err := w.Peer(host); err != nil || peer != nil {
		t.Errorf("%v, %v; want none, it is in the same namespace", peer, err)
	}
	mac := net.HardwareAddr{2, 0, 0, 0, 0, 7}
	testnet.NewNamespace(t).Take(inside, mac, "10.0.0.7/24")
	peer, err := w.Peer(testnet.Link(t, "pod0"))
	if err != nil || peer.Attrs().Name != "eth0" || peer.Attrs().HardwareAddr.String() != mac.String() || peer.Attrs().Flags&net.FlagUp == 0 {
		t.Errorf("%+v, %v; want eth0 with %s, up", peer, err, mac)
	}
	stale := testnet.Link(t, "pod0")
	testnet.Delete(t, "pod0")
	if peer, err := w.Peer(stale); err == nil {
		t.Errorf("%+v, want an error: it has gone", peer)
	}
}

func TestAddedAndRemovedInterfacesAreReported(t *testing.T) {
	testnet.Enter(t)
	w, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	testnet.Veth(t, "vm0", "vm")
	changed(t, w, "vm0 came", func() bool { return has(t, w, "vm0") })
	testnet.Delete(t, "vm0")
	changed(t, w, "vm0 went", func() bool { return !has(t, w, "vm0") })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(10 * time.Second)
	for open := true; open; {
		select {
		case _, open = <-w.Changes():
		case <-deadline:
			t.Fatal("the channel stays open after Close")
		}
	}
}

func TestEnterFollowsTheWatchedNamespace(t *testing.T) {
	testnet.Enter(t)
	testnet.Veth(t, "vm0", "vm")
	w, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	done := make(chan error)
	go func() {
		err := w.Enter()
		if err == nil {
			_, err = netlink.LinkByName("vm0")
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
