// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Namespace is a network namespace beside the test's own, with a network stack of its own.
type Namespace struct {
	t    testing.TB
	file *os.File
	work chan func()
}

// NewNamespace makes one; it ends with the test.
func NewNamespace(t testing.TB) *Namespace {
	t.Helper()
	n := &Namespace{t: t, work: make(chan func())}
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread, and the namespace, end with the goroutine
		err := unix.Unshare(unix.CLONE_NEWNET)
		if err == nil {
			n.file, err = os.Open("/proc/thread-self/ns/net")
		}
		made <- err
		for work := range n.work {
			work()
		}
	}()
	if err := <-made; err != nil {
		t.Fatalf("another network namespace: %v (this test needs root)", err)
	}
	t.Cleanup(func() {
		close(n.work)
		_ = n.file.Close()
	})
	return n
}

// Do does something inside, such as making a socket, which then stays there.
func (n *Namespace) Do(work func() error) {
	n.t.Helper()
	done := make(chan error)
	n.work <- func() { done <- work() }
	if err := <-done; err != nil {
		n.t.Fatal(err)
	}
}

// Take moves one end of a Veth or of Taps inside, gives it an address, and waits until both ends can carry frames
// again: each end of a veth pair loses its carrier by the move.
func (n *Namespace) Take(device netlink.Link, mac net.HardwareAddr, address string) {
	n.t.Helper()
	name, peer := device.Attrs().Name, device.Attrs().ParentIndex
	if err := netlink.LinkSetNsFd(device, int(n.file.Fd())); err != nil {
		n.t.Fatalf("%s: %v", name, err)
	}
	n.Do(func() error {
		inside, err := netlink.LinkByName(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := netlink.LinkSetHardwareAddr(inside, mac); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		parsed, err := netlink.ParseAddr(address)
		if err != nil {
			return err
		}
		if err := netlink.AddrAdd(inside, parsed); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return netlink.LinkSetUp(inside)
	})
	Until(n.t, name+" and its peer are operational", func() (both bool) {
		n.Do(func() error {
			inside, err := netlink.LinkByName(name)
			both = err == nil && isOperational(inside)
			return err
		})
		if peer == 0 { // a tap's
			return both
		}
		outside, err := netlink.LinkByIndex(peer)
		return err == nil && both && isOperational(outside)
	})
}
