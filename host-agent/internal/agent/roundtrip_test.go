// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// farAgent stands in for the agent of another host.
type farAgent struct {
	h       *host
	capture *testnet.Capture
	sender  *testnet.Sender
	encoder wire.Encoder
	decoder *wire.Decoder
	// keys and address are of one that is certified.
	keys    *wire.Keyring
	address netip.Addr
	buffer  [wire.MaxFrameLength]byte
}

func newFarAgent(h *host) *farAgent {
	return &farAgent{
		h: h, capture: testnet.NewCapture(h.t, h.far), sender: testnet.NewSender(h.t, h.far),
		encoder: wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true},
		decoder: wire.NewDecoder(testProtocol, &wire.Keyring{}, true),
	}
}

var (
	ownMAC  = wire.MAC{2, 0, 0, 0, 0, 1}
	peerMAC = wire.MAC{2, 0, 0, 0, 0, 5}
)

func (f *farAgent) send(length int, err error) {
	f.h.t.Helper()
	if err != nil {
		f.h.t.Fatal(err)
	}
	f.sender.Send(f.buffer[:length])
}

func (f *farAgent) feedBack(sequence, packets, cePackets uint64) {
	message := model.Feedback{
		Pair: model.Pair{Source: ownIP, Destination: peerIP}, Instance: 7, Sequence: sequence,
		PeriodNanos: 2_500_000, Packets: packets, CEPackets: cePackets, Bytes: 1000 * packets,
	}
	f.send(f.encoder.EncodeFeedback(f.buffer[:], &message, peerMAC, ownMAC))
}

// nextEcho waits for an echo on the wire.
func (f *farAgent) nextEcho() wire.Echo {
	f.h.t.Helper()
	for {
		frame := f.capture.Next(eventually, testnet.IPProtocol(testProtocol))
		message, err := f.decoder.DecodeFrame(0, frame)
		if err != nil {
			f.h.t.Fatal(err)
		}
		if message.Kind == wire.KindEcho {
			if wire.MAC(frame[:6]) != peerMAC || wire.MAC(frame[6:12]) != ownMAC {
				f.h.t.Errorf("MACs %x", frame[:12])
			}
			return message.Echo
		}
	}
}

func TestTauFollowsTheMeasuredRoundTrip(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { c.TauMicros = 0 }).run()
	if tau := h.status().TauMicros; tau != 2500 {
		t.Errorf("tau %d us before anything is measured, want 2500", tau)
	}
	far := newFarAgent(h)
	far.feedBack(1, 10, 0)
	question := far.nextEcho()
	if question.Answer || question.Pair != (model.Pair{Source: ownIP, Destination: peerIP}) || question.LoopNanos != 2_500_000 {
		t.Fatalf("%+v, want a question about the pair", question)
	}
	const way = 3 * time.Millisecond
	time.Sleep(way) // the way there and back
	question.Answer = true
	far.send(far.encoder.EncodeEcho(far.buffer[:], &question, peerMAC, ownMAC))
	testnet.Until(t, "tau is five round trips, at most 20 ms", func() bool {
		s := h.status()
		want := min(5*s.RoundTripMicros, 20_000)
		return s.RoundTripMicros >= way.Microseconds() && s.TauMicros > want-6 && s.TauMicros < want+6
	})
}

func TestEchoesAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	far := newFarAgent(h)
	question := wire.Echo{
		Pair: model.Pair{Source: peerIP, Destination: ownIP}, Sequence: 5, LoopNanos: 9_000_000, SentNanos: 4711,
	}
	far.send(far.encoder.EncodeEcho(far.buffer[:], &question, peerMAC, ownMAC))
	answer := far.nextEcho()
	if !answer.Answer || answer.Pair != question.Pair || answer.Sequence != 5 || answer.SentNanos != 4711 ||
		answer.LoopNanos != 2_500_000 || answer.HeldNanos <= 0 || answer.HeldNanos > eventually.Nanoseconds() {
		t.Errorf("%+v does not answer %+v", answer, question)
	}
	stranger := question
	stranger.Pair.Destination, stranger.Sequence = otherIP, 6
	far.send(far.encoder.EncodeEcho(far.buffer[:], &stranger, peerMAC, ownMAC))
	question.Sequence = 7
	far.send(far.encoder.EncodeEcho(far.buffer[:], &question, peerMAC, ownMAC))
	if answer := far.nextEcho(); answer.Sequence != 7 {
		t.Errorf("%+v: a question about nobody was answered", answer)
	}
}
