// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"encoding/binary"
	"net/netip"
)

// Offsets in a Frame without VLAN tag.
const (
	EthernetBytes = 14
	ipv4Bytes     = 20
	ipv6Bytes     = 40
)

// ECN codepoints.
const (
	NotECT uint8 = 0
	ECT1   uint8 = 1
	ECT0   uint8 = 2
	CE     uint8 = 3
)

// TCP flags.
const (
	FIN uint8 = 0x01
	SYN uint8 = 0x02
	RST uint8 = 0x04
	ACK uint8 = 0x10
	ECE uint8 = 0x40
	CWR uint8 = 0x80
)

// Protocols.
const (
	TCP = 6
	UDP = 17
)

// Frame describes a frame to build.
type Frame struct {
	Source      netip.Addr
	Destination netip.Addr
	Protocol    uint8
	ECN         uint8
	DSCP        uint8
	ReservedBit bool
	SourcePort  uint16
	Port        uint16
	TCPFlags    uint8
	// AccurateECN is the flag AE of TCP, RFC 9768.
	AccurateECN bool
	// Of TCP alone:
	Sequence        uint32
	Acknowledgement uint32
	Window          uint16
	TCPOptions      []byte // padded to whole words
	// PayloadBytes follow the transport header.
	PayloadBytes int
	// PaddingBytes follow the IP packet, as of a device that pads short frames.
	PaddingBytes int
}

// Build makes the frame, its IP header checksum right.
func (f Frame) Build() []byte {
	transport := f.transport()
	frame := make([]byte, EthernetBytes, EthernetBytes+ipv6Bytes+len(transport)+f.PaddingBytes)
	copy(frame, []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1})
	if f.Source.Is4() {
		binary.BigEndian.PutUint16(frame[12:], 0x0800)
		frame = append(frame, f.ipv4(len(transport))...)
	} else {
		binary.BigEndian.PutUint16(frame[12:], 0x86dd)
		frame = append(frame, f.ipv6(len(transport))...)
	}
	frame = append(frame, transport...)
	return append(frame, make([]byte, f.PaddingBytes)...)
}

func (f Frame) transport() []byte {
	var header []byte
	switch f.Protocol {
	case TCP:
		words := 5 + (len(f.TCPOptions)+3)/4
		header = make([]byte, 4*words)
		binary.BigEndian.PutUint32(header[4:], f.Sequence)
		binary.BigEndian.PutUint32(header[8:], f.Acknowledgement)
		header[12] = uint8(words << 4)
		if f.AccurateECN {
			header[12] |= 1
		}
		header[13] = f.TCPFlags
		binary.BigEndian.PutUint16(header[14:], f.Window)
		copy(header[20:], f.TCPOptions)
	case UDP:
		header = make([]byte, 8)
		binary.BigEndian.PutUint16(header[4:], uint16(8+f.PayloadBytes))
	}
	if len(header) > 0 {
		binary.BigEndian.PutUint16(header, f.SourcePort)
		binary.BigEndian.PutUint16(header[2:], f.Port)
	}
	if f.Protocol == TCP {
		covered := f.pseudoHeader(len(header) + f.PayloadBytes)
		binary.BigEndian.PutUint16(header[16:], ^Sum(append(covered, header...)))
	}
	return append(header, make([]byte, f.PayloadBytes)...)
}

// pseudoHeader is what a TCP checksum covers beside the segment (RFC 9293, 3.1), for one of so many
// bytes.
func (f Frame) pseudoHeader(bytes int) []byte {
	return append(append(f.Source.AsSlice(), f.Destination.AsSlice()...), 0, f.Protocol, uint8(bytes>>8), uint8(bytes))
}

// WindowOf reads the window of a TCP frame as Build makes them.
func WindowOf(frame []byte) uint16 {
	return binary.BigEndian.Uint16(frame[transportOffset(frame)+14:])
}

// SegmentIntact reports whether the TCP checksum of such a frame holds; its payload must be even.
func (f Frame) SegmentIntact(frame []byte) bool {
	segment := frame[transportOffset(frame):]
	return Sum(append(f.pseudoHeader(len(segment)), segment...)) == 0xffff
}

func transportOffset(frame []byte) int {
	if frame[EthernetBytes]>>4 == 6 {
		return EthernetBytes + ipv6Bytes
	}
	return EthernetBytes + ipv4Bytes
}

// layout is where a frame of IP has its transport header and that one's payload, and which protocol it is of.
func layout(frame []byte) (transport, payload int, protocol uint8) {
	transport, protocol = transportOffset(frame), frame[EthernetBytes+9]
	if transport == EthernetBytes+ipv6Bytes {
		protocol = frame[EthernetBytes+6]
	}
	if protocol == TCP {
		return transport, transport + int(frame[transport+12]>>4)*4, protocol
	}
	return transport, transport + 8, protocol
}

// isSegmented reports whether a frame can be one of a super-packet's segments.
func isSegmented(frame []byte) bool {
	return IPProtocol(TCP)(frame) || IPProtocol(UDP)(frame)
}

// Super is the super-packet of so many segments that are as a frame, which SendSuper takes.
func Super(frame []byte, segments int) (super []byte, segmentBytes int) {
	transport, payload, protocol := layout(frame)
	super = append([]byte{}, frame...)
	for range segments - 1 {
		super = append(super, frame[payload:]...)
	}
	header := super[EthernetBytes:transport]
	if len(header) == ipv4Bytes {
		binary.BigEndian.PutUint16(header[2:], uint16(len(super)-EthernetBytes))
		binary.BigEndian.PutUint16(header[10:], 0)
		binary.BigEndian.PutUint16(header[10:], ^Sum(header))
	} else {
		binary.BigEndian.PutUint16(header[4:], uint16(len(super)-transport))
	}
	if protocol == UDP {
		binary.BigEndian.PutUint16(super[transport+4:], uint16(len(super)-transport))
	}
	return super, len(frame) - payload
}

func (f Frame) ipv4(payload int) []byte {
	header := make([]byte, ipv4Bytes)
	header[0] = 0x45
	header[1] = f.DSCP<<2 | f.ECN
	binary.BigEndian.PutUint16(header[2:], uint16(ipv4Bytes+payload))
	if f.ReservedBit {
		header[6] = 0x80
	}
	header[8] = 64
	header[9] = f.Protocol
	source, destination := f.Source.As4(), f.Destination.As4()
	copy(header[12:], source[:])
	copy(header[16:], destination[:])
	binary.BigEndian.PutUint16(header[10:], ^Sum(header))
	return header
}

func (f Frame) ipv6(payload int) []byte {
	header := make([]byte, ipv6Bytes)
	binary.BigEndian.PutUint32(header, 6<<28|uint32(f.DSCP)<<22|uint32(f.ECN)<<20)
	binary.BigEndian.PutUint16(header[4:], uint16(payload))
	header[6] = f.Protocol
	header[7] = 64
	source, destination := f.Source.As16(), f.Destination.As16()
	copy(header[8:], source[:])
	copy(header[24:], destination[:])
	return header
}

// TagBytes are the length of a VLAN tag.
const TagBytes = 4

// Tagged puts a VLAN tag into a frame; control is the tag's control information.
func Tagged(frame []byte, control uint16) []byte {
	tagged := append([]byte{}, frame[:12]...)
	tagged = append(tagged, 0x81, 0x00, uint8(control>>8), uint8(control))
	return append(tagged, frame[12:]...)
}

// Untagged takes a tag off; control is 0 where there is none.
func Untagged(frame []byte) (untagged []byte, control uint16) {
	if len(frame) < EthernetBytes+TagBytes || binary.BigEndian.Uint16(frame[12:]) != 0x8100 {
		return frame, 0
	}
	return append(append([]byte{}, frame[:12]...), frame[12+TagBytes:]...), binary.BigEndian.Uint16(frame[14:])
}

// ECNOf reads the ECN field of a frame.
func ECNOf(frame []byte) uint8 {
	if frame[EthernetBytes]>>4 == 6 {
		return frame[EthernetBytes+1] >> 4 & 3
	}
	return frame[EthernetBytes+1] & 3
}

// DSCPOf reads the DSCP of a frame.
func DSCPOf(frame []byte) uint8 {
	if frame[EthernetBytes]>>4 == 6 {
		return frame[EthernetBytes]&15<<2 | frame[EthernetBytes+1]>>6
	}
	return frame[EthernetBytes+1] >> 2
}

// HeaderIntact reports whether an IPv4 frame's header checksum holds; IPv6 has none.
func HeaderIntact(frame []byte) bool {
	return frame[EthernetBytes]>>4 == 6 || Sum(frame[EthernetBytes:EthernetBytes+ipv4Bytes]) == 0xffff
}

// Sum is the ones' complement sum of an even number of bytes.
func Sum(data []byte) uint16 {
	var sum uint32
	for i := 0; i+1 < len(data); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(data[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// Fragments cuts a frame's datagram into fragments of an MTU, as its sender would (RFC 791, RFC 8200).
func Fragments(frame []byte, mtu int, id uint16) [][]byte {
	const fragmentHeader = 8
	six := frame[EthernetBytes]>>4 == 6
	headers := EthernetBytes + ipv4Bytes
	if six {
		headers = EthernetBytes + ipv6Bytes + fragmentHeader
	}
	body := frame[transportOffset(frame):]
	each := (EthernetBytes + mtu - headers) &^ 7
	var fragments [][]byte
	for at := 0; at < len(body); at += each {
		part := body[at:min(at+each, len(body))]
		more := at+each < len(body)
		fragment := append([]byte{}, frame[:headers]...)
		if six {
			fragmentIPv6(fragment, at, more, id, len(part))
		} else {
			fragmentIPv4(fragment[EthernetBytes:], at, more, id, len(part))
		}
		fragments = append(fragments, append(fragment, part...))
	}
	return fragments
}

func fragmentIPv4(header []byte, at int, more bool, id uint16, bytes int) {
	flags := uint16(at / 8)
	if more {
		flags |= 0x2000
	}
	binary.BigEndian.PutUint16(header[2:], uint16(ipv4Bytes+bytes))
	binary.BigEndian.PutUint16(header[4:], id)
	binary.BigEndian.PutUint16(header[6:], flags)
	binary.BigEndian.PutUint16(header[10:], 0)
	binary.BigEndian.PutUint16(header[10:], ^Sum(header))
}

// fragmentIPv6 writes the fragment header behind IPv6's, both of which are there already.
func fragmentIPv6(frame []byte, at int, more bool, id uint16, bytes int) {
	const fragment = 44
	header := frame[EthernetBytes+ipv6Bytes:]
	header[0], header[1] = frame[EthernetBytes+6], 0
	offset := uint16(at)
	if more {
		offset |= 1
	}
	binary.BigEndian.PutUint16(header[2:], offset)
	binary.BigEndian.PutUint32(header[4:], uint32(id))
	frame[EthernetBytes+6] = fragment
	binary.BigEndian.PutUint16(frame[EthernetBytes+4:], uint16(len(header)+bytes))
}
