// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"errors"
	"flag"
	"runtime"
	"sync"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/tap"
)

var onTaps = flag.Bool("taps", false, "guests are on taps with virtio headers, and send in super-packets what a sender is to burst; else on veth pairs")

// Connect makes two devices, what enters one of which leaves the other, and waits until both can carry frames.
type Connect func(t testing.TB, name, peer string) (netlink.Link, netlink.Link)

// Guest makes a guest's device and its host's port.
func Guest(t testing.TB, device, port string) (netlink.Link, netlink.Link) {
	t.Helper()
	if *onTaps {
		return Taps(t, device, port)
	}
	return Veth(t, device, port)
}

// Taps is Veth of two taps, between which frames pass as from and to a guest of a hypervisor. They end with the test.
func Taps(t testing.TB, name, peer string) (netlink.Link, netlink.Link) {
	t.Helper()
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]int, 0, 2)
	for _, device := range []string{name, peer} {
		var end int
		Until(t, device+" of an earlier guest is gone", func() bool {
			end, err = tap.Open(device)
			return !errors.Is(err, unix.EBUSY)
		})
		if err != nil {
			t.Fatalf("%v (this test needs root)", err)
		}
		ends = append(ends, end)
	}
	// Senders of tests are faster than a processor that others use as well.
	if err := netlink.LinkSetTxQLen(Link(t, name), 10_000); err != nil {
		t.Fatal(err)
	}
	var passing sync.WaitGroup
	passing.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its priority
		// On veth pairs the sender's own thread does this work.
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -10); err != nil {
			t.Errorf("priority of a guest's taps: %v (needs root or CAP_SYS_NICE)", err)
		}
		_ = tap.Pass(ends[0], ends[1], stop) // a test may have removed one: the other goes with it
		unix.Close(ends[0])
		unix.Close(ends[1])
	})
	t.Cleanup(func() {
		if _, err := unix.Write(stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			t.Error(err)
		}
		passing.Wait()
		unix.Close(stop)
	})
	return bothUp(t, name, peer)
}
