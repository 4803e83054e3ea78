// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	// windowForgottenNanos is how long a silent pair's replay window is kept.
	windowForgottenNanos = int64(6 * time.Hour)
	// feedbackBytes are worth a message at once: one full packet.
	feedbackBytes = 1500
	// feedbackNanos is how long fewer bytes wait for a message. Acknowledgements come in dozens
	// meanwhile: a message for every few of them would be a burden to the way back.
	feedbackNanos = int64(20 * time.Millisecond)
)

// feedback is the in-band exchange with other hosts' agents.
type feedback struct {
	socket   rawframe.Socket
	instance uint32
	keys     *wire.Keyring
	encoder  wire.Encoder
	decoder  *wire.Decoder
	frame    [wire.MaxFrameLength]byte
	tagged   [wire.MaxFrameLength + vlanTagBytes]byte
	heard    map[model.Pair]heard
	counters FeedbackStatus
}

// heard is what the receiving agent of a pair said last.
type heard struct {
	model.Feedback
	markedNanos int64 // when it told of marks last
}

// firstMarkNanos without marks make the next one a first one, which is answered at once; as programs
// reckon.
const firstMarkNanos = int64(200 * time.Millisecond)

// feedbackSent is what the sending agent of a pair was told last.
type feedbackSent struct {
	packets   uint64
	cePackets uint64
	bytes     uint64
	sequence  uint64
	nanos     int64
}

// due says that a message is worth its while. A mark is told at once: it is what the other loop
// waits for. So is a full packet's worth of bytes, marked or not: the end of marks is news as well.
func (s *feedbackSent) due(nowNanos int64, pair shim.PairCounters) bool {
	return pair.ReceivedPackets != s.packets &&
		(pair.CEPackets != s.cePackets || pair.ReceivedBytes-s.bytes >= feedbackBytes ||
			nowNanos-s.nanos >= feedbackNanos)
}

// FeedbackStatus counts in-band messages.
type FeedbackStatus struct {
	Sent     uint64 `json:"sent"`
	Unsent   uint64 `json:"unsent"` // no key yet, or the device refused
	Accepted uint64 `json:"accepted"`
	Refused  uint64 `json:"refused"` // malformed, unsigned, forged, replayed
	// LastRefusal is why.
	LastRefusal string `json:"lastRefusal,omitempty"`
}

// openFeedback makes the socket that sends frames towards the network. Where there are no controllers
// there are no keys, and messages go unsigned.
func openFeedback(protocol uint8, standAlone bool) (*feedback, error) {
	socket, err := rawframe.Open()
	if err != nil {
		return nil, fmt.Errorf("feedback socket: %w", err)
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	keys := &wire.Keyring{}
	return &feedback{
		socket: socket, instance: binary.NativeEndian.Uint32(random[:]),
		keys:    keys,
		encoder: wire.Encoder{Protocol: protocol, Keys: keys, AllowUnsigned: standAlone},
		decoder: wire.NewDecoder(protocol, keys, standAlone),
		heard:   map[model.Pair]heard{},
	}, nil
}

func (f *feedback) close() error { return f.socket.Close() }

// feedBack tells the sending agent what has arrived of a pair since the instance began.
func (a *Agent) feedBack(nowNanos int64, pair shim.PairCounters, record *pairRecord) {
	e := a.endpoints.At(pair.Endpoint)
	if e == nil || len(e.MAC) == 0 {
		return // learned by the shim, but not read yet
	}
	sent := &record.fed
	if sent.sequence == 0 {
		sent.sequence = wire.FirstSequence(a.steady.Nanos())
		sent.nanos = nowNanos - a.pacer.Tau().Nanoseconds()
	}
	message := model.Feedback{
		Pair: record.addresses, Instance: a.feedback.instance, Sequence: sent.sequence,
		PeriodNanos: nowNanos - sent.nanos,
		Packets:     pair.ReceivedPackets, CEPackets: pair.CEPackets, Bytes: pair.ReceivedBytes,
	}
	isMarked := pair.CEPackets != sent.cePackets
	sent.packets, sent.cePackets, sent.bytes = pair.ReceivedPackets, pair.CEPackets, pair.ReceivedBytes
	sent.nanos = nowNanos
	sent.sequence++
	a.feedback.send(&message, wire.MAC(e.MAC), pair.From)
	if isMarked {
		a.passShareOn(nowNanos, pair, record, wire.MAC(e.MAC))
	}
}

func (f *feedback) send(message *model.Feedback, from wire.MAC, to shim.ReturnPath) {
	length, err := f.encoder.EncodeFeedback(f.frame[:], message, from, to.MAC)
	f.sendFrame(length, to, err)
}

func (f *feedback) sendEcho(message *wire.Echo, from wire.MAC, to shim.ReturnPath) {
	length, err := f.encoder.EncodeEcho(f.frame[:], message, from, to.MAC)
	f.sendFrame(length, to, err)
}

func (f *feedback) sendShare(message *wire.Share, from wire.MAC, to shim.ReturnPath) {
	length, err := f.encoder.EncodeShare(f.frame[:], message, from, to.MAC)
	f.sendFrame(length, to, err)
}

// sendFrame sends what was encoded, if it was, by the way that the data came: out of the device that
// they came in by, and in their VLAN.
func (f *feedback) sendFrame(length int, to shim.ReturnPath, err error) {
	if err == nil {
		frame := f.frame[:length]
		if to.VLAN != 0 {
			frame = f.tag(frame, to.VLAN)
		}
		err = f.socket.Send(frame, to.Ifindex)
	}
	if err != nil {
		f.counters.Unsent++
		return
	}
	f.counters.Sent++
}

const (
	macBytes     = 12 // both MACs
	vlanTagBytes = 4
)

// tag puts a VLAN tag into a frame (IEEE 802.1Q).
func (f *feedback) tag(frame []byte, control uint16) []byte {
	copy(f.tagged[:], frame[:macBytes])
	binary.BigEndian.PutUint16(f.tagged[macBytes:], unix.ETH_P_8021Q)
	binary.BigEndian.PutUint16(f.tagged[macBytes+2:], control)
	copy(f.tagged[macBytes+vlanTagBytes:], frame[macBytes:])
	return f.tagged[:len(frame)+vlanTagBytes]
}

// receive takes a message that came in band: a controller's notice, or one of another agent.
func (a *Agent) receive(arrivedNanos int64, from shim.ReturnPath, packet []byte) {
	if wire.IsNotice(packet, a.notices.protocol) {
		a.receiveNotice(arrivedNanos, packet)
		return
	}
	f := a.feedback
	message, err := f.decoder.Decode(arrivedNanos, packet)
	if err != nil {
		f.counters.Refused++
		f.counters.LastRefusal = err.Error()
		return
	}
	f.counters.Accepted++
	switch {
	case message.Kind == wire.KindFeedback:
		a.takeFeedback(arrivedNanos, from, message.Feedback)
	case message.Kind == wire.KindShare:
		a.takeShare(message.Share)
	case message.Echo.Answer:
		a.roundTrips.answered(arrivedNanos, message.Echo)
	default:
		a.answerEcho(arrivedNanos, from, message.Echo)
	}
}

// takeFeedback gives feedback to the law of the endpoint that it is about.
func (a *Agent) takeFeedback(nowNanos int64, from shim.ReturnPath, message model.Feedback) {
	f := a.feedback
	e := a.endpoints.Of(message.Pair.Source)
	if e == nil {
		return
	}
	if a.roundTrips.heard(nowNanos, message.Pair, from) {
		a.askEcho(message.Pair)
	}
	previous, known := f.heard[message.Pair]
	if known && previous.Instance == message.Instance && message.Sequence < previous.Sequence {
		return // overtaken: the newer one told all of it
	}
	now := heard{message, previous.markedNanos}
	if message.CEPackets > previous.CEPackets {
		if nowNanos-previous.markedNanos > firstMarkNanos {
			a.pacer.TurnSoon()
		}
		a.pacer.Active(nowNanos)
		now.markedNanos = nowNanos
	}
	f.heard[message.Pair] = now
	restarted := previous.Instance != message.Instance || message.Packets < previous.Packets ||
		message.CEPackets < previous.CEPackets || message.Bytes < previous.Bytes
	if !known || restarted {
		return // only a base for the next
	}
	e.Control.Feedback(message.Pair.Destination, message.Packets-previous.Packets,
		message.CEPackets-previous.CEPackets, message.Bytes-previous.Bytes)
}

func (f *feedback) forget(nowNanos int64) {
	f.decoder.Forget(nowNanos - windowForgottenNanos)
	const remembered = 4 * 8192
	if len(f.heard) > remembered {
		clear(f.heard) // bases only: each pair's next message makes a new one
	}
}
