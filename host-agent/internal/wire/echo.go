// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxHeld bounds what an answering agent may claim to have held a request.
const maxHeld = 10 * time.Second

// Echo measures the time from one agent to another and back, along the path of a pair's packets.
type Echo struct {
	// Pair is the measuring agent's: its own endpoint is the source.
	Pair model.Pair
	// Answer is false for what the measuring agent sends.
	Answer   bool
	Sequence uint64
	// LoopNanos is the period of the host loop of the agent that sends this message.
	LoopNanos int64
	// SentNanos is the measuring agent's clock when it sent the echo, > 0. An answer repeats it.
	SentNanos int64
	// HeldNanos is how long the other agent took to answer; 0 in a question.
	HeldNanos int64
}

// EncodeEcho writes the whole frame, like EncodeFeedback. from is the MAC of the endpoint whose host
// sends this, to that of the other.
func (e *Encoder) EncodeEcho(buffer []byte, echo *Echo, from, to MAC) (int, error) {
	kind, source, destination := typeEcho, echo.Pair.Source, echo.Pair.Destination
	if echo.Answer {
		kind, source, destination = typeEchoAnswer, destination, source
	}
	d, err := e.begin(buffer, byte(kind), source, destination, from, to)
	if err != nil {
		return 0, err
	}
	if !echo.consistent() {
		return 0, ErrInconsistent
	}
	binary.BigEndian.PutUint32(d.message[12:], uint32(echo.LoopNanos/1000))
	binary.BigEndian.PutUint64(d.message[16:], echo.Sequence)
	binary.BigEndian.PutUint64(d.message[24:], uint64(echo.SentNanos))
	binary.BigEndian.PutUint64(d.message[32:], uint64(echo.HeldNanos))
	return e.seal(d), nil
}

func readEcho(pair model.Pair, answer bool, message []byte) (Echo, error) {
	echo := Echo{
		Pair: pair, Answer: answer,
		LoopNanos: int64(binary.BigEndian.Uint32(message[12:])) * 1000,
		Sequence:  binary.BigEndian.Uint64(message[16:]),
		SentNanos: int64(min(binary.BigEndian.Uint64(message[24:]), math.MaxInt64)),
		HeldNanos: int64(min(binary.BigEndian.Uint64(message[32:]), math.MaxInt64)),
	}
	if !echo.consistent() || binary.BigEndian.Uint32(message[8:]) != 0 || binary.BigEndian.Uint64(message[40:]) != 0 {
		return Echo{}, ErrInconsistent
	}
	return echo, nil
}

func (e *Echo) consistent() bool {
	loopMicros := e.LoopNanos / 1000
	return loopMicros > 0 && loopMicros <= maxPeriodMicros && e.SentNanos > 0 &&
		e.HeldNanos >= 0 && e.HeldNanos <= maxHeld.Nanoseconds() && (e.Answer || e.HeldNanos == 0)
}
