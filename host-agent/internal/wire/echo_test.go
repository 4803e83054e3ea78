// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func question(sequence uint64) Echo {
	return Echo{Pair: sample(1).Pair, Sequence: sequence, LoopNanos: 2_500_000, SentNanos: 123_456_789}
}

func answer(sequence uint64) Echo {
	echo := question(sequence)
	echo.Answer, echo.HeldNanos = true, 1_000_000
	return echo
}

func (l *link) encodeEcho(t *testing.T, echo Echo) []byte {
	t.Helper()
	n, err := l.encoder.EncodeEcho(l.buffer[:], &echo, sourceMAC, receiverMAC)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(l.buffer[:n])
}

func TestEchoesAreDecodedAsEncoded(t *testing.T) {
	l := newLink(t)
	six := question(2)
	six.Pair = model.Pair{Source: netip.MustParseAddr("fd00::1"), Destination: netip.MustParseAddr("fd00::5")}
	for _, want := range []Echo{question(1), answer(1), six} {
		got, err := l.decoder.DecodeFrame(1, l.encodeEcho(t, want))
		if err != nil || got.Kind != KindEcho || got.Echo != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestEchoLayout(t *testing.T) {
	l := newLink(t)
	for _, c := range []struct {
		echo Echo
		want []string
	}{
		{question(0x1122334455667788), []string{"0a000001" + "0a000005", "01030100" + "8056a247" + "00000000" + "000009c4",
			"1122334455667788", "00000000075bcd15", "0000000000000000", "0000000000000000"}},
		{answer(0x1122334455667788), []string{"0a000005" + "0a000001", "01040100" + "8056a247" + "00000000" + "000009c4",
			"1122334455667788", "00000000075bcd15", "00000000000f4240", "0000000000000000"}},
	} {
		frame := l.encodeEcho(t, c.echo)
		want := strings.Join(c.want, "")
		if got := hex.EncodeToString(frame[ethernetLength+12 : len(frame)-authenticatorLength]); got != want {
			t.Errorf("addresses and message\n%s, want\n%s", got, want)
		}
	}
}

func TestEchoesAreAcceptedOnce(t *testing.T) {
	l := newLink(t)
	feedback, request, reply := l.encode(t, sample(5)), l.encodeEcho(t, question(5)), l.encodeEcho(t, answer(5))
	// Of the same pair, with the same sequence: each type has its own.
	for _, frame := range [][]byte{feedback, request, reply} {
		if _, err := l.decoder.DecodeFrame(1, frame); err != nil {
			t.Fatal(err)
		}
		if _, err := l.decoder.DecodeFrame(1, frame); !errors.Is(err, ErrReplayed) {
			t.Errorf("%v, want %v", err, ErrReplayed)
		}
	}
}

func TestEveryChangedBitOfAnEchoIsRefused(t *testing.T) {
	l := newLink(t)
	frame := l.encodeEcho(t, answer(9))
	for bit := ethernetLength * 8; bit < len(frame)*8; bit++ {
		changed := bytes.Clone(frame)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := l.decoder.DecodeFrame(1, changed); err == nil {
			t.Errorf("accepted with byte %d changed", bit/8)
		}
	}
}

func TestInconsistentEchoesAreNotEncoded(t *testing.T) {
	l := newLink(t)
	for name, change := range map[string]func(*Echo){
		"no loop":            func(e *Echo) { e.LoopNanos = 0 },
		"sent never":         func(e *Echo) { e.SentNanos = 0 },
		"a question held":    func(e *Echo) { e.HeldNanos = 1 },
		"held for an hour":   func(e *Echo) { e.Answer, e.HeldNanos = true, time.Hour.Nanoseconds() },
		"held for less than": func(e *Echo) { e.Answer, e.HeldNanos = true, -1 },
	} {
		echo := question(1)
		change(&echo)
		if _, err := l.encoder.EncodeEcho(l.buffer[:], &echo, sourceMAC, receiverMAC); !errors.Is(err, ErrInconsistent) {
			t.Errorf("%s: %v, want %v", name, err, ErrInconsistent)
		}
	}
}
