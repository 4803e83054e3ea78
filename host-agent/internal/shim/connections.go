// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// MaxConnections that can be watched at once (MAX_CONNECTIONS of bpf/state.h).
const MaxConnections = 4096

// ZeroGrant is how often a grant of 0 lets a segment go at most (ZERO_GRANT_NANOS of bpf/connection.h).
const ZeroGrant = time.Second

// zeroGrantSpreadMask: of the connection's port, that many milliseconds more.
const zeroGrantSpreadMask = 511

// Connection is one that is watched, in the direction in which the endpoint sends.
type Connection struct {
	Slot        int
	Incarnation uint32 // grows when a SYN begins it anew
	Endpoint    int
	OpenedNanos int64
	LastNanos   int64 // of its last packet
	model.FlowUpdate
	// LeastRoundTripMicros since the beginning; 0: unknown.
	LeastRoundTripMicros uint32
	SegmentBytes         uint32 // 0: unknown
	SentEdge             uint32 // the sequence number behind the last byte sent
	Selective            bool   // both ends have agreed on SACK
	// RoomBytes may still be sent before an acknowledgement comes, by what the endpoint was offered.
	RoomBytes int32
	Grant
	Answered bool
}

// Grant is what a connection's window is lowered to.
type Grant struct {
	Granted bool
	Bytes   uint32
}

// Watch begins or ends the watching of TCP connections. Nothing is known of them when it begins.
func (s *Shim) Watch(on bool, nowNanos int64) error {
	state := s.state.At(0)
	if on {
		atomic.StoreUint32(&state.Watching, 1)
		return nil
	}
	atomic.StoreUint32(&state.Watching, 0)
	var failures []error
	for slot := range s.connectionSlots.all() {
		failures = append(failures, s.RetireConnection(slot, nowNanos))
	}
	return errors.Join(failures...)
}

// Sign has TCP's beginnings and ends leave as ECT(1) while the shim enforces.
func (s *Shim) Sign(on bool) {
	var value uint32
	if on {
		value = 1
	}
	atomic.StoreUint32(&s.state.At(0).Signing, value)
}

// HoldHandshakes lets SYN-ACKs wait until that instant of CLOCK_MONOTONIC; 0: they pass.
func (s *Shim) HoldHandshakes(untilNanos int64) {
	atomic.StoreUint64(&s.state.At(0).HoldUntilNanos, uint64(untilNanos))
}

// ConnectionSlots yields the slots of all that are watched, and when their last packets came.
func (s *Shim) ConnectionSlots() iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		for slot := range s.connectionSlots.all() {
			if !yield(slot, int64(atomic.LoadUint64(&s.connections.At(slot).LastNanos))) {
				return
			}
		}
	}
}

// Connections yields all that are watched.
func (s *Shim) Connections() iter.Seq[Connection] {
	return func(yield func(Connection) bool) {
		for slot := range s.connectionSlots.all() {
			if c, ok := s.Connection(slot); ok && !yield(c) {
				return
			}
		}
	}
}

// Connection reads a slot; false if there is none, or it has only just begun.
func (s *Shim) Connection(slot int) (Connection, bool) {
	c := s.connections.At(slot)
	state := atomic.LoadUint32(&c.State)
	if atomic.LoadUint32(&c.Used) == 0 || state == 0 {
		return Connection{}, false
	}
	incarnation := atomic.LoadUint32(&c.Incarnation)
	return Connection{
		Slot: slot, Incarnation: incarnation, Endpoint: int(c.Key.Endpoint),
		OpenedNanos: int64(atomic.LoadUint64(&c.OpenedNanos)),
		LastNanos:   int64(atomic.LoadUint64(&c.LastNanos)),
		FlowUpdate: model.FlowUpdate{
			Flow: model.FlowID{
				Source: fromAddress(c.Key.Local), SourcePort: c.Key.LocalPort,
				Destination: fromAddress(c.Key.Remote), DestinationPort: c.Key.RemotePort,
			},
			State:          model.FlowState(state),
			DeliveredBytes: atomic.LoadUint64(&c.DeliveredBytes),
			// After them: the program writes it before.
			ProgressNanos:        int64(atomic.LoadUint64(&c.ProgressNanos)),
			AcknowledgedSequence: atomic.LoadUint32(&c.Acknowledged),
			RoundTripNanos:       int64(atomic.LoadUint32(&c.RoundTripMicros)) * 1000,
			// Before the SYN-ACK it is not known yet: that is not what is meant.
			ScaleUnknown: c.Scaled == 0 && model.FlowState(state) != model.FlowOpened,
		},
		LeastRoundTripMicros: atomic.LoadUint32(&c.LeastRoundTripMicros),
		SegmentBytes:         atomic.LoadUint32(&c.SegmentBytes),
		SentEdge:             atomic.LoadUint32(&c.SentEdge),
		Selective:            c.Selective != 0,
		RoomBytes:            int32(atomic.LoadUint32(&c.RightEdge) - atomic.LoadUint32(&c.SentEdge)),
		Grant:                Grant{atomic.LoadUint32(&c.Granted) != 0, atomic.LoadUint32(&c.GrantBytes)},
		Answered:             atomic.LoadUint32(&c.Answered) != 0,
	}, true
}

// SetGrant lowers a connection's window, or does so no longer.
func (s *Shim) SetGrant(slot int, grant Grant, nowNanos int64) {
	c := s.connections.At(slot)
	was := Grant{atomic.LoadUint32(&c.Granted) != 0, atomic.LoadUint32(&c.GrantBytes)}
	if grant.Granted && grant.Bytes == 0 && !(was.Granted && was.Bytes == 0) {
		atomic.StoreUint64(&c.ZeroNanos, uint64(nowNanos))
	}
	var granted uint32
	if grant.Granted {
		granted = 1
	}
	if !grant.Granted {
		atomic.StoreUint32(&c.Granted, granted)
	}
	atomic.StoreUint32(&c.GrantBytes, grant.Bytes)
	atomic.StoreUint32(&c.Granted, granted)
}

// ZeroOver reports whether a connection's grant has been 0 for as long as that holds: a segment may go.
func (s *Shim) ZeroOver(slot int, nowNanos int64) bool {
	c := s.connections.At(slot)
	return atomic.LoadUint32(&c.Granted) != 0 && atomic.LoadUint32(&c.GrantBytes) == 0 &&
		nowNanos-int64(atomic.LoadUint64(&c.ZeroNanos)) >= zeroGrant(c.Key.LocalPort).Nanoseconds()
}

func zeroGrant(localPort uint16) time.Duration {
	return ZeroGrant + time.Duration(localPort&zeroGrantSpreadMask)*time.Millisecond
}

// SetAnswered notes that a controller has decided about a connection: its SYN-ACK need not wait.
func (s *Shim) SetAnswered(slot int) { atomic.StoreUint32(&s.connections.At(slot).Answered, 1) }

// ExpectGrant sets the window of connections to come that fit; at most MaxConnections of them.
func (s *Shim) ExpectGrant(flow model.FlowID, bytes uint32) error {
	if err := s.objects.Grants.Put(toGrantKey(flow), bytes); err != nil {
		return fmt.Errorf("grant for %s: %w", flow, err)
	}
	return nil
}

// ForgetGrant takes it back.
func (s *Shim) ForgetGrant(flow model.FlowID) error {
	if err := s.objects.Grants.Delete(toGrantKey(flow)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("grant for %s: %w", flow, err)
	}
	return nil
}

func toGrantKey(flow model.FlowID) bpfGrantKey {
	return bpfGrantKey{
		Source: toAddress(flow.Source), SourcePort: flow.SourcePort,
		Destination: toAddress(flow.Destination), DestinationPort: flow.DestinationPort,
	}
}

// Acknowledgement is the newest one that a connection's peer has sent.
type Acknowledgement struct {
	VLAN uint16 // in which it came; 0: none
	// Header is its frame from Ethernet to TCP's options, as it came from the network.
	Header [headerBytes]byte
	Length int
	// Sequence is what the peer sends next.
	Sequence uint32
}

const headerBytes = 128 // HEADER_BYTES of bpf/connection.h

// lockTries are enough: a program holds the lock for well under a microsecond.
const lockTries = 100

// Acknowledgement reads it; false if none has come, or it is longer than any that is of use.
func (s *Shim) Acknowledgement(slot int) (Acknowledgement, bool) {
	c := s.connections.At(slot)
	for range lockTries {
		before := atomic.LoadUint32(&c.Lock)
		if before&1 != 0 {
			continue
		}
		a := Acknowledgement{
			VLAN: c.VlanId, Header: c.Header, Length: int(atomic.LoadUint32(&c.HeaderBytes)), Sequence: c.PeerSequence,
		}
		if atomic.LoadUint32(&c.Lock) == before {
			return a, a.Length > 0 && a.Length <= headerBytes
		}
	}
	return Acknowledgement{}, false
}

// RetireConnection forgets a connection; its slot is reused by a later RecycleConnections.
func (s *Shim) RetireConnection(slot int, nowNanos int64) error {
	return s.connectionSlots.retire(slot, s.connections.At(slot).Key, nowNanos)
}

// RecycleConnections hands the slots of connections retired long enough ago back to the programs.
func (s *Shim) RecycleConnections(nowNanos int64) error {
	return s.connectionSlots.recycle(nowNanos, func(slot int) {
		c := s.connections.At(slot)
		*c = bpfConnection{Incarnation: c.Incarnation}
	})
}

// Origin marks what the agent itself sends to endpoints (enum origin of bpf/window.h).
type Origin int

// The origins that a frame of the agent's can have.
const (
	// OriginHandshake: a SYN-ACK that has waited.
	OriginHandshake Origin = 0x536c0001 + iota
	// OriginUpdate: an acknowledgement that is dropped unless its window is wider than the last.
	OriginUpdate
	// OriginRepeat: a duplicate acknowledgement; it gets the last one's window.
	OriginRepeat
)

// InVLAN is the mark of a frame that is to get the tag of a VLAN; 0: none.
func (o Origin) InVLAN(vlan uint16) int { return int(o) | int(vlan)<<4 }
