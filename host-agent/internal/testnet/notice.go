// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"net/netip"
)

// Notice is a controller's notice of format v1 to build (docs/notices.md), right or wrong.
type Notice struct {
	// Source and Destination of the packet: one of the endpoint's destinations, and the endpoint.
	Source, Destination netip.Addr
	KeyID               uint32
	Key                 []byte
	PortNumber          uint32
	Datapath            uint64
	PeriodMicros        uint32
	Sequence, Term      uint64
	Marks, Packets      float64
	// Rates in bit/s.
	Share, Capacity uint64
	Destinations    []netip.Addr
}

// Message is what follows the IP header.
func (n Notice) Message(protocol uint8) []byte {
	message := make([]byte, 72)
	message[0], message[1], message[2], message[3] = 1, 2, 1, uint8(len(n.Destinations))
	binary.BigEndian.PutUint32(message[4:], n.KeyID)
	binary.BigEndian.PutUint32(message[8:], n.PortNumber)
	binary.BigEndian.PutUint32(message[12:], n.PeriodMicros)
	for i, value := range []uint64{n.Sequence, n.Datapath, n.Term,
		math.Float64bits(n.Marks), math.Float64bits(n.Packets), n.Share, n.Capacity} {
		binary.BigEndian.PutUint64(message[16+8*i:], value)
	}
	for _, address := range n.Destinations {
		if address.Is6() {
			message[2] = 3
		}
	}
	for _, address := range n.Destinations {
		if wide := address.As16(); message[2] == 3 {
			message = append(message, wide[:]...)
		} else {
			message = append(message, address.AsSlice()...)
		}
	}
	from, to := n.Source.As16(), n.Destination.As16()
	signature := hmac.New(sha256.New, n.Key)
	for _, part := range [][]byte{{protocol}, from[:], to[:], message} {
		signature.Write(part)
	}
	return append(message, signature.Sum(nil)[:16]...)
}

// Build makes the frame.
func (n Notice) Build(protocol uint8) []byte {
	return InBand(n.Source, n.Destination, protocol, n.Message(protocol))
}

// InBand makes the frame of a message between two addresses, as a controller sends it.
func InBand(source, destination netip.Addr, protocol uint8, message []byte) []byte {
	frame := Frame{Source: source, Destination: destination, Protocol: protocol, ECN: ECT0, PayloadBytes: len(message)}.Build()
	copy(frame[len(frame)-len(message):], message)
	return frame
}
