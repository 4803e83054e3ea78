// SPDX-License-Identifier: Apache-2.0

// Package segment reads and makes TCP segments as Ethernet frames: what the agent sends to an endpoint
// in its peer's name, made of what the peer itself sent last.
package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	ethernetBytes = 14
	minIPv4Bytes  = 20
	ipv6Bytes     = 40
	tcpBytes      = 20
	maxTCPBytes   = 60

	typeIPv4    = 0x0800
	typeIPv6    = 0x86dd
	protocolTCP = 6
	ecnMask     = 3

	flagSYN = 0x02
	flagACK = 0x10

	// IPv4's flags and fragment offset; only "do not fragment" may stay.
	doNotFragment = 0x4000
	anyFragment   = 0x3fff
)

// TCP options.
const (
	optionEnd       = 0
	optionNop       = 1
	optionScale     = 3
	optionSACK      = 5
	optionTimestamp = 8

	scaleBytes     = 3
	timestampBytes = 10
	blockBytes     = 8
	maxScale       = 14
)

// Header is the head of a frame that carries a TCP segment: Ethernet, IPv4 or IPv6 without extension
// headers, TCP with its options. Whatever follows is not read.
type Header struct {
	network   []byte // of the frame: from Ethernet to IP's end
	transport []byte
	ipv6      bool
}

// Parse reads it; the header refers to the frame.
func Parse(frame []byte) (Header, error) {
	if len(frame) < ethernetBytes+minIPv4Bytes+tcpBytes {
		return Header{}, fmt.Errorf("segment: %d bytes are no TCP segment", len(frame))
	}
	var h Header
	ip, length, protocol := frame[ethernetBytes:], 0, uint8(0)
	switch kind := binary.BigEndian.Uint16(frame[12:]); kind {
	case typeIPv4:
		length, protocol = 4*int(ip[0]&15), ip[9]
		if ip[0]>>4 != 4 || length < minIPv4Bytes {
			return Header{}, errors.New("segment: malformed IPv4 header")
		}
		if binary.BigEndian.Uint16(ip[6:])&anyFragment != 0 {
			return Header{}, errors.New("segment: a fragment")
		}
	case typeIPv6:
		length, protocol, h.ipv6 = ipv6Bytes, ip[6], true
		if ip[0]>>4 != 6 {
			return Header{}, errors.New("segment: malformed IPv6 header")
		}
	default:
		return Header{}, fmt.Errorf("segment: type %#04x is not IP", kind)
	}
	if protocol != protocolTCP {
		return Header{}, fmt.Errorf("segment: protocol %d is not TCP", protocol)
	}
	if len(ip) < length+tcpBytes {
		return Header{}, errors.New("segment: cut short before its TCP header ends")
	}
	words := int(ip[length+12] >> 4)
	if words < tcpBytes/4 || len(ip) < length+4*words {
		return Header{}, errors.New("segment: malformed TCP header")
	}
	h.network = frame[:ethernetBytes+length]
	h.transport = ip[length : length+4*words]
	return h, nil
}

// Acknowledgement of the peer's.
func (h Header) Acknowledgement() uint32 { return binary.BigEndian.Uint32(h.transport[8:]) }

// Sequence of its first byte.
func (h Header) Sequence() uint32 { return binary.BigEndian.Uint32(h.transport[4:]) }

// PayloadBytes by IP's own length.
func (h Header) PayloadBytes() int { return max(h.segmentBytes()-len(h.transport), 0) }

// segmentBytes are those behind IP's header, by its own length.
func (h Header) segmentBytes() int {
	ip := h.network[ethernetBytes:]
	if h.ipv6 {
		return int(binary.BigEndian.Uint16(ip[4:]))
	}
	return int(binary.BigEndian.Uint16(ip[2:])) - len(ip)
}

// Flow in the direction in which the segment goes.
func (h Header) Flow() model.FlowID {
	ip := h.network[ethernetBytes:]
	flow := model.FlowID{
		SourcePort: binary.BigEndian.Uint16(h.transport), DestinationPort: binary.BigEndian.Uint16(h.transport[2:]),
	}
	if h.ipv6 {
		flow.Source, flow.Destination = netip.AddrFrom16([16]byte(ip[8:])), netip.AddrFrom16([16]byte(ip[24:]))
	} else {
		flow.Source, flow.Destination = netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
	}
	return flow
}

// HasTimestamp reports whether it carries the option of RFC 7323.
func (h Header) HasTimestamp() bool { return h.option(optionTimestamp, timestampBytes) != nil }

// IsSYN reports whether it opens a connection: SYN or SYN-ACK.
func (h Header) IsSYN() bool { return h.transport[13]&flagSYN != 0 }

// Block are bytes that arrived behind a hole, as SACK reports them: from the first to the one behind
// the last.
type Block struct{ Begin, End uint32 }

// BlockBehind returns the first of its SACK blocks that begins at a sequence or behind it. One that lies
// in front of the acknowledgement reports what came twice (RFC 2883), and is none of these.
func (h Header) BlockBehind(sequence uint32) (Block, bool) {
	option := h.option(optionSACK, 0)
	for at := 2; at+blockBytes <= len(option); at += blockBytes {
		block := Block{binary.BigEndian.Uint32(option[at:]), binary.BigEndian.Uint32(option[at+4:])}
		if int32(block.Begin-sequence) >= 0 && int32(block.End-block.Begin) > 0 {
			return block, true
		}
	}
	return Block{}, false
}

// Update makes an acknowledgement with the content of the peer's last one, window and options included;
// sequence is what the peer sends next.
func (h Header) Update(sequence uint32) []byte {
	options := h.transport[tcpBytes:]
	if h.IsSYN() {
		options = h.timestamp() // the others are of SYNs alone
	}
	return h.make(sequence, h.window(), options)
}

// Repeat makes a duplicate of the peer's last acknowledgement. With a block it reports that
// this has arrived, in place of other blocks that the peer itself reported.
func (h Header) Repeat(sequence uint32, block *Block) []byte {
	options := h.timestamp()
	if block != nil {
		sack := []byte{optionNop, optionNop, optionSACK, 2 + blockBytes, 0, 0, 0, 0, 0, 0, 0, 0}
		binary.BigEndian.PutUint32(sack[4:], block.Begin)
		binary.BigEndian.PutUint32(sack[8:], block.End)
		options = append(options, sack...)
	}
	return h.make(sequence, h.window(), options)
}

// window as the peer offered it, scaled as all segments but SYNs are.
func (h Header) window() uint16 {
	window := binary.BigEndian.Uint16(h.transport[14:])
	if !h.IsSYN() {
		return window
	}
	if option := h.option(optionScale, scaleBytes); option != nil {
		return window >> min(option[2], maxScale)
	}
	return window
}

// timestamp is that option, padded; none if the peer sends none.
func (h Header) timestamp() []byte {
	option := h.option(optionTimestamp, timestampBytes)
	if option == nil {
		return nil
	}
	return append([]byte{optionNop, optionNop}, option...)
}

// option finds one of a kind, and of a length unless that is 0.
func (h Header) option(kind, length uint8) []byte {
	options := h.transport[tcpBytes:]
	for len(options) > 0 {
		switch {
		case options[0] == optionEnd:
			return nil
		case options[0] == optionNop:
			options = options[1:]
			continue
		case len(options) < 2 || options[1] < 2 || int(options[1]) > len(options):
			return nil
		case options[0] == kind && (length == 0 || options[1] == length):
			return options[:options[1]]
		}
		options = options[options[1]:]
	}
	return nil
}

// make makes a pure acknowledgement; options are whole words.
func (h Header) make(sequence uint32, window uint16, options []byte) []byte {
	frame := make([]byte, 0, len(h.network)+maxTCPBytes)
	frame = append(frame, h.network...)
	frame = append(frame, h.transport[:tcpBytes]...)
	frame = append(frame, options...)
	tcp := frame[len(h.network):]
	binary.BigEndian.PutUint32(tcp[4:], sequence)
	tcp[12], tcp[13] = uint8(len(tcp)/4<<4), flagACK
	binary.BigEndian.PutUint16(tcp[14:], window)
	binary.BigEndian.PutUint16(tcp[18:], 0) // urgent pointer
	ip := frame[ethernetBytes:len(h.network)]
	if h.ipv6 {
		binary.BigEndian.PutUint16(ip[4:], uint16(len(tcp)))
		ip[1] &^= ecnMask << 4
	} else {
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)+len(tcp)))
		binary.BigEndian.PutUint16(ip[6:], doNotFragment)
		ip[1] &^= ecnMask
		binary.BigEndian.PutUint16(ip[10:], 0)
		binary.BigEndian.PutUint16(ip[10:], ^sum(0, ip))
	}
	h.sumUp(ip, tcp)
	return frame
}

// sumUp writes TCP's checksum.
func (h Header) sumUp(ip, segment []byte) {
	binary.BigEndian.PutUint16(segment[16:], 0)
	binary.BigEndian.PutUint16(segment[16:], ^sum(h.pseudo(ip, len(segment)), segment))
}

// pseudo is the sum of the pseudo header (RFC 9293, 3.1).
func (h Header) pseudo(ip []byte, length int) uint16 {
	addresses := ip[12:20]
	if h.ipv6 {
		addresses = ip[8:40]
	}
	return sum(sum(0, addresses), []byte{0, protocolTCP, uint8(length >> 8), uint8(length)})
}

// Complete makes a checksum whole that the kernel had left to a device, in place: then only the pseudo
// header has been summed. Any other is left as it is, wrong ones too.
func Complete(frame []byte) {
	h, err := Parse(frame)
	if err != nil {
		return
	}
	ip := h.network[ethernetBytes:]
	length := h.segmentBytes()
	at := len(h.network)
	if length < len(h.transport) || at+length > len(frame) {
		return
	}
	segment := frame[at : at+length]
	if binary.BigEndian.Uint16(segment[16:]) == h.pseudo(ip, length) {
		h.sumUp(ip, segment)
	}
}

// sum is the ones' complement sum (RFC 1071), begun with another.
func sum(begun uint16, data []byte) uint16 {
	total := uint32(begun)
	for len(data) >= 2 {
		total += uint32(binary.BigEndian.Uint16(data))
		data = data[2:]
	}
	if len(data) == 1 {
		total += uint32(data[0]) << 8
	}
	for total > 0xffff {
		total = total>>16 + total&0xffff
	}
	return uint16(total)
}
