// SPDX-License-Identifier: Apache-2.0

package segment

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

var (
	timestamp = []byte{1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8}
	sack      = []byte{1, 1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 99}
)

func frame(flags uint8, options []byte) testnet.Frame {
	return testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.5"), Destination: netip.MustParseAddr("10.0.0.1"), Protocol: testnet.TCP,
		SourcePort: 80, Port: 1000, TCPFlags: flags, Sequence: 0xfffffff0, Acknowledgement: 77, Window: 500,
		ECN: testnet.CE, TCPOptions: options,
	}
}

func frame6(flags uint8, options []byte) testnet.Frame {
	f := frame(flags, options)
	f.Source, f.Destination = netip.MustParseAddr("fd00::5"), netip.MustParseAddr("fd00::1")
	return f
}

var families = map[string]func(uint8, []byte) testnet.Frame{"IPv4": frame, "IPv6": frame6}

func parse(t *testing.T, raw []byte) Header {
	t.Helper()
	h, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// check reads a frame that was made.
func check(t *testing.T, made []byte, like testnet.Frame, sequence uint32, window uint16, options []byte) {
	t.Helper()
	h := parse(t, made)
	tcp := h.transport
	if !testnet.HeaderIntact(made) || !like.SegmentIntact(made) {
		t.Errorf("a checksum is wrong: %x", made)
	}
	if tcp[13] != testnet.ACK || binary.BigEndian.Uint32(tcp[4:]) != sequence || h.Acknowledgement() != 77 ||
		testnet.WindowOf(made) != window || !bytes.Equal(tcp[20:], options) || testnet.ECNOf(made) != testnet.NotECT {
		t.Errorf("%x: want sequence %d, window %d, options %x", made, sequence, window, options)
	}
	if len(made) != len(h.network)+len(tcp) {
		t.Errorf("%d bytes follow", len(made)-len(h.network)-len(tcp))
	}
}

func TestAnUpdateRepeatsThePeersSegment(t *testing.T) {
	for name, build := range families {
		t.Run(name, func(t *testing.T) {
			options := append(append([]byte{}, timestamp...), sack...)
			f := build(testnet.ACK|8, options)
			f.PayloadBytes = 100
			check(t, parse(t, f.Build()).Update(5), build(testnet.ACK, nil), 5, 500, options)
		})
	}
}

// A SYN-ACK's window is not scaled, and most of its options are of no use afterwards.
func TestAnUpdateAfterASynAck(t *testing.T) {
	f := frame(testnet.SYN|testnet.ACK, append([]byte{2, 4, 5, 0xb4, 1, 3, 3, 7, 4, 2, 1, 1}, timestamp...))
	f.Window = 65535
	check(t, parse(t, f.Build()).Update(1), frame(0, nil), 1, 511, timestamp)
}

func TestDuplicates(t *testing.T) {
	for name, build := range families {
		t.Run(name, func(t *testing.T) {
			h := parse(t, build(testnet.ACK, append(append([]byte{}, timestamp...), sack...)).Build())
			check(t, h.Repeat(9, nil), build(0, nil), 9, 500, timestamp)
			block := []byte{1, 1, 5, 10, 0, 0, 1, 0, 0, 0, 2, 0}
			check(t, h.Repeat(9, &Block{0x100, 0x200}), build(0, nil), 9, 500, append(append([]byte{}, timestamp...), block...))
		})
	}
}

func TestSackBlocksBehindAHole(t *testing.T) {
	for name, build := range families {
		t.Run(name, func(t *testing.T) {
			// 50 to 60 came twice, 0xfffffff0 to 20 lies across the wrap, 200 to 300 behind it.
			options := []byte{
				1, 1, 5, 26, 0, 0, 0, 50, 0, 0, 0, 60, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 20, 0, 0, 0, 200, 0, 0, 1, 44,
			}
			h := parse(t, build(testnet.ACK, options).Build())
			for from, want := range map[uint32]Block{
				0xffffff00: {50, 60}, 50: {50, 60}, 51: {200, 300}, 200: {200, 300},
			} {
				if got, found := h.BlockBehind(from); !found || got != want {
					t.Errorf("behind %d: %v, %v, want %v", from, got, found, want)
				}
			}
			if got, found := h.BlockBehind(201); found {
				t.Errorf("behind 201: %v, want none", got)
			}
			none := parse(t, build(testnet.ACK, timestamp).Build())
			if got, found := none.BlockBehind(0); found {
				t.Errorf("without SACK: %v", got)
			}
			empty := parse(t, build(testnet.ACK, []byte{1, 1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 9}).Build())
			if got, found := empty.BlockBehind(0); found {
				t.Errorf("of no bytes: %v", got)
			}
		})
	}
}

func TestOffloadedChecksumsAreCompleted(t *testing.T) {
	for name, build := range families {
		t.Run(name, func(t *testing.T) {
			f := build(testnet.SYN|testnet.ACK, timestamp)
			whole := f.Build()
			h := parse(t, whole)
			at := len(h.network) + 16
			partial := bytes.Clone(whole)
			binary.BigEndian.PutUint16(partial[at:], h.pseudo(h.network[ethernetBytes:], len(h.transport)))
			Complete(partial)
			if !bytes.Equal(partial, whole) {
				t.Errorf("%x, want %x", partial, whole)
			}
			wrong := bytes.Clone(whole)
			wrong[at] ^= 1
			kept := bytes.Clone(wrong)
			Complete(wrong)
			if !bytes.Equal(wrong, kept) {
				t.Error("a wrong checksum was made right")
			}
		})
	}
}

func TestFramesThatAreNoTCPSegmentAreRefused(t *testing.T) {
	good := frame(testnet.ACK, timestamp).Build()
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":              func([]byte) []byte { return nil },
		"short":              func(b []byte) []byte { return b[:50] },
		"options cut short":  func(b []byte) []byte { return b[:len(b)-1] },
		"ARP":                func(b []byte) []byte { b[13] = 6; return b },
		"IPv4 of length 16":  func(b []byte) []byte { b[14] = 0x44; return b },
		"IPv6 says IPv4":     func(b []byte) []byte { b[12], b[13] = 0x86, 0xdd; return b },
		"UDP":                func(b []byte) []byte { b[23] = 17; return b },
		"a fragment":         func(b []byte) []byte { b[20] = 0x20; return b },
		"a later fragment":   func(b []byte) []byte { b[21] = 1; return b },
		"TCP of length 16":   func(b []byte) []byte { b[46] = 0x40; return b },
		"TCP beyond the end": func(b []byte) []byte { b[46] = 0xf0; return b },
	} {
		if _, err := Parse(spoil(bytes.Clone(good))); err == nil {
			t.Errorf("%s: taken for a segment", name)
		}
	}
}

// FuzzSegment has anything taken for a peer's acknowledgement: what is made of it is a whole one.
func FuzzSegment(f *testing.F) {
	for _, build := range families {
		f.Add(build(testnet.ACK, timestamp).Build(), uint32(1))
		f.Add(build(testnet.SYN|testnet.ACK, []byte{3, 3, 20, 8, 0}).Build(), uint32(1))
	}
	f.Fuzz(func(t *testing.T, raw []byte, sequence uint32) {
		Complete(bytes.Clone(raw))
		h, err := Parse(raw)
		if err != nil {
			return
		}
		for _, made := range [][]byte{h.Update(sequence), h.Repeat(sequence, nil), h.Repeat(sequence, &Block{1, 2})} {
			again, err := Parse(made)
			if err != nil {
				t.Fatalf("%v: %x", err, made)
			}
			ip := again.network[ethernetBytes:]
			if sum(again.pseudo(ip, len(again.transport)), again.transport) != 0xffff {
				t.Errorf("TCP checksum: %x", made)
			}
			if !again.ipv6 && sum(0, ip) != 0xffff {
				t.Errorf("IP checksum: %x", made)
			}
		}
	})
}
