// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/quota"
)

const (
	version         = 1
	typeFeedback    = 1
	typeNotice      = 2
	typeEcho        = 3
	typeEchoAnswer  = 4
	typeShare       = 5
	typeCertificate = 6
	flagSigned      = 1
)

// Why a message is not sent or not accepted. They carry no detail because they are counted, at
// whatever rate an attacker likes, rather than logged.
var (
	ErrMalformed        = errors.New("not a well-formed in-band message")
	ErrVersion          = errors.New("in-band message of an unknown version")
	ErrType             = errors.New("in-band message of a type that is not used")
	ErrUnsigned         = errors.New("in-band message without a signature, which is not allowed here")
	ErrUnknownPeer      = errors.New("no certificate of the peer's address yet")
	ErrUnknownKey       = errors.New("in-band message signed with another key than the certified one")
	ErrForged           = errors.New("in-band message with a wrong signature")
	ErrReplayed         = errors.New("in-band message that is replayed or too old")
	ErrNoKey            = errors.New("no certificate from a controller yet, and unsigned messages are not allowed")
	ErrUnknownAuthority = errors.New("certificate under a key that the authority does not have")
	ErrCertificate      = errors.New("certificate with a wrong signature or a key that cannot be used")
	ErrOutdated         = errors.New("certificate older than the current one")
	ErrInconsistent     = errors.New("in-band message that contradicts itself")
	ErrShortBuffer      = errors.New("buffer shorter than MaxFrameLength")
	ErrAddresses        = errors.New("addresses of a pair that are not two unicast addresses of one family")
	ErrTransport        = errors.New("notice in another format than the controller chose")
	ErrStale            = errors.New("notice of an earlier term")
)

// Encoder writes frames. Not safe for concurrent use.
type Encoder struct {
	// Protocol is the IP protocol number, 1..255.
	Protocol uint8
	// Keys sign.
	Keys *Keyring
	// AllowUnsigned lets messages go out unsigned as long as Keys is empty.
	AllowUnsigned bool
}

// draft is a frame whose message is to be filled in and sealed.
type draft struct {
	source, destination netip.Addr
	message             []byte
	length              int // of the frame
	signer              *pairKey
}

// begin makes the frame of a message that is to be sealed.
func (e *Encoder) begin(buffer []byte, kind byte, source, destination netip.Addr, from, to MAC) (draft, error) {
	if e.Keys.Empty() && !e.AllowUnsigned {
		return draft{}, ErrNoKey
	}
	d, err := e.frame(buffer, kind, MessageLength, source, destination, from, to)
	if err != nil || e.Keys.Empty() {
		return d, err
	}
	if d.signer = e.Keys.pair(source, destination); d.signer == nil {
		return draft{}, ErrUnknownPeer
	}
	return d, nil
}

func (e *Encoder) frame(buffer []byte, kind byte, length int, source, destination netip.Addr, from, to MAC) (draft, error) {
	if len(buffer) < MaxFrameLength {
		return draft{}, ErrShortBuffer
	}
	if source.Is4() != destination.Is4() || source.Is4In6() || destination.Is4In6() ||
		!source.IsValid() || !destination.IsValid() || !unicast(source) || !unicast(destination) {
		return draft{}, ErrAddresses
	}
	copy(buffer, to[:])
	copy(buffer[6:], from[:])
	etherType := uint16(etherTypeIPv6)
	if source.Is4() {
		etherType = etherTypeIPv4
	}
	binary.BigEndian.PutUint16(buffer[12:], etherType)
	offset := ethernetLength
	offset += putIP(buffer[offset:], e.Protocol, source, destination, length)
	message := buffer[offset : offset+length]
	clear(message)
	message[0] = version
	message[1] = kind
	return draft{source: source, destination: destination, message: message, length: offset + length}, nil
}

// seal signs a draft, unless there are no keys, and returns the frame's length.
func (e *Encoder) seal(d draft) int {
	if d.signer != nil {
		d.message[2] = flagSigned
		binary.BigEndian.PutUint32(d.message[4:], d.signer.id)
		copy(d.message[signedLength:], e.Keys.authenticate(d.signer, e.Protocol, d.source, d.destination, d.message))
	}
	return d.length
}

// Kind distinguishes messages.
type Kind int

// The messages that there are.
const (
	KindFeedback Kind = iota + 1
	KindEcho
	KindShare
	KindCertificate
)

// Message is one of them, by its Kind.
type Message struct {
	Kind     Kind
	Feedback model.Feedback
	Echo     Echo
	Share    Share
	// Introduction's certificate is not checked yet.
	Introduction Introduction
}

// Decoder checks and reads in-band messages. Not safe for concurrent use.
type Decoder struct {
	protocol      uint8
	keys          *Keyring
	allowUnsigned bool
	// windows are those of the endpoints' addresses here.
	windows *quota.Table[netip.Addr, stream, window]
	// passed has the highest numbers of windows that were given up: what comes first in a new one must be
	// ahead of them. Senders number by time, so that whatever they send later is.
	passed map[sender]uint64
}

const (
	// maxWindows of all endpoints together: some 100 bytes each.
	maxWindows = 131_072
	maxPassed  = 65_536
)

// sender is who counts messages of one kind: an agent under one of its keys.
type sender struct {
	epoch uint64 // of its key; 0: unsigned
	kind  byte
}

// stream is what a window is for. An agent's new key, or another agent's, begins another one: only who has the
// key moves it.
type stream struct {
	pair model.Pair
	from sender
}

// NewDecoder makes a decoder for an IP protocol number. allowUnsigned accepts unsigned messages as
// long as keys is empty.
func NewDecoder(protocol uint8, keys *Keyring, allowUnsigned bool) *Decoder {
	d := &Decoder{protocol: protocol, keys: keys, allowUnsigned: allowUnsigned,
		windows: quota.New[netip.Addr, stream, window](maxWindows), passed: map[sender]uint64{}}
	d.windows.Removed = func(_ netip.Addr, of stream, w *window) { d.pass(of.from, w.highest) }
	return d
}

// pass remembers the highest number of a window that is given up.
func (d *Decoder) pass(from sender, highest uint64) {
	before, some := d.passed[from]
	if from.epoch == 0 || some && int64(highest-before) <= 0 {
		return
	}
	if !some && len(d.passed) >= maxPassed {
		for one := range d.passed {
			delete(d.passed, one)
			break
		}
	}
	d.passed[from] = highest
}

// DecodeFrame reads a message from an Ethernet frame without VLAN tag, like Decode.
func (d *Decoder) DecodeFrame(nowNanos int64, frame []byte) (Message, error) {
	if len(frame) < ethernetLength+1 {
		return Message{}, ErrMalformed
	}
	etherType, ipVersion := binary.BigEndian.Uint16(frame[12:]), frame[ethernetLength]>>4
	if !(etherType == etherTypeIPv4 && ipVersion == 4) && !(etherType == etherTypeIPv6 && ipVersion == 6) {
		return Message{}, ErrMalformed
	}
	return d.Decode(nowNanos, frame[ethernetLength:])
}

// Decode reads a message from an IP packet: verified, and never the same one twice. nowNanos is any
// monotonic time, for Forget. It allocates only for the first message of a pair, and for a port's name.
func (d *Decoder) Decode(nowNanos int64, packet []byte) (Message, error) {
	from, to, message, ok := parseIP(packet, d.protocol)
	if !ok || len(message) != MessageLength && !isIntroduction(message) {
		return Message{}, ErrMalformed
	}
	kind := message[1]
	switch {
	case message[0] != version:
		return Message{}, ErrVersion
	case kind == typeNotice:
		return Message{}, ErrType
	case isIntroduction(message):
		introduction, err := readIntroduction(from, to, message)
		return Message{Kind: KindCertificate, Introduction: introduction}, err
	case kind < typeFeedback || kind > typeShare || message[2]&^flagSigned != 0 || message[3] != 0:
		return Message{}, ErrMalformed
	}
	epoch, err := d.verify(from, to, message)
	if err != nil {
		return Message{}, err
	}
	read, sequence, err := readMessage(kind, from, to, message)
	if err != nil {
		return Message{}, err
	}
	if !d.fresh(nowNanos, stream{model.Pair{Source: to, Destination: from}, sender{epoch, kind}}, sequence) {
		return Message{}, ErrReplayed
	}
	return read, nil
}

func readMessage(kind byte, from, to netip.Addr, message []byte) (Message, uint64, error) {
	outward, inward := model.Pair{Source: from, Destination: to}, model.Pair{Source: to, Destination: from}
	switch kind {
	case typeFeedback:
		feedback, err := readFeedback(inward, message)
		return Message{Kind: KindFeedback, Feedback: feedback}, feedback.Sequence, err
	case typeEcho:
		echo, err := readEcho(outward, false, message)
		return Message{Kind: KindEcho, Echo: echo}, echo.Sequence, err
	case typeShare:
		share, err := readShare(inward, message)
		return Message{Kind: KindShare, Share: share}, share.Sequence, err
	default:
		echo, err := readEcho(inward, true, message)
		return Message{Kind: KindEcho, Echo: echo}, echo.Sequence, err
	}
}

// verify returns the epoch of the key that signed, 0 for an unsigned message that is allowed.
func (d *Decoder) verify(from, to netip.Addr, message []byte) (epoch uint64, err error) {
	keyID := binary.BigEndian.Uint32(message[4:])
	if message[2]&flagSigned == 0 {
		if !d.allowUnsigned || !d.keys.Empty() {
			return 0, ErrUnsigned
		}
		if keyID != 0 || [authenticatorLength]byte(message[signedLength:]) != [authenticatorLength]byte{} {
			return 0, ErrMalformed
		}
		return 0, nil
	}
	signer := d.keys.pair(to, from)
	switch {
	case signer == nil:
		return 0, ErrUnknownPeer
	case signer.id != keyID:
		return 0, ErrUnknownKey
	}
	want := d.keys.authenticate(signer, d.protocol, from, to, message)
	if !hmac.Equal(want, message[signedLength:]) {
		return 0, ErrForged
	}
	return signer.epoch, nil
}

func (d *Decoder) fresh(nowNanos int64, of stream, sequence uint64) bool {
	own := of.pair.Source // the address here
	if seen := d.windows.Find(own, of); seen == nil {
		if highest, some := d.passed[of.from]; some && int64(sequence-highest) <= 0 {
			return false
		}
		d.windows.Add(own, of, nowNanos, newWindow(sequence))
	} else if !seen.accept(sequence) {
		return false
	}
	d.windows.Use(own, of, nowNanos)
	return true
}

// Evicted is how many windows had to make room for others of the same endpoint.
func (d *Decoder) Evicted() uint64 { return d.windows.Evicted() }

// Forget drops the windows of pairs from which nothing was accepted since the given time.
func (d *Decoder) Forget(beforeNanos int64) { d.windows.Forget(beforeNanos) }

// Parties reads the two ends that an in-band message names; false where it is none.
func (d *Decoder) Parties(packet []byte) (from, to netip.Addr, ok bool) {
	from, to, _, ok = parseIP(packet, d.protocol)
	return from, to, ok
}
