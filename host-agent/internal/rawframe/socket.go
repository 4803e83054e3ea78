// SPDX-License-Identifier: Apache-2.0

// Package rawframe sends whole Ethernet frames out of devices.
package rawframe

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const macLength = 6

// Socket sends frames, from the network namespace that it was opened in.
type Socket int

// Open makes one that never blocks and receives nothing.
func Open() (Socket, error) {
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return Socket(socket), err
}

// Send sends a frame by a device. It never blocks, so the runtime need not be notified (see package clock).
func (s Socket) Send(frame []byte, ifindex int) error {
	device := unix.RawSockaddrLinklayer{Family: unix.AF_PACKET, Ifindex: int32(ifindex), Halen: macLength}
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s),
		uintptr(unsafe.Pointer(unsafe.SliceData(frame))), uintptr(len(frame)), 0,
		uintptr(unsafe.Pointer(&device)), unsafe.Sizeof(device))
	if errno != 0 {
		return errno
	}
	return nil
}

// Mark has the frames sent from now on carry a mark (SO_MARK).
func (s Socket) Mark(mark int) error {
	return unix.SetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_MARK, mark)
}

// Close ends it.
func (s Socket) Close() error { return unix.Close(int(s)) }
