// SPDX-License-Identifier: Apache-2.0

// Package tap joins a guest to its host as a hypervisor does: a tap on either side, between which frames pass with their
// virtio headers. Super-packets cross whole, and checksums that a device is to make stay to be made.
package tap

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// What virtio-net takes and gives under QEMU; USO since Linux 6.2.
	offloads = unix.TUN_F_CSUM | unix.TUN_F_TSO4 | unix.TUN_F_TSO6 | unix.TUN_F_TSO_ECN | unix.TUN_F_USO4 | unix.TUN_F_USO6
	// The longest super-packet with its headers.
	largestBytes = 10 + 14 + 1<<16
	// Frames one way before the other way has its turn.
	batch = 64
)

// Open makes a tap of the calling thread's network namespace, which ends with its descriptor.
func Open(name string) (descriptor int, err error) {
	descriptor, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return -1, fmt.Errorf("/dev/net/tun: %w (load the kernel's tun module: modprobe tun)", err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_TUN_EXCL | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
		err = unix.IoctlIfreq(descriptor, unix.TUNSETIFF, request)
	}
	if err == nil {
		err = unix.IoctlSetInt(descriptor, unix.TUNSETOFFLOAD, offloads)
	}
	if err != nil {
		unix.Close(descriptor)
		return -1, fmt.Errorf("tap %s with virtio headers: %w", name, err)
	}
	return descriptor, nil
}

// Pass passes frames both ways until one of the taps is gone, or stop (-1: none) can be read.
func Pass(left, right, stop int) error {
	waiting := []unix.PollFd{{Fd: int32(left), Events: unix.POLLIN}, {Fd: int32(right), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
	frame := make([]byte, largestBytes)
	for {
		if err := await(waiting); err != nil {
			return err
		}
		if waiting[2].Revents != 0 {
			return nil
		}
		for i, from := range waiting[:2] {
			if from.Revents == 0 {
				continue
			}
			if err := pass(int(from.Fd), int(waiting[1-i].Fd), frame); err != nil {
				return err
			}
		}
	}
}

// await waits until one of the descriptors has something. Before a call that may block Go's runtime makes ready for a long wait,
// and its monitor wakes up to give the processor away, which costs three times as much as to pass a frame; most
// frames come soon after another one. So it waits a short time without the runtime's knowledge first.
func await(waiting []unix.PollFd) error {
	soon := unix.Timespec{Nsec: 2_000_000}
	ready, _, failure := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&waiting[0])), uintptr(len(waiting)),
		uintptr(unsafe.Pointer(&soon)), 0, 0, 0)
	var err error
	if failure != 0 {
		err = failure
	} else if ready == 0 {
		_, err = unix.Poll(waiting, -1)
	}
	if errors.Is(err, unix.EINTR) {
		return nil
	}
	return err
}

// pass passes what is there one way.
func pass(from, to int, frame []byte) error {
	for range batch {
		n, err := call(unix.SYS_READ, from, frame)
		if errors.Is(err, unix.EAGAIN) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from a tap: %w", err)
		}
		// What the other side does not take is lost, as on a wire.
		if _, err := call(unix.SYS_WRITE, to, frame[:n]); errors.Is(err, unix.EBADFD) {
			return fmt.Errorf("write to a tap: %w", err)
		}
	}
	return nil
}

// call is read or write of a descriptor that never blocks, so that the runtime need not know either.
func call(number uintptr, descriptor int, frame []byte) (int, error) {
	n, _, failure := unix.RawSyscall(number, uintptr(descriptor), uintptr(unsafe.Pointer(unsafe.SliceData(frame))), uintptr(len(frame)))
	if failure != 0 {
		return 0, failure
	}
	return int(n), nil
}
