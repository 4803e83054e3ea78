// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// relayed frames wait in a queue of that length at most.
const relayQueue = 4096

// Relay passes frames between two devices, as a wire; those from b towards a arrive later. It ends with
// the test.
func Relay(t testing.TB, a, b netlink.Link, delay time.Duration) {
	t.Helper()
	LossyRelay(t, a, b, delay, func([]byte) bool { return false })
}

// LossyRelay is a Relay that loses some of the frames from a towards b.
func LossyRelay(t testing.TB, a, b netlink.Link, delay time.Duration, lose func([]byte) bool) {
	t.Helper()
	first, second := packetSocket(t, a), packetSocket(t, b)
	done := make(chan struct{})
	var running sync.WaitGroup
	t.Cleanup(func() {
		close(done)
		running.Wait() // then the sockets' numbers are unused
		_ = unix.Close(first)
		_ = unix.Close(second)
	})
	pass := func(from, to int, delay time.Duration, lose func([]byte) bool) {
		type delayed struct {
			frame []byte
			due   time.Time
		}
		queue := make(chan delayed, relayQueue)
		running.Go(func() {
			defer close(queue)
			buffer := make([]byte, 70_000)
			for {
				select {
				case <-done:
					return
				default:
				}
				n, err := unix.Read(from, buffer)
				if err != nil || lose(buffer[:n]) {
					continue
				}
				select {
				case queue <- delayed{append([]byte{}, buffer[:n]...), time.Now().Add(delay)}:
				default: // lost, as on a wire
				}
			}
		})
		running.Go(func() {
			for one := range queue {
				time.Sleep(time.Until(one.due))
				_, _ = unix.Write(to, one.frame)
			}
		})
	}
	pass(first, second, 0, lose)
	pass(second, first, delay, func([]byte) bool { return false })
}

// packetSocket sees what arrives at a device and sends out of it; reading gives up once in a while.
func packetSocket(t testing.TB, device netlink.Link) int {
	t.Helper()
	everything := binary.NativeEndian.Uint16([]byte{unix.ETH_P_ALL >> 8, unix.ETH_P_ALL})
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}),
		unix.SetsockoptInt(socket, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 8<<20),
		unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: everything, Ifindex: device.Attrs().Index}),
	); err != nil {
		t.Fatal(err)
	}
	return socket
}

// WholePackets has a device's stack make packets with whole checksums, as packet sockets need them.
func WholePackets(t testing.TB, device netlink.Link) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	request := struct {
		name [unix.IFNAMSIZ]byte
		data *[2]uint32
		_    [16]byte
	}{data: &[2]uint32{unix.ETHTOOL_STXCSUM, 0}}
	copy(request.name[:], device.Attrs().Name)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL,
		uintptr(unsafe.Pointer(&request))); errno != 0 {
		t.Fatalf("%s: no checksum offload: %v", device.Attrs().Name, errno)
	}
}
