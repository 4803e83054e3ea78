// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"net/netip"
)

const (
	ethernetLength = 14
	ipv4Length     = 20
	ipv6Length     = 40
	signedLength   = 48
	// MessageLength is the length of a message without its headers, in bytes; a certificate is longer.
	MessageLength = signedLength + authenticatorLength
	// MaxFrameLength is the room that a frame needs at most, in bytes.
	MaxFrameLength = ethernetLength + ipv6Length + certificateLength

	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86dd
	ect0          = 0b10
	hopLimit      = 64
	dontFragment  = 0x4000
	fragmentBits  = 0xbfff // all but "don't fragment"
)

// DefaultProtocol is the IP protocol number of in-band messages unless configured otherwise (253,
// for experiments: RFC 3692).
const DefaultProtocol uint8 = 253

// MAC is an Ethernet address.
type MAC [6]byte

// putIP writes an IP header for a message of a length between two addresses of the same family and returns
// the header's length.
func putIP(buffer []byte, protocol uint8, from, to netip.Addr, length int) int {
	if from.Is4() {
		source, destination := from.As4(), to.As4()
		header := buffer[:ipv4Length]
		header[0] = 0x45
		header[1] = ect0
		binary.BigEndian.PutUint16(header[2:], uint16(ipv4Length+length))
		binary.BigEndian.PutUint16(header[4:], 0)
		binary.BigEndian.PutUint16(header[6:], dontFragment)
		header[8] = hopLimit
		header[9] = protocol
		binary.BigEndian.PutUint16(header[10:], 0)
		copy(header[12:], source[:])
		copy(header[16:], destination[:])
		binary.BigEndian.PutUint16(header[10:], ^onesSum(header))
		return ipv4Length
	}
	source, destination := from.As16(), to.As16()
	header := buffer[:ipv6Length]
	binary.BigEndian.PutUint32(header, 6<<28|ect0<<20)
	binary.BigEndian.PutUint16(header[4:], uint16(length))
	header[6] = protocol
	header[7] = hopLimit
	copy(header[8:], source[:])
	copy(header[24:], destination[:])
	return ipv6Length
}

// parseIP checks an IP packet that must hold one message of whatever length, without options,
// extension headers or fragments; padding behind it is ignored.
func parseIP(packet []byte, protocol uint8) (from, to netip.Addr, message []byte, ok bool) {
	if len(packet) < 1 {
		return
	}
	switch packet[0] >> 4 {
	case 4:
		if len(packet) < ipv4Length || packet[0] != 0x45 ||
			binary.BigEndian.Uint16(packet[6:])&fragmentBits != 0 ||
			packet[9] != protocol || onesSum(packet[:ipv4Length]) != 0xffff {
			return
		}
		length := int(binary.BigEndian.Uint16(packet[2:]))
		if length < ipv4Length || length > len(packet) {
			return
		}
		from = netip.AddrFrom4([4]byte(packet[12:16]))
		to = netip.AddrFrom4([4]byte(packet[16:20]))
		message = packet[ipv4Length:length]
	case 6:
		if len(packet) < ipv6Length || packet[6] != protocol {
			return
		}
		length := ipv6Length + int(binary.BigEndian.Uint16(packet[4:]))
		if length > len(packet) {
			return
		}
		from = netip.AddrFrom16([16]byte(packet[8:24]))
		to = netip.AddrFrom16([16]byte(packet[24:40]))
		if from.Is4In6() || to.Is4In6() {
			return
		}
		message = packet[ipv6Length:length]
	default:
		return
	}
	return from, to, message, unicast(from) && unicast(to) && from != to
}

func unicast(address netip.Addr) bool {
	return !address.IsUnspecified() && !address.IsMulticast() && !address.IsLoopback() &&
		address != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// onesSum is the ones' complement sum of RFC 1071 over an even number of bytes.
func onesSum(data []byte) uint16 {
	sum := uint32(0)
	for i := 0; i+1 < len(data); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(data[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}
