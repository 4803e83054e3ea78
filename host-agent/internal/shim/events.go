// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Layout of struct event and its followers in bpf/state.h.
const (
	eventHeadBytes  = 16
	kindControl     = 1
	kindFirstCE     = 2
	kindConnection  = 3
	kindHandshake   = 4
	kindLargeFlow   = 5
	addressBytes    = 16
	firstCEBodySize = 2 * addressBytes
	macBytes        = 6
	controlHead     = 16 // what comes before the packet
	handshakeHead   = 16 // what comes before the frame
	slotBytes       = 4
)

// ReturnPath is how another host is reached: out of the device that its frames came in by, as they came.
type ReturnPath struct {
	MAC     [macBytes]byte
	VLAN    uint16 // on the wire; 0: none
	Ifindex int
}

// ControlPacket is a message between agents taken off the uplink: an IP packet.
type ControlPacket struct {
	Nanos  int64 // of its arrival
	From   ReturnPath
	Packet []byte // valid until the next Read
}

// FirstCE is the first mark of a pair after a quiet time, stamped where it was seen.
type FirstCE struct {
	Nanos int64
	Pair  model.Pair
}

// ConnectionChange: a watched connection has begun, is established or has ended.
type ConnectionChange struct{ Slot int }

// Handshake is a SYN-ACK towards an endpoint that has been held, to wait.
type Handshake struct {
	Nanos       int64
	Slot        int
	Incarnation uint32
	Place       model.Place // of the endpoint that it is for
	Frame       []byte      // valid until the next Read
}

// Event is one of these.
type Event struct {
	Control    *ControlPacket
	FirstCE    *FirstCE
	Connection *ConnectionChange
	Handshake  *Handshake
	// Large: it has passed all thresholds of levels.
	Large *FlowKey
}

// Events reads what the programs report. For one goroutine, but for Wait and Stop.
type Events struct {
	ring *mapped.Ring
}

// Events opens the ring.
func (s *Shim) Events() (*Events, error) {
	ring, err := mapped.OpenRing(s.objects.bpfMaps.Events)
	if err != nil {
		return nil, fmt.Errorf("event ring: %w", err)
	}
	return &Events{ring}, nil
}

// PollEvents lets the shim know that the ring is read often without being woken for what can wait so long.
func (s *Shim) PollEvents(on bool) {
	var value uint32
	if on {
		value = 1
	}
	atomic.StoreUint32(&s.state.At(0).Polled, value)
}

// Read returns the next event that has come; false: there is none. It does not wait, and is to be called until then.
func (e *Events) Read() (event Event, some bool, err error) {
	record := e.ring.Next()
	if record == nil {
		return Event{}, false, nil
	}
	event, err = parseEvent(record)
	return event, true, err
}

// Wait waits for an event that is not to wait for a poll. What has come must have been read before.
func (e *Events) Wait() error { return e.ring.Wait() }

// Stop ends Wait, which then returns os.ErrClosed.
func (e *Events) Stop() error { return e.ring.Stop() }

func parseEvent(raw []byte) (Event, error) {
	if len(raw) < eventHeadBytes {
		return Event{}, errors.New("event ring: short record")
	}
	nanos := int64(binary.NativeEndian.Uint64(raw))
	kind := binary.NativeEndian.Uint32(raw[8:])
	size := int(binary.NativeEndian.Uint32(raw[12:]))
	body := raw[eventHeadBytes:]
	var from ReturnPath
	if kind == kindControl && len(body) >= controlHead {
		from = ReturnPath{
			MAC: [macBytes]byte(body), VLAN: binary.NativeEndian.Uint16(body[macBytes:]),
			Ifindex: int(binary.NativeEndian.Uint32(body[macBytes+2:])),
		}
		body = body[controlHead:]
	}
	var held Handshake
	if kind == kindHandshake && len(body) >= handshakeHead {
		held = Handshake{
			Nanos: nanos, Slot: int(binary.NativeEndian.Uint32(body)),
			Incarnation: binary.NativeEndian.Uint32(body[slotBytes:]),
			Place: model.Place{
				Ifindex: int(binary.NativeEndian.Uint32(body[2*slotBytes:])), VLAN: binary.NativeEndian.Uint16(body[3*slotBytes:]),
			},
		}
		body = body[handshakeHead:]
	}
	if size > len(body) {
		return Event{}, fmt.Errorf("event ring: record of kind %d claims %d bytes of %d", kind, size, len(body))
	}
	body = body[:size]
	switch {
	case kind == kindControl:
		return Event{Control: &ControlPacket{Nanos: nanos, From: from, Packet: body}}, nil
	case kind == kindHandshake && held.Slot < MaxConnections:
		held.Frame = body
		return Event{Handshake: &held}, nil
	case kind == kindConnection && size == slotBytes && binary.NativeEndian.Uint32(body) < MaxConnections:
		return Event{Connection: &ConnectionChange{int(binary.NativeEndian.Uint32(body))}}, nil
	case kind == kindLargeFlow && size == flowKeyBytes:
		if key := flowKeyFrom(body); key.Endpoint() < MaxEndpoints {
			return Event{Large: &key}, nil
		}
	case kind == kindFirstCE && size == firstCEBodySize:
		pair := model.Pair{
			Source:      netip.AddrFrom16([addressBytes]byte(body)).Unmap(),
			Destination: netip.AddrFrom16([addressBytes]byte(body[addressBytes:])).Unmap(),
		}
		return Event{FirstCE: &FirstCE{Nanos: nanos, Pair: pair}}, nil
	}
	return Event{}, fmt.Errorf("event ring: unknown record of kind %d, %d bytes", kind, size)
}

// Close ends reading.
func (e *Events) Close() error { return e.ring.Close() }
