// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// FuzzForge changes a signed message at will: one whose signed part differs is never accepted, and
// none twice.
func FuzzForge(f *testing.F) {
	l := newLink(f)
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
		decoder := l.newDecoder()
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

// FuzzCertificate changes a certificate at will: one whose signed part differs is never accepted, nor is the
// true one for another address.
func FuzzCertificate(f *testing.F) {
	l := newLink(f)
	genuine := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)
	n, err := l.encoder.EncodeIntroduction(l.buffer[:], genuine, receiverMAC, sourceMAC)
	if err != nil {
		f.Fatal(err)
	}
	original, authority := bytes.Clone(l.buffer[:n]), []model.AuthorityKey{l.authority.Key()}
	f.Add(uint16(0), []byte{})
	f.Add(uint16(ethernetLength+ipv4Length+32), []byte{1})
	f.Add(uint16(ethernetLength+12), []byte{0, 0, 0, 1})
	f.Add(uint16(ethernetLength+ipv4Length+8), []byte{0xff, 1, 2, 3})
	f.Fuzz(func(t *testing.T, at uint16, change []byte) {
		frame := bytes.Clone(original)
		for i, bits := range change {
			frame[(int(at)+i)%len(frame)] ^= bits
		}
		fresh := ringOf(t, otherFill)
		if err := fresh.SetAuthority(1, authority); err != nil {
			t.Fatal(err)
		}
		message, err := NewDecoder(DefaultProtocol, fresh, false).DecodeFrame(1, frame)
		if err == nil && message.Kind == KindCertificate {
			err = fresh.Accept(1, &message.Introduction)
		}
		if err != nil || message.Kind != KindCertificate {
			if bytes.Equal(frame, original) {
				t.Fatalf("a genuine certificate is refused: %v", err)
			}
			return
		}
		if message.Introduction.From != genuine.From || message.Introduction.Certificate != genuine.Certificate {
			t.Fatalf("a forgery is accepted\n%x\n%x", frame, original)
		}
	})
}
