// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// recipe is what a fuzzer's bytes mean: a frame that is nearly right, so that it gets past the first
// check. An empty recipe goes on with zeros.
type recipe struct{ rest []byte }

func (r *recipe) byte() byte {
	if len(r.rest) == 0 {
		return 0
	}
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first
}

func (r *recipe) pick(of int) int { return int(r.byte()) % of }

// seldom is true for one byte in eight.
func (r *recipe) seldom() bool { return r.byte()&7 == 7 }

func (r *recipe) word() uint16 { return uint16(r.byte())<<8 | uint16(r.byte()) }

func (r *recipe) some(count int) []byte {
	bytes := make([]byte, count)
	for i := range bytes {
		bytes[i] = r.byte()
	}
	return bytes
}

func (r *recipe) address4() netip.Addr {
	others := []netip.Addr{other4, peer4, netip.IPv4Unspecified(), netip.MustParseAddr("224.0.0.1"),
		netip.MustParseAddr("255.255.255.255"), netip.MustParseAddr("127.0.0.1")}
	if r.seldom() {
		return others[r.pick(len(others))]
	}
	return own4
}

func (r *recipe) address6() netip.Addr {
	others := []netip.Addr{peer6, netip.MustParseAddr("fd00::bad"), netip.IPv6Unspecified(),
		netip.MustParseAddr("fe80::1"), ownLinkLocal, netip.MustParseAddr("ff02::1"), netip.IPv6Loopback(),
		netip.MustParseAddr("::ffff:10.0.0.1"), netip.MustParseAddr("::ffff:0.0.0.0"), netip.MustParseAddr("::ffff:10.0.0.6")}
	if r.seldom() {
		return others[r.pick(len(others))]
	}
	return own6
}

// outward is a frame as a VM may send it; its addresses are reversed for one that comes in.
func (r *recipe) frame(inward bool) []byte {
	var frame []byte
	switch r.pick(8) {
	default:
		frame = r.ipv4(inward)
	case 4, 5, 6:
		frame = r.ipv6(inward)
	case 7:
		if r.seldom() {
			frame = append(r.ethernet(etherTypes[r.pick(len(etherTypes))]), r.some(46)...)
			break
		}
		mac := testnet.VMMAC
		if r.seldom() {
			mac = [6]byte(r.some(6))
		}
		frame = testnet.ARP(mac, r.address4(), peer4)
		if r.seldom() {
			frame[testnet.EthernetBytes+r.pick(8)] = r.byte()
		}
	}
	return r.damage(frame)
}

func (r *recipe) ethernet(etherType uint16) []byte {
	frame := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, byte(etherType >> 8), byte(etherType)}
	if r.seldom() {
		copy(frame, []byte{0x33, 0x33, 0, 0, 0, 0x16})
	}
	if r.seldom() {
		copy(frame[6:], r.some(6))
	}
	return frame
}

var etherTypes = []uint16{0x88cc, 0x8942, 0x9100, 0x8847, 0x8864, 0x8035, 0x0042}

var upperProtocols = []uint8{testnet.TCP, testnet.UDP, 58, testProtocol, 1, 50, 132}

func (r *recipe) ipv4(inward bool) []byte {
	options := r.some(4 * max(0, r.pick(32)-21)) // up to 10 words
	header := make([]byte, 20, 60)
	header = append(header, options...)
	header[0] = 0x40 | byte(len(header)/4)
	header[1] = r.byte()
	if r.seldom() {
		binary.BigEndian.PutUint16(header[6:], r.word())
	} else if r.seldom() {
		header[6] = 0x80
	}
	header[8], header[9] = 64, upperProtocols[r.pick(len(upperProtocols))]
	source, destination := r.address4(), peer4
	if inward {
		source, destination = destination, source
	}
	copy(header[12:], source.AsSlice())
	copy(header[16:], destination.AsSlice())
	body := r.transport(header[9], source, destination)
	binary.BigEndian.PutUint16(header[2:], uint16(len(header)+len(body)))
	if r.seldom() {
		binary.BigEndian.PutUint16(header[2:], r.word())
	}
	binary.BigEndian.PutUint16(header[10:], ^testnet.Sum(header))
	if r.seldom() {
		binary.BigEndian.PutUint16(header[10:], r.word())
	}
	return append(append(r.ethernet(0x0800), header...), body...)
}

var extensionHeaders = []uint8{0, 43, 44, 51, 60}

func (r *recipe) ipv6(inward bool) []byte {
	header := make([]byte, 40)
	binary.BigEndian.PutUint32(header, 6<<28|uint32(r.byte())<<20)
	header[7] = 255
	source, destination := r.address6(), peer6
	if inward {
		source, destination = destination, source
	}
	copy(header[8:], source.AsSlice())
	copy(header[24:], destination.AsSlice())
	upper := upperProtocols[r.pick(len(upperProtocols))]
	next := &header[6]
	var chain []byte
	for range max(0, r.pick(16)-6) { // up to 9
		*next = extensionHeaders[r.pick(len(extensionHeaders))]
		extension := make([]byte, 8)
		if *next == 51 {
			extension[1] = 0 // AH counts in words, less 2
		} else if *next == 44 {
			if r.seldom() {
				binary.BigEndian.PutUint16(extension[2:], r.word())
			}
		} else if r.seldom() {
			extension[1] = 1
			extension = append(extension, make([]byte, 8)...)
		}
		if r.seldom() {
			extension[1] = r.byte()
		}
		at := len(chain)
		chain = append(chain, extension...)
		next = &chain[at]
	}
	*next = upper
	body := r.transport(upper, source, destination)
	binary.BigEndian.PutUint16(header[4:], uint16(len(chain)+len(body)))
	if r.seldom() {
		binary.BigEndian.PutUint16(header[4:], r.word())
	}
	return append(append(append(r.ethernet(0x86dd), header...), chain...), body...)
}

func (r *recipe) transport(protocol uint8, source, destination netip.Addr) []byte {
	payload := r.pick(40)
	switch protocol {
	case testnet.TCP:
		options := r.tcpOptions()
		frame := testnet.Frame{
			Source: source, Destination: destination, Protocol: testnet.TCP,
			SourcePort: 1000 + uint16(r.pick(2)), Port: 80, TCPFlags: r.byte(),
			Acknowledgement: uint32(r.word()) << 8, Window: r.word(), TCPOptions: options, PayloadBytes: payload &^ 1,
		}.Build()
		segment := frame[transportAt(frame):]
		if r.seldom() {
			segment[12] = r.byte()
		}
		return segment
	case testnet.UDP:
		header := make([]byte, 8+payload)
		binary.BigEndian.PutUint16(header, r.word())
		header[3] = byte(60 + r.pick(10)) // DHCP's is among them
		return header
	case 58:
		body := make([]byte, 24)
		body[0] = byte(133 + r.pick(5))
		copy(body[8:], r.address6().AsSlice())
		if r.seldom() {
			return body[:r.pick(len(body))]
		}
		return append(body, r.some(payload)...)
	}
	return r.some(payload + 8)
}

func transportAt(frame []byte) int {
	if frame[testnet.EthernetBytes]>>4 == 6 {
		return testnet.EthernetBytes + 40
	}
	return testnet.EthernetBytes + 20
}

func (r *recipe) tcpOptions() []byte {
	switch r.pick(4) {
	case 0:
		return scaleOption(r.pick(17))
	case 1:
		return r.some(r.pick(41))
	case 2:
		options := append(bytes.Repeat([]byte{1}, 37), 3, 3, r.byte())
		return options[r.pick(len(options)):]
	}
	return nil
}

// damage spoils a frame at most a little.
func (r *recipe) damage(frame []byte) []byte {
	for range max(0, r.pick(8)-4) {
		switch r.pick(6) {
		case 0:
			frame = frame[:min(len(frame), 14+r.pick(80))]
		case 1:
			tag := []byte{0x81, 0, r.byte(), r.byte()}
			if r.seldom() {
				tag[0], tag[1] = 0x88, 0xa8
			}
			frame = append(append(append([]byte{}, frame[:12]...), tag...), frame[12:]...)
		case 2:
			frame = append(frame, r.some(r.pick(64))...)
		default:
			at := 12 + r.pick(max(1, min(len(frame)-12, 120)))
			if at < len(frame) {
				frame[at] = r.byte()
			}
		}
	}
	return frame
}
