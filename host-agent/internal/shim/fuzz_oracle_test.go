// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	icmp6         = 58
	advertisement = 136
	dhcpServer    = 67
	ethertypeARP  = 0x0806

	routerAdvertisement = 134
	redirect            = 137
)

// dhcpClients listen there, by IP's version.
var dhcpClients = map[int]uint16{4: 68, 6: 546}

// hiding are the types of frames whose addresses are behind a tag or label.
var hiding = []uint16{0x8100, 0x88a8, 0x9100, 0x8847, 0x8848, 0x8863, 0x8864}

// reading is what a receiver makes of a frame: written a second time, independently of the
// programs, to judge them by.
type reading struct {
	ethertype           uint16
	version             int // 4, 6; 0: no IP, or none that a receiver would take
	source, destination netip.Addr
	protocols           []uint8 // along the chain of headers
	upper               int     // where the last protocol's header begins; 0: not in this frame
	bound               int     // where the datagram ends by its own length, at most the frame's
	ecn                 uint8
	reserved            bool
}

func readFrame(frame []byte) reading {
	r := reading{ethertype: binary.BigEndian.Uint16(frame[12:])}
	packet := frame[testnet.EthernetBytes:]
	switch {
	case r.ethertype == 0x0800 && len(packet) >= 20 && packet[0]>>4 == 4 && packet[0]&15 >= 5:
		r.readIPv4(packet)
	case r.ethertype == 0x86dd && len(packet) >= 40 && packet[0]>>4 == 6:
		r.readIPv6(packet)
	}
	return r
}

func (r *reading) readIPv4(packet []byte) {
	r.version = 4
	r.source, r.destination = netip.AddrFrom4([4]byte(packet[12:16])), netip.AddrFrom4([4]byte(packet[16:20]))
	r.protocols = []uint8{packet[9]}
	r.ecn, r.reserved = packet[1]&3, packet[6]&0x80 != 0
	r.bound = testnet.EthernetBytes + min(len(packet), int(binary.BigEndian.Uint16(packet[2:])))
	if binary.BigEndian.Uint16(packet[6:])&0x1fff == 0 {
		r.upper = testnet.EthernetBytes + 4*int(packet[0]&15)
	}
}

func (r *reading) readIPv6(packet []byte) {
	r.version = 6
	r.source, r.destination = netip.AddrFrom16([16]byte(packet[8:24])), netip.AddrFrom16([16]byte(packet[24:40]))
	r.ecn = packet[1] >> 4 & 3
	r.bound = testnet.EthernetBytes + min(len(packet), 40+int(binary.BigEndian.Uint16(packet[4:])))
	next, at := packet[6], 40
	for {
		r.protocols = append(r.protocols, next)
		if next != 0 && next != 43 && next != 44 && next != 51 && next != 60 {
			r.upper = testnet.EthernetBytes + at
			return
		}
		if at+8 > len(packet) {
			return
		}
		later := next == 44 && binary.BigEndian.Uint16(packet[at+2:])>>3 != 0
		length := 8 * (int(packet[at+1]) + 1)
		switch next {
		case 44:
			length = 8
		case 51:
			length = 4 * (int(packet[at+1]) + 2)
		}
		next, at = packet[at], at+length
		if later || at > len(packet) {
			r.protocols = append(r.protocols, next)
			return
		}
	}
}

func (r *reading) protocol() uint8 { return r.protocols[len(r.protocols)-1] }

func (r *reading) has(protocol uint8) bool {
	for _, p := range r.protocols {
		if p == protocol {
			return true
		}
	}
	return false
}

// upperBytes are the last protocol's, as far as the datagram claims them.
func (r *reading) upperBytes(frame []byte) []byte {
	if r.upper == 0 || r.upper > r.bound {
		return nil
	}
	return frame[r.upper:r.bound]
}

// spoofs is why a VM with own4 and own6 must not send this; empty: it may.
func (r *reading) spoofs(frame []byte) string {
	switch {
	case string(frame[6:12]) != string(testnet.VMMAC[:]):
		return "a foreign MAC"
	case slices.Contains(hiding, r.ethertype):
		return "a tag or label"
	case r.ethertype == ethertypeARP:
		return spoofedARP(frame)
	case r.ethertype == 0x88cc || r.ethertype == 0x8942:
		return "topology discovery"
	case r.version == 4 && r.source == netip.IPv4Unspecified():
		body := r.upperBytes(frame)
		if r.protocol() != testnet.UDP || len(body) < 4 || binary.BigEndian.Uint16(body[2:]) != dhcpServer ||
			r.destination != everybody4 {
			return "no address, and no DHCP"
		}
	case r.version == 6 && r.source == netip.IPv6Unspecified():
		if r.protocol() != icmp6 || !r.destination.IsMulticast() {
			return "no address, and no neighbour discovery"
		}
	case r.version == 6 && r.source == ownLinkLocal:
		if !r.destination.IsMulticast() && !r.destination.IsLinkLocalUnicast() && r.protocol() != icmp6 {
			return "a link-local address beyond the link"
		}
	case r.version != 0 && r.source != own4 && r.source != own6:
		return "a foreign source"
	}
	if r.version == 6 && r.protocol() == icmp6 {
		if body := r.upperBytes(frame); len(body) >= 24 && body[0] == advertisement {
			target := netip.AddrFrom16([16]byte(body[8:24]))
			if target != own6 && target != ownLinkLocal {
				return "an advertisement of a foreign address"
			}
		}
	}
	return r.isRogue(frame)
}

// isRogue is what of IP only routers and servers send; empty: it is not.
func (r *reading) isRogue(frame []byte) string {
	body := r.upperBytes(frame)
	switch {
	case r.version == 6 && r.protocol() == icmp6 && len(body) > 0 && (body[0] == routerAdvertisement || body[0] == redirect):
		return "a router's message"
	case r.version != 0 && r.protocol() == testnet.UDP && r.upper != 0 && len(frame) >= r.upper+4 &&
		binary.BigEndian.Uint16(frame[r.upper+2:]) == dhcpClients[r.version]:
		return "a DHCP server's message"
	}
	return ""
}

// isAccountable: it belongs to a pair.
func (r *reading) isAccountable(frame []byte) bool {
	oneHosts := func(address netip.Addr) bool {
		if address.Is4() {
			first := address.As4()[0]
			return first != 0 && first != 127 && first < 224
		}
		upper := address.As16()
		return [8]byte(upper[:8]) != [8]byte{} && !address.IsMulticast() && !address.IsLinkLocalUnicast()
	}
	return r.version != 0 && frame[0]&1 == 0 && oneHosts(r.source) && oneHosts(r.destination)
}

func spoofedARP(frame []byte) string {
	packet := frame[testnet.EthernetBytes:]
	if len(packet) < 28 || string(packet[:6]) != "\x00\x01\x08\x00\x06\x04" {
		return "" // nobody reads it
	}
	if string(packet[8:14]) != string(testnet.VMMAC[:]) {
		return "ARP of a foreign MAC"
	}
	sender := netip.AddrFrom4([4]byte(packet[14:18]))
	if sender != own4 && sender != netip.IPv4Unspecified() {
		return "ARP of a foreign address"
	}
	return ""
}

// headerSum is 0xffff where an IPv4 header's checksum holds; IPv6 has none.
func (r *reading) headerSum(frame []byte) uint16 {
	if r.version != 4 {
		return 0
	}
	end := testnet.EthernetBytes + 4*int(frame[testnet.EthernetBytes]&15)
	if end > len(frame) {
		return 0 // of what is not there nobody can keep the sum
	}
	return testnet.Sum(frame[testnet.EthernetBytes:end])
}

// sameSum compares ones' complement sums, which have two zeros.
func sameSum(a, b uint16) bool { return a == b || a%0xffff == b%0xffff }
