// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	version      = 1
	typeFeedback = 1
	typeNotice   = 2
	flagSigned   = 1

	maxPeriodMicros = 60_000_000
)

// Why a message is not sent or not accepted. They carry no detail because they are counted, at
// whatever rate an attacker likes, rather than logged.
var (
	ErrMalformed    = errors.New("not a well-formed in-band message")
	ErrVersion      = errors.New("in-band message of an unknown version")
	ErrType         = errors.New("in-band message of a type that is not used")
	ErrUnsigned     = errors.New("in-band message without a signature, which is not allowed here")
	ErrUnknownKey   = errors.New("in-band message signed with an unknown key")
	ErrForged       = errors.New("in-band message with a wrong signature")
	ErrReplayed     = errors.New("in-band message that came before or is too old")
	ErrNoKey        = errors.New("no peer key yet, and unsigned messages are not allowed")
	ErrInconsistent = errors.New("feedback that contradicts itself")
	ErrShortBuffer  = errors.New("buffer shorter than MaxFrameLength")
	ErrAddresses    = errors.New("addresses of a pair that are not two unicast addresses of one family")
)

// FirstSequence is the sequence number that a pair's feedback starts with; each further message
// adds one.
func FirstSequence(now time.Time) uint64 { return uint64(now.UnixNano()) }

// Encoder writes feedback frames. Not safe for concurrent use.
type Encoder struct {
	// Protocol is the IP protocol number, 1..255.
	Protocol uint8
	// Keys sign.
	Keys *Keyring
	// AllowUnsigned lets messages go out unsigned as long as Keys is empty.
	AllowUnsigned bool
}

// EncodeFeedback writes the whole Ethernet frame into buffer, which must hold MaxFrameLength bytes,
// and returns its length. from is the MAC of the pair's destination, whose host sends this, to that
// of its source. It allocates nothing.
func (e *Encoder) EncodeFeedback(buffer []byte, feedback *model.Feedback, from, to MAC) (int, error) {
	if len(buffer) < MaxFrameLength {
		return 0, ErrShortBuffer
	}
	if e.Keys.Empty() && !e.AllowUnsigned {
		return 0, ErrNoKey
	}
	source, destination := feedback.Pair.Destination, feedback.Pair.Source
	if source.Is4() != destination.Is4() || source.Is4In6() || destination.Is4In6() ||
		!source.IsValid() || !destination.IsValid() || !unicast(source) || !unicast(destination) {
		return 0, ErrAddresses
	}
	periodMicros := min(max(feedback.PeriodNanos/1000, 1), maxPeriodMicros)
	if feedback.Packets == 0 || feedback.CEPackets > feedback.Packets || feedback.Bytes < feedback.Packets {
		return 0, ErrInconsistent
	}

	copy(buffer, to[:])
	copy(buffer[6:], from[:])
	etherType := uint16(etherTypeIPv6)
	if source.Is4() {
		etherType = etherTypeIPv4
	}
	binary.BigEndian.PutUint16(buffer[12:], etherType)
	offset := ethernetLength
	offset += putIP(buffer[offset:], e.Protocol, source, destination)

	message := buffer[offset : offset+MessageLength]
	clear(message)
	message[0] = version
	message[1] = typeFeedback
	binary.BigEndian.PutUint32(message[8:], feedback.Instance)
	binary.BigEndian.PutUint32(message[12:], uint32(periodMicros))
	binary.BigEndian.PutUint64(message[16:], feedback.Sequence)
	binary.BigEndian.PutUint64(message[24:], feedback.Packets)
	binary.BigEndian.PutUint64(message[32:], feedback.CEPackets)
	binary.BigEndian.PutUint64(message[40:], feedback.Bytes)
	if signer := e.Keys.newest; signer != nil {
		message[2] = flagSigned
		binary.BigEndian.PutUint32(message[4:], signer.id)
		copy(message[signedLength:], e.Keys.authenticate(signer, e.Protocol, source, destination, message))
	}
	return offset + MessageLength, nil
}

// Decoder checks and reads in-band messages. Not safe for concurrent use.
type Decoder struct {
	protocol      uint8
	keys          *Keyring
	allowUnsigned bool
	windows       map[model.Pair]*window
}

// NewDecoder makes a decoder for an IP protocol number. allowUnsigned accepts unsigned messages as
// long as keys is empty.
func NewDecoder(protocol uint8, keys *Keyring, allowUnsigned bool) *Decoder {
	return &Decoder{protocol: protocol, keys: keys, allowUnsigned: allowUnsigned,
		windows: map[model.Pair]*window{}}
}

// DecodeFrame reads a message from an Ethernet frame without VLAN tag, like Decode.
func (d *Decoder) DecodeFrame(nowNanos int64, frame []byte) (model.Feedback, error) {
	if len(frame) < ethernetLength+1 {
		return model.Feedback{}, ErrMalformed
	}
	etherType, ipVersion := binary.BigEndian.Uint16(frame[12:]), frame[ethernetLength]>>4
	if !(etherType == etherTypeIPv4 && ipVersion == 4) && !(etherType == etherTypeIPv6 && ipVersion == 6) {
		return model.Feedback{}, ErrMalformed
	}
	return d.Decode(nowNanos, frame[ethernetLength:])
}

// Decode reads a message from an IP packet: verified, and never the same one twice. nowNanos is any
// monotonic time, for Forget. It allocates only for the first message of a pair.
func (d *Decoder) Decode(nowNanos int64, packet []byte) (model.Feedback, error) {
	from, to, message, ok := parseIP(packet, d.protocol)
	if !ok {
		return model.Feedback{}, ErrMalformed
	}
	switch {
	case message[0] != version:
		return model.Feedback{}, ErrVersion
	case message[1] == typeNotice:
		return model.Feedback{}, ErrType
	case message[1] != typeFeedback || message[2]&^flagSigned != 0 || message[3] != 0:
		return model.Feedback{}, ErrMalformed
	}
	generation := uint64(0)
	keyID := binary.BigEndian.Uint32(message[4:])
	if message[2]&flagSigned == 0 {
		if !d.allowUnsigned || !d.keys.Empty() {
			return model.Feedback{}, ErrUnsigned
		}
		if keyID != 0 || [authenticatorLength]byte(message[signedLength:]) != [authenticatorLength]byte{} {
			return model.Feedback{}, ErrMalformed
		}
	} else {
		signer := d.keys.find(keyID)
		if signer == nil {
			return model.Feedback{}, ErrUnknownKey
		}
		want := d.keys.authenticate(signer, d.protocol, from, to, message)
		if !hmac.Equal(want, message[signedLength:]) {
			return model.Feedback{}, ErrForged
		}
		generation = signer.generation + 1 // 0 is unsigned
	}

	periodMicros := binary.BigEndian.Uint32(message[12:])
	feedback := model.Feedback{
		Pair:        model.Pair{Source: to, Destination: from},
		Instance:    binary.BigEndian.Uint32(message[8:]),
		Sequence:    binary.BigEndian.Uint64(message[16:]),
		PeriodNanos: int64(periodMicros) * 1000,
		Packets:     binary.BigEndian.Uint64(message[24:]),
		CEPackets:   binary.BigEndian.Uint64(message[32:]),
		Bytes:       binary.BigEndian.Uint64(message[40:]),
	}
	if periodMicros == 0 || periodMicros > maxPeriodMicros || feedback.Packets == 0 ||
		feedback.CEPackets > feedback.Packets || feedback.Bytes < feedback.Packets {
		return model.Feedback{}, ErrInconsistent
	}
	if !d.fresh(nowNanos, &feedback, generation) {
		return model.Feedback{}, ErrReplayed
	}
	return feedback, nil
}

func (d *Decoder) fresh(nowNanos int64, feedback *model.Feedback, generation uint64) bool {
	seen := d.windows[feedback.Pair]
	if seen == nil {
		opened := newWindow(feedback.Sequence, generation)
		seen = &opened
		d.windows[feedback.Pair] = seen
	} else if !seen.accept(feedback.Sequence, generation) {
		return false
	}
	seen.lastAccepted = nowNanos
	return true
}

// Forget drops the windows of pairs from which nothing was accepted since the given time. What it
// forgets can be replayed once, until its key is rotated out: call it with an age of hours.
func (d *Decoder) Forget(beforeNanos int64) {
	for pair, seen := range d.windows {
		if seen.lastAccepted < beforeNanos {
			delete(d.windows, pair)
		}
	}
}
