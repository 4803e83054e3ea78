// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const maxPeriodMicros = 60_000_000

// NextSequence is the sequence number of a message: the time, more than the one before. The time is one that
// never goes back, clock.Steady's. A receiver takes lower numbers for repetitions as long as the sender's agent
// runs, of all of its pairs when it has forgotten some.
func NextSequence(before uint64, steadyNanos int64) uint64 { return max(before+1, uint64(steadyNanos)) }

// EncodeFeedback writes the whole Ethernet frame into buffer, which must hold MaxFrameLength bytes,
// and returns its length. from is the MAC of the pair's destination, whose host sends this, to that
// of its source. It allocates nothing.
func (e *Encoder) EncodeFeedback(buffer []byte, feedback *model.Feedback, from, to MAC) (int, error) {
	periodMicros := min(max(feedback.PeriodNanos/1000, 1), maxPeriodMicros)
	d, err := e.begin(buffer, typeFeedback, feedback.Pair.Destination, feedback.Pair.Source, from, to)
	if err != nil {
		return 0, err
	}
	if feedback.Packets == 0 || feedback.CEPackets > feedback.Packets || feedback.Bytes < feedback.Packets {
		return 0, ErrInconsistent
	}
	binary.BigEndian.PutUint32(d.message[8:], feedback.Instance)
	binary.BigEndian.PutUint32(d.message[12:], uint32(periodMicros))
	binary.BigEndian.PutUint64(d.message[16:], feedback.Sequence)
	binary.BigEndian.PutUint64(d.message[24:], feedback.Packets)
	binary.BigEndian.PutUint64(d.message[32:], feedback.CEPackets)
	binary.BigEndian.PutUint64(d.message[40:], feedback.Bytes)
	return e.seal(d), nil
}

func readFeedback(pair model.Pair, message []byte) (model.Feedback, error) {
	periodMicros := binary.BigEndian.Uint32(message[12:])
	feedback := model.Feedback{
		Pair:        pair,
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
	return feedback, nil
}
