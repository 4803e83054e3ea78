// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func passedOn(sequence uint64) Share {
	return Share{
		Pair: sample(1).Pair, Sequence: sequence, Port: "of:00000000000000a1/5",
		UnitShareBitsPerSecond: 12_500_000, CapacityBitsPerSecond: 50_000_000, ActiveWeight: 4.5,
	}
}

func (l *link) encodeShare(t *testing.T, share Share) []byte {
	t.Helper()
	n, err := l.encoder.EncodeShare(l.buffer[:], &share, receiverMAC, sourceMAC)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(l.buffer[:n])
}

func TestSharesAreDecodedAsEncoded(t *testing.T) {
	l := newLink(t)
	six := passedOn(2)
	six.Pair = model.Pair{Source: netip.MustParseAddr("fd00::1"), Destination: netip.MustParseAddr("fd00::5")}
	bounds := passedOn(3)
	bounds.Port, bounds.UnitShareBitsPerSecond = "of:ffffffffffffffff/4294967040", maxRateBitsPerSecond
	bounds.CapacityBitsPerSecond, bounds.ActiveWeight = 1, 0
	stale := passedOn(4)
	stale.Stale, stale.CapacityBitsPerSecond = true, maxRateBitsPerSecond
	for _, want := range []Share{passedOn(1), six, bounds, stale} {
		got, err := l.decoder.DecodeFrame(1, l.encodeShare(t, want))
		if err != nil || got.Kind != KindShare || got.Share != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestShareLayout(t *testing.T) {
	l := newLink(t)
	frame := l.encodeShare(t, passedOn(0x1122334455667788))
	want := strings.Join([]string{"0a000005" + "0a000001", "01050100" + "8056a247" + "00000005" + "40900000",
		"1122334455667788", "00000000000000a1", "0000000000bebc20", "0000000002faf080"}, "")
	if got := hex.EncodeToString(frame[ethernetLength+12 : len(frame)-authenticatorLength]); got != want {
		t.Errorf("addresses and message\n%s, want\n%s", got, want)
	}
}

func TestSharesAreAcceptedOnce(t *testing.T) {
	l := newLink(t)
	// Of the same pair, with the same sequence: each type has its own.
	for _, frame := range [][]byte{l.encode(t, sample(5)), l.encodeShare(t, passedOn(5))} {
		if _, err := l.decoder.DecodeFrame(1, frame); err != nil {
			t.Fatal(err)
		}
		if _, err := l.decoder.DecodeFrame(1, frame); !errors.Is(err, ErrReplayed) {
			t.Errorf("%v, want %v", err, ErrReplayed)
		}
	}
}

func TestEveryChangedBitOfAShareIsRefused(t *testing.T) {
	l := newLink(t)
	frame := l.encodeShare(t, passedOn(9))
	for bit := ethernetLength * 8; bit < len(frame)*8; bit++ {
		changed := bytes.Clone(frame)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := l.decoder.DecodeFrame(1, changed); err == nil {
			t.Errorf("accepted with byte %d changed", bit/8)
		}
	}
}

func TestOnlyOpenFlowPortsAreEncodable(t *testing.T) {
	for _, port := range []model.Port{"of:0000000000000001/1", "of:ffffffffffffffff/4294967040"} {
		if !IsEncodable(port) {
			t.Errorf("%q is not encodable", port)
		}
	}
	for _, port := range []model.Port{"", "of:0000000000000001", "of:0000000000000001/", "of:0000000000000001/0",
		"of:1/1", "of:00000000000000A1/1", "of:0000000000000001/01", "of:0000000000000001/+1",
		"of:0000000000000001/1/2", "of:0000000000000001/4294967041", "of:00000000000000001/1",
		"OF:0000000000000001/1", "rest:10.0.0.1/1", "of:0000000000000001/eth0", "s/1"} {
		if IsEncodable(port) {
			t.Errorf("%q is encodable", port)
		}
		share := passedOn(1)
		share.Port = port
		l := newLink(t)
		if _, err := l.encoder.EncodeShare(l.buffer[:], &share, receiverMAC, sourceMAC); !errors.Is(err, ErrInconsistent) {
			t.Errorf("%q: %v, want %v", port, err, ErrInconsistent)
		}
	}
}

func TestInconsistentSharesAreNotEncoded(t *testing.T) {
	l := newLink(t)
	for name, change := range map[string]func(*Share){
		"no share":            func(s *Share) { s.UnitShareBitsPerSecond = 0 },
		"too large a share":   func(s *Share) { s.UnitShareBitsPerSecond = maxRateBitsPerSecond + 1 },
		"no capacity":         func(s *Share) { s.CapacityBitsPerSecond = 0 },
		"too much capacity":   func(s *Share) { s.CapacityBitsPerSecond = maxRateBitsPerSecond + 1 },
		"negative weight":     func(s *Share) { s.ActiveWeight = -1 },
		"weight of no number": func(s *Share) { s.ActiveWeight = math.NaN() },
		"infinite weight":     func(s *Share) { s.ActiveWeight = math.Inf(1) },
		"weight of too much":  func(s *Share) { s.ActiveWeight = math.MaxFloat64 },
	} {
		share := passedOn(1)
		change(&share)
		if _, err := l.encoder.EncodeShare(l.buffer[:], &share, receiverMAC, sourceMAC); !errors.Is(err, ErrInconsistent) {
			t.Errorf("%s: %v, want %v", name, err, ErrInconsistent)
		}
	}
}

// What is signed may still be senseless: another agent may be of another version.
func TestInconsistentSharesAreRefused(t *testing.T) {
	for name, change := range map[string]func(message []byte){
		"port 0":              func(m []byte) { clear(m[8:12]) },
		"reserved port":       func(m []byte) { binary.BigEndian.PutUint32(m[8:], 0xffffff01) },
		"negative weight":     func(m []byte) { binary.BigEndian.PutUint32(m[12:], math.Float32bits(-0.5)) },
		"infinite weight":     func(m []byte) { binary.BigEndian.PutUint32(m[12:], 0x7f800000) },
		"weight of no number": func(m []byte) { binary.BigEndian.PutUint32(m[12:], 0x7fc00000) },
		"no share":            func(m []byte) { clear(m[32:40]) },
		"too large a share":   func(m []byte) { binary.BigEndian.PutUint64(m[32:], math.MaxUint64) },
		"no capacity":         func(m []byte) { clear(m[40:48]) },
		"too much capacity":   func(m []byte) { binary.BigEndian.PutUint64(m[40:], maxRateBitsPerSecond+1) },
	} {
		l := newLink(t)
		frame := unsigned(l.encodeShare(t, passedOn(1)))
		change(frame[len(frame)-MessageLength:])
		decoder := NewDecoder(DefaultProtocol, &Keyring{}, true)
		if _, err := decoder.DecodeFrame(1, frame); !errors.Is(err, ErrInconsistent) {
			t.Errorf("%s: %v, want %v", name, err, ErrInconsistent)
		}
		if _, err := l.decoder.DecodeFrame(1, frame); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%s, where there are keys: %v, want %v", name, err, ErrUnsigned)
		}
	}
}
