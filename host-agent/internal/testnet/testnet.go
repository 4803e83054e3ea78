// SPDX-License-Identifier: Apache-2.0

// Package testnet gives tests network namespaces and devices of their own. It needs root; without
// it tests fail with that reason.
package testnet

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Enter puts the test's goroutine into a fresh network namespace, which ends with its thread.
func Enter(t testing.TB) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the runtime ends the thread with the goroutine
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatalf("a network namespace of its own: %v (this test needs root)", err)
	}
	// The kernel's own neighbour discovery would be counted among the tests' frames.
	const quiet = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
	if err := os.WriteFile(quiet, []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(Link(t, "lo")); err != nil {
		t.Fatal(err)
	}
}

// Veth makes a pair of devices and waits until both can carry frames.
func Veth(t testing.TB, name, peer string) (netlink.Link, netlink.Link) {
	t.Helper()
	attributes := netlink.NewLinkAttrs()
	attributes.Name = name
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attributes, PeerName: peer}); err != nil {
		t.Fatalf("veth %s %s: %v", name, peer, err)
	}
	return bothUp(t, name, peer)
}

func bothUp(t testing.TB, name, peer string) (netlink.Link, netlink.Link) {
	t.Helper()
	for _, device := range []string{name, peer} {
		if err := netlink.LinkSetUp(Link(t, device)); err != nil {
			t.Fatal(err)
		}
	}
	for _, device := range []string{name, peer} {
		Until(t, device+" is operational", func() bool { return isOperational(Link(t, device)) })
	}
	return Link(t, name), Link(t, peer)
}

// isOperational reports whether a device carries frames. Set up is not enough: the kernel notices a device's
// carrier in a worker of its own, which comes late on a busy machine. Until then the device drops what
// it is to send, and so does a bridge that it is a port of.
func isOperational(device netlink.Link) bool {
	if _, isTap := device.(*netlink.Tuntap); isTap { // it has no operational state
		return device.Attrs().RawFlags&unix.IFF_LOWER_UP != 0
	}
	return device.Attrs().OperState == netlink.OperUp
}

// Link finds a device of the current namespace.
func Link(t testing.TB, name string) netlink.Link {
	t.Helper()
	device, err := netlink.LinkByName(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return device
}

// Sender sends raw frames out of a device.
type Sender struct {
	t       testing.TB
	socket  int
	address unix.SockaddrLinklayer
	onTap   bool
}

// NewSender opens a packet socket on a device; it is closed with the test.
func NewSender(t testing.TB, device netlink.Link) *Sender {
	t.Helper()
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(socket) })
	// A full socket would make the sender wait for the queues that it is to overfill.
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 64<<20); err != nil {
		t.Fatal(err)
	}
	_, onTap := device.(*netlink.Tuntap)
	return &Sender{t, socket, unix.SockaddrLinklayer{Ifindex: device.Attrs().Index, Halen: 6}, onTap}
}

// Priority sets the class of the frames sent from now on.
func (s *Sender) Priority(class uint32) {
	if err := unix.SetsockoptInt(s.socket, unix.SOL_SOCKET, unix.SO_PRIORITY, int(class)); err != nil {
		s.t.Fatal(err)
	}
}

// Send sends a frame. What a full queue refuses is lost, as on a wire.
func (s *Sender) Send(frame []byte) {
	if err := unix.Sendto(s.socket, frame, 0, &s.address); err != nil && err != unix.ENOBUFS {
		s.t.Fatal(err)
	}
}

// Burst sends so many of a frame at once: as a super-packet if the device is a tap and the frame's protocol has them.
func (s *Sender) Burst(frame []byte, count int) {
	if s.onTap && isSegmented(frame) {
		s.SendSuper(Super(frame, count))
		return
	}
	for range count {
		s.Send(frame)
	}
}

// SendToBeSummed sends a frame whose checksum the device is to make: over all from start on, to be
// written at an offset from there.
func (s *Sender) SendToBeSummed(frame []byte, start, offset int) {
	s.sendWith(toBeSummed(start, offset), frame)
}

// SendSuper sends a frame of TCP or UDP over IPv4 or IPv6, without extension headers, that is to leave as segments with
// so much payload each.
func (s *Sender) SendSuper(frame []byte, segmentBytes int) {
	s.sendWith(superHeader(frame, segmentBytes), frame)
}

func (s *Sender) sendWith(header, frame []byte) {
	s.withHeaders(1)
	defer s.withHeaders(0)
	s.Send(append(header, frame...))
}

func superHeader(frame []byte, segmentBytes int) []byte {
	transport, payload, protocol := layout(frame)
	kind, checksum := uint8(unix.VIRTIO_NET_HDR_GSO_UDP_L4), 6
	if protocol == TCP {
		kind, checksum = unix.VIRTIO_NET_HDR_GSO_TCPV4, 16
		if frame[EthernetBytes]>>4 == 6 {
			kind = unix.VIRTIO_NET_HDR_GSO_TCPV6
		}
	}
	header := toBeSummed(transport, checksum)
	header[1] = kind
	binary.NativeEndian.PutUint16(header[2:], uint16(payload))
	binary.NativeEndian.PutUint16(header[4:], uint16(segmentBytes))
	return header
}

const virtioHeaderBytes = 10

// toBeSummed is a struct virtio_net_hdr: flags, gso_type, hdr_len, gso_size, csum_start, csum_offset.
func toBeSummed(start, offset int) []byte {
	header := make([]byte, virtioHeaderBytes)
	header[0] = unix.VIRTIO_NET_HDR_F_NEEDS_CSUM
	binary.NativeEndian.PutUint16(header[6:], uint16(start))
	binary.NativeEndian.PutUint16(header[8:], uint16(offset))
	return header
}

func (s *Sender) withHeaders(on int) {
	if err := unix.SetsockoptInt(s.socket, unix.SOL_PACKET, unix.PACKET_VNET_HDR, on); err != nil {
		s.t.Fatal(err)
	}
}

// Mover returns what takes a device of this namespace, as it is now, into the one that the test is in then, under a name
// and as a bridge's port. Afterwards the test's end is in this namespace again, as the beginning was.
func Mover(t testing.TB, device netlink.Link) (move func(name, bridge string)) {
	t.Helper()
	here, err := os.Open(ownNetwork)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		handle.Close()
		if err := unix.Setns(int(here.Fd()), unix.CLONE_NEWNET); err != nil {
			t.Error(err)
		}
		_ = here.Close()
	})
	return func(name, bridge string) {
		t.Helper()
		there, err := os.Open(ownNetwork)
		if err != nil {
			t.Fatal(err)
		}
		defer there.Close()
		moved := device.Attrs().Name
		if err := handle.LinkSetNsFd(device, int(there.Fd())); err != nil {
			t.Fatalf("%s: %v", moved, err)
		}
		inside := Link(t, moved)
		if err := errors.Join(netlink.LinkSetName(inside, name), netlink.LinkSetMaster(inside, Link(t, bridge)),
			netlink.LinkSetUp(inside)); err != nil {
			t.Fatalf("%s: %v", moved, err)
		}
		Until(t, name+" is operational", func() bool { return isOperational(Link(t, name)) })
	}
}

const ownNetwork = "/proc/thread-self/ns/net"

// Delete removes a device.
func Delete(t testing.TB, name string) {
	t.Helper()
	if err := netlink.LinkDel(Link(t, name)); err != nil {
		t.Fatal(err)
	}
}
