// SPDX-License-Identifier: Apache-2.0

// Package htb drives the kernel's hierarchical token bucket by raw rtnetlink: the tree of classes
// on a host's uplink and the queue of a software switch port. No program is ever executed.
//
// Rates are bit/s of frames as the device sees them (Ethernet header counted, no preamble).
package htb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const receiveBytes = 64 << 10

// Conn is a netlink socket in the network namespace of the thread that dialled it. Not for
// concurrent use.
type Conn struct {
	fd       int
	sequence uint32
	buffer   []byte
}

// Dial opens the socket.
func Dial() (*Conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("netlink socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("netlink bind: %w", err)
	}
	// The kernel explains its refusals where it can.
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_EXT_ACK, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)
	return &Conn{fd: fd, buffer: make([]byte, receiveBytes)}, nil
}

// Close closes the socket.
func (c *Conn) Close() error { return unix.Close(c.fd) }

// request sends one message and hands every answer of its body to visit.
func (c *Conn) request(kind uint16, flags uint16, message nl.TcMsg, attributes []*nl.RtAttr, visit func([]byte) error) error {
	c.sequence++
	body := message.Serialize()
	for _, attribute := range attributes {
		body = append(body, attribute.Serialize()...)
	}
	packet := make([]byte, unix.SizeofNlMsghdr, unix.SizeofNlMsghdr+len(body))
	binary.NativeEndian.PutUint32(packet[0:], uint32(unix.SizeofNlMsghdr+len(body)))
	binary.NativeEndian.PutUint16(packet[4:], kind)
	binary.NativeEndian.PutUint16(packet[6:], flags|unix.NLM_F_REQUEST)
	binary.NativeEndian.PutUint32(packet[8:], c.sequence)
	packet = append(packet, body...)
	if err := c.send(packet); err != nil {
		return fmt.Errorf("netlink send: %w", err)
	}
	return c.receive(visit, flags&(unix.NLM_F_ACK|unix.NLM_F_DUMP) == 0)
}

// send has the kernel carry out a request, whose answer is there when it returns. So neither it nor receiving that waits
// for anything that the runtime should be notified of (see package clock): the engine sends some in every turn.
func (c *Conn) send(packet []byte) error {
	kernel := unix.RawSockaddrNetlink{Family: unix.AF_NETLINK}
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(c.fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(packet))), uintptr(len(packet)), 0,
		uintptr(unsafe.Pointer(&kernel)), unsafe.Sizeof(kernel))
	if errno != 0 {
		return errno
	}
	return nil
}

// receiveDatagram returns the length of one in the buffer.
func (c *Conn) receiveDatagram() (int, error) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(c.fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(c.buffer))), uintptr(len(c.buffer)), unix.MSG_DONTWAIT, 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.EAGAIN:
		n, _, err := unix.Recvfrom(c.fd, c.buffer, 0)
		return n, err
	}
	return 0, errno
}

func (c *Conn) receive(visit func([]byte) error, single bool) error {
	answers := answers{sequence: c.sequence, visit: visit, single: single}
	for !answers.complete {
		n, err := c.receiveDatagram()
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("netlink receive: %w", err)
		}
		if err := answers.read(c.buffer[:n]); err != nil {
			return err
		}
	}
	return answers.failure
}

var errMalformed = errors.New("netlink: malformed answer")

// answers reads what the kernel answers to one request.
type answers struct {
	sequence uint32
	visit    func([]byte) error // nil: bodies do not matter
	single   bool               // one body is all that comes, or a refusal
	complete bool               // the last has come
	failure  error              // the kernel's refusal, or the first error of visit
}

// read takes a datagram's messages. An error means that it cannot be read.
func (a *answers) read(datagram []byte) error {
	for rest := datagram; len(rest) >= unix.SizeofNlMsghdr && !a.complete; {
		length := binary.NativeEndian.Uint32(rest)
		if length < unix.SizeofNlMsghdr || uint64(length) > uint64(len(rest)) {
			return errMalformed
		}
		kind := binary.NativeEndian.Uint16(rest[4:])
		flags := binary.NativeEndian.Uint16(rest[6:])
		sequence := binary.NativeEndian.Uint32(rest[8:])
		payload := rest[unix.SizeofNlMsghdr:length:length]
		rest = rest[min(len(rest), (int(length)+3)&^3):]
		if sequence != a.sequence {
			continue
		}
		switch kind {
		case unix.NLMSG_DONE:
			a.complete = true
		case unix.NLMSG_ERROR:
			if len(payload) < 4 {
				return errMalformed
			}
			a.complete, a.failure = true, errors.Join(a.failure, refusal(payload, flags))
		default:
			if a.visit != nil && a.failure == nil {
				a.failure = a.visit(payload)
			}
			a.complete = a.single
		}
	}
	return nil
}

// refusal reads the error of an acknowledgement, and the kernel's own text about it.
func refusal(payload []byte, flags uint16) error {
	code := int32(binary.NativeEndian.Uint32(payload))
	if code == 0 {
		return nil
	}
	errno := unix.Errno(-code)
	if flags&unix.NLM_F_ACK_TLVS != 0 && len(payload) > 4+unix.SizeofNlMsghdr {
		attributes, err := attributesOf(payload[4+unix.SizeofNlMsghdr:])
		if reason, ok := attributes[unix.NLMSGERR_ATTR_MSG]; err == nil && ok {
			return fmt.Errorf("%w: %s", errno, text(reason))
		}
	}
	return errno
}
