// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"encoding/binary"
	"net/netip"
)

// VMMAC is the source MAC of every Frame as built.
var VMMAC = [6]byte{2, 0, 0, 0, 0, 1}

// Types of neighbour discovery messages, RFC 4861.
const (
	Solicitation  = 135
	Advertisement = 136
)

const icmpv6 = 58

// ARP builds a broadcast request from VMMAC in which sender, with senderMAC, requests the MAC of target.
func ARP(senderMAC [6]byte, sender, target netip.Addr) []byte {
	frame := make([]byte, 42)
	copy(frame, []byte{255, 255, 255, 255, 255, 255})
	copy(frame[6:], VMMAC[:])
	copy(frame[12:], []byte{0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1})
	copy(frame[22:], senderMAC[:])
	from, to := sender.As4(), target.As4()
	copy(frame[28:], from[:])
	copy(frame[38:], to[:])
	return frame
}

// Neighbour builds a neighbour discovery message about target, without options or checksum.
func Neighbour(kind uint8, source, destination, target netip.Addr) []byte {
	frame := Frame{Source: source, Destination: destination, Protocol: icmpv6}.Build()
	binary.BigEndian.PutUint16(frame[EthernetBytes+4:], 24)
	frame = append(frame, kind, 0, 0, 0, 0, 0, 0, 0)
	address := target.As16()
	return append(frame, address[:]...)
}

// Multicast makes a frame's destination a group's MAC.
func Multicast(frame []byte) []byte {
	copy(frame, []byte{0x33, 0x33, 0, 0, 0, 0x16})
	return frame
}
