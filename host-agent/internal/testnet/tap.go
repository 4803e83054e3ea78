// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Tap is a device whose other end is this process: what a hypervisor does for a guest.
type Tap struct {
	netlink.Link
	t    testing.TB
	file *os.File
}

// tunUSO is TUN_F_USO4 | TUN_F_USO6 of linux/if_tun.h.
const tunUSO = 0x20 | 0x40

// NewTap makes one with virtio headers and all offloads; it ends with the test.
func NewTap(t testing.TB, name string) *Tap {
	t.Helper()
	attributes := netlink.NewLinkAttrs()
	attributes.Name = name
	device := &netlink.Tuntap{
		LinkAttrs: attributes, Mode: netlink.TUNTAP_MODE_TAP, NonPersist: true, Queues: 1,
		Flags: netlink.TUNTAP_ONE_QUEUE | netlink.TUNTAP_NO_PI | netlink.TUNTAP_VNET_HDR,
	}
	if err := netlink.LinkAdd(device); err != nil {
		t.Fatalf("tap %s: %v (this test needs root and /dev/net/tun)", name, err)
	}
	tap := &Tap{t: t, file: device.Fds[0]}
	t.Cleanup(func() { _ = tap.file.Close() })
	connection, err := tap.file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	err = connection.Control(func(fd uintptr) {
		failed = unix.IoctlSetInt(int(fd), unix.TUNSETOFFLOAD, unix.TUN_F_CSUM|unix.TUN_F_TSO4|unix.TUN_F_TSO6|tunUSO)
	})
	if err != nil || failed != nil {
		t.Fatalf("offloads of tap %s: %v, %v", name, err, failed)
	}
	if err := netlink.LinkSetUp(Link(t, name)); err != nil {
		t.Fatal(err)
	}
	// It has no operational state.
	Until(t, name+" has its carrier", func() bool { return Link(t, name).Attrs().RawFlags&unix.IFF_LOWER_UP != 0 })
	tap.Link = Link(t, name)
	return tap
}

// Send has the guest send a frame.
func (t *Tap) Send(frame []byte) { t.write(make([]byte, virtioHeaderBytes), frame) }

// SendSuper is Sender.SendSuper for the guest.
func (t *Tap) SendSuper(frame []byte, segmentBytes int) {
	t.write(superHeader(frame, segmentBytes), frame)
}

// Next waits for the next frame that the guest receives and that suits; it fails the test at the deadline.
func (t *Tap) Next(within time.Duration, suits func([]byte) bool) (frame []byte) {
	t.t.Helper()
	connection, err := t.file.SyscallConn()
	if err != nil {
		t.t.Fatal(err)
	}
	buffer, deadline := make([]byte, 70_000), time.Now().Add(within)
	for {
		var n int
		failed := connection.Control(func(fd uintptr) {
			waiting := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, err = unix.Poll(waiting, int(max(time.Until(deadline), 0).Milliseconds())); n > 0 {
				n, err = unix.Read(int(fd), buffer)
			}
		})
		switch {
		case errors.Is(err, unix.EINTR):
		case failed != nil || err != nil:
			t.t.Fatal(failed, err)
		case n <= virtioHeaderBytes:
			t.t.Fatal("no such frame came to the guest")
		case suits(buffer[virtioHeaderBytes:n]):
			return buffer[virtioHeaderBytes:n]
		}
	}
}

func (t *Tap) write(header, frame []byte) {
	if _, err := t.file.Write(append(header, frame...)); err != nil {
		t.t.Fatal(err)
	}
}
