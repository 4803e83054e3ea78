// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Capture receives the frames that arrive at a device.
type Capture struct {
	t      testing.TB
	socket int
}

// NewCapture opens a packet socket that sees what arrives, VLAN tags included; it is closed with the
// test.
func NewCapture(t testing.TB, device netlink.Link) *Capture {
	t.Helper()
	everything := binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL})
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(socket) })
	if err := unix.SetsockoptInt(socket, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptInt(socket, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 8<<20); err != nil {
		t.Fatal(err)
	}
	address := unix.SockaddrLinklayer{Protocol: everything, Ifindex: device.Attrs().Index}
	if err := unix.Bind(socket, &address); err != nil {
		t.Fatal(err)
	}
	return &Capture{t, socket}
}

// Next waits for the next frame that suits; it fails the test at the deadline.
func (c *Capture) Next(within time.Duration, suits func([]byte) bool) []byte {
	c.t.Helper()
	deadline := time.Now().Add(within)
	for {
		frame, ok := c.receive(time.Until(deadline))
		if !ok {
			c.t.Fatal("no such frame came")
		}
		if suits(frame) {
			return frame
		}
	}
}

// FirstOf sends frames again and again until one that suits arrives, which it returns. All network namespaces share the
// kernel's queue of arrived frames, which drops some beside another test's flood.
func (c *Capture) FirstOf(sender *Sender, suits func([]byte) bool, frames ...[]byte) (first []byte) {
	c.t.Helper()
	const pause = 100 * time.Millisecond
	c.Waiting(suits) // of earlier ones
	Until(c.t, "a frame arrives", func() bool {
		for _, frame := range frames {
			sender.Send(frame)
		}
		for {
			frame, ok := c.receive(pause)
			if !ok {
				return false
			}
			if suits(frame) {
				first = frame
				return true
			}
		}
	})
	return first
}

// Waiting returns all frames that have come and suit.
func (c *Capture) Waiting(suits func([]byte) bool) [][]byte {
	c.t.Helper()
	var frames [][]byte
	for {
		frame, ok := c.receive(0)
		if !ok {
			return frames
		}
		if suits(frame) {
			frames = append(frames, frame)
		}
	}
}

// receive waits at most so long, and not at all for 0 or less.
func (c *Capture) receive(within time.Duration) ([]byte, bool) {
	c.t.Helper()
	deadline := time.Now().Add(within)
	for {
		buffer := make([]byte, 70_000)
		control := make([]byte, 128)
		n, m, _, _, err := unix.Recvmsg(c.socket, buffer, control, unix.MSG_DONTWAIT)
		switch {
		case err == nil:
			return withTag(buffer[:n], control[:m]), true
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			c.t.Fatal(err)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, false
		}
		waiting := []unix.PollFd{{Fd: int32(c.socket), Events: unix.POLLIN}}
		if _, err := unix.Poll(waiting, int(left.Milliseconds())+1); err != nil && !errors.Is(err, unix.EINTR) {
			c.t.Fatal(err)
		}
	}
}

// withTag puts the VLAN tag, which the kernel has taken out of a frame, back into it.
func withTag(frame, control []byte) []byte {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return frame
	}
	for _, message := range messages {
		// struct tpacket_auxdata: status, len, snaplen, mac, net, vlan_tci
		if message.Header.Level != unix.SOL_PACKET || message.Header.Type != unix.PACKET_AUXDATA || len(message.Data) < 18 ||
			binary.NativeEndian.Uint32(message.Data)&unix.TP_STATUS_VLAN_VALID == 0 {
			continue
		}
		return Tagged(frame, binary.NativeEndian.Uint16(message.Data[16:]))
	}
	return frame
}

// IPProtocol suits frames of an IP protocol.
func IPProtocol(protocol uint8) func([]byte) bool {
	return func(frame []byte) bool {
		if len(frame) < EthernetBytes+ipv4Bytes {
			return false
		}
		switch binary.BigEndian.Uint16(frame[12:]) {
		case 0x0800:
			return frame[EthernetBytes+9] == protocol
		case 0x86dd:
			return frame[EthernetBytes+6] == protocol
		}
		return false
	}
}

// Until polls a condition, which may fail the test itself; it fails the test at the deadline.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
