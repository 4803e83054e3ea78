// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func FuzzDecode(f *testing.F) {
	l := newLink(f)
	for _, pair := range []model.Pair{
		sample(1).Pair,
		{Source: netip.MustParseAddr("fd00::1"), Destination: netip.MustParseAddr("fd00::5")},
	} {
		feedback := sample(1)
		feedback.Pair = pair
		n, err := l.encoder.EncodeFeedback(l.buffer[:], &feedback, receiverMAC, sourceMAC)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(l.buffer[:n]))
		f.Add(bytes.Clone(l.buffer[:n-1]))
	}
	for _, echo := range []Echo{question(1), answer(1)} {
		n, err := l.encoder.EncodeEcho(l.buffer[:], &echo, receiverMAC, sourceMAC)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(l.buffer[:n]))
	}
	for _, share := range []Share{passedOn(1), {
		Pair: model.Pair{Source: netip.MustParseAddr("fd00::1"), Destination: netip.MustParseAddr("fd00::5")},
		Port: "of:ffffffffffffffff/4294967040", UnitShareBitsPerSecond: 1, CapacityBitsPerSecond: maxRateBitsPerSecond,
	}} {
		n, err := l.encoder.EncodeShare(l.buffer[:], &share, receiverMAC, sourceMAC)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(l.buffer[:n]))
		f.Add(unsigned(l.buffer[:n]))
	}
	n, err := l.encoder.EncodeIntroduction(l.buffer[:], &Introduction{From: destinationVM, To: sourceVM, Request: 1, Answer: 2},
		receiverMAC, sourceMAC)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(l.buffer[:n]))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, frame []byte) {
		// Without a key any well-formed message is accepted, so that the fuzzer gets to the end; what
		// is accepted must be encoded to the same message again.
		decoder := NewDecoder(DefaultProtocol, &Keyring{}, true)
		message, err := decoder.DecodeFrame(1, frame)
		if err != nil {
			return
		}
		encoder := Encoder{Protocol: DefaultProtocol, Keys: &Keyring{}, AllowUnsigned: true}
		var buffer [MaxFrameLength]byte
		n, length := 0, MessageLength
		from, to := MAC(frame[6:12]), MAC(frame[:6])
		switch message.Kind {
		case KindEcho:
			n, err = encoder.EncodeEcho(buffer[:], &message.Echo, from, to)
		case KindShare:
			n, err = encoder.EncodeShare(buffer[:], &message.Share, from, to)
		case KindCertificate:
			n, err = encoder.EncodeIntroduction(buffer[:], &message.Introduction, from, to)
			length = certificateLength
		default:
			n, err = encoder.EncodeFeedback(buffer[:], &message.Feedback, from, to)
		}
		if err != nil {
			t.Fatalf("accepted, but cannot be encoded: %v, %+v", err, message)
		}
		if !bytes.Equal(buffer[n-length:n], frame[n-length:n]) {
			t.Fatalf("accepted\n%x, encodes to\n%x", frame, buffer[:n])
		}
	})
}

// unsigned is a frame as an agent without keys sends it: what the fuzz target accepts.
func unsigned(frame []byte) []byte {
	frame = bytes.Clone(frame)
	message := frame[len(frame)-MessageLength:]
	message[2] = 0
	clear(message[4:8])
	clear(message[signedLength:])
	return frame
}

func BenchmarkEncodeAndDecode(b *testing.B) {
	l := newLink(b)
	feedback := sample(1)
	var buffer [MaxFrameLength]byte
	for b.Loop() {
		feedback.Sequence++
		n, _ := l.encoder.EncodeFeedback(buffer[:], &feedback, receiverMAC, sourceMAC)
		if _, err := l.decoder.DecodeFrame(1, buffer[:n]); err != nil {
			b.Fatal(err)
		}
	}
}
