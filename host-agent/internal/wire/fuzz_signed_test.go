// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzForge changes a signed message at will: one whose signed part differs is never accepted, and
// none twice.
func FuzzForge(f *testing.F) {
	l := &link{encoder: Encoder{Protocol: DefaultProtocol, Keys: &Keyring{}}}
	if err := l.encoder.Keys.Add(keyOf(3, 0xaa)); err != nil {
		f.Fatal(err)
	}
	feedback, echo, share := sample(1), question(1), passedOn(1)
	var genuine [][]byte
	for _, encode := range []func() (int, error){
		func() (int, error) { return l.encoder.EncodeFeedback(l.buffer[:], &feedback, receiverMAC, sourceMAC) },
		func() (int, error) { return l.encoder.EncodeEcho(l.buffer[:], &echo, receiverMAC, sourceMAC) },
		func() (int, error) { return l.encoder.EncodeShare(l.buffer[:], &share, receiverMAC, sourceMAC) },
	} {
		n, err := encode()
		if err != nil {
			f.Fatal(err)
		}
		genuine = append(genuine, bytes.Clone(l.buffer[:n]))
	}
	f.Add(uint8(0), uint16(0), []byte{})
	f.Add(uint8(1), uint16(20), []byte{1})
	f.Add(uint8(2), uint16(40), []byte{0, 0, 1})
	f.Add(uint8(0), uint16(100), []byte{0xff, 1, 2, 3})
	f.Fuzz(func(t *testing.T, which uint8, at uint16, change []byte) {
		original := genuine[int(which)%len(genuine)]
		frame := bytes.Clone(original)
		for i, bits := range change {
			frame[(int(at)+i)%len(frame)] ^= bits
		}
		decoder := NewDecoder(DefaultProtocol, l.encoder.Keys, false)
		if _, err := decoder.DecodeFrame(1, frame); err != nil {
			if bytes.Equal(frame, original) {
				t.Fatalf("a genuine message is refused: %v", err)
			}
			return
		}
		// IPv4: the addresses, and the message with its authenticator.
		const signed = ethernetLength + 12
		if !bytes.Equal(frame[signed:], original[signed:]) {
			t.Fatalf("a forgery is accepted\n%x\n%x", frame, original)
		}
		if _, err := decoder.DecodeFrame(1, frame); !errors.Is(err, ErrReplayed) {
			t.Fatalf("the second time: %v, want %v", err, ErrReplayed)
		}
	})
}
