// SPDX-License-Identifier: Apache-2.0

package port

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	fuzzNext = 0xffffffff
	fuzzDrop = 2
	// maxFuzzed is what a test run takes as one piece, at least.
	maxFuzzed = 2000
)

// marker runs the marking program behind a queue that is always above its threshold.
type marker struct {
	program *ebpf.Program
	state   *bpfPort
}

func newMarker(t testing.TB) *marker {
	t.Helper()
	objects, state := loaded(t)
	m := &marker{objects.MarkByPhantom, state}
	m.state.ThresholdPackets, m.state.BufferPackets = 1, 1000
	return m
}

// check runs a frame of which the fuzzer gives all from the type on.
func (m *marker) check(t *testing.T, data []byte) {
	if len(data) < 3 || len(data) > maxFuzzed {
		return
	}
	m.state.DropNotEct = uint32(data[0] & 1)
	m.state.PhantomBytes, m.state.BytesPerSecond = 1<<20, 1
	frame := append(make([]byte, 12), data[1:]...)
	needed := map[uint16]int{0x0800: 20, 0x86dd: 40}[binary.BigEndian.Uint16(frame[12:])]
	if len(frame) < testnet.EthernetBytes+needed {
		return // the kernel runs no program on it
	}
	out := make([]byte, len(frame)+64)
	options := ebpf.RunOptions{Data: frame, DataOut: out}
	verdict, err := m.program.Run(&options)
	if err != nil {
		t.Fatalf("%v: %x", err, frame)
	}
	after := options.DataOut
	isIP := needed > 0 && int(frame[14]>>4) == map[int]int{20: 4, 40: 6}[needed]
	ecn := uint8(0)
	if isIP {
		ecn = testnet.ECNOf(frame)
	}
	switch {
	case verdict == fuzzDrop && (m.state.DropNotEct == 0 || ecn != testnet.NotECT || !isIP):
		t.Errorf("dropped for no reason: %x", frame)
	case verdict != fuzzDrop && verdict != fuzzNext:
		t.Errorf("verdict %d: %x", verdict, frame)
	case verdict == fuzzNext && bytes.Equal(frame, after):
	case verdict == fuzzNext && (!isIP || ecn == testnet.NotECT || ecn == testnet.CE || testnet.ECNOf(after) != testnet.CE):
		t.Errorf("ECN %d: changed\n%x\n%x", ecn, frame, after)
	case verdict == fuzzNext:
		onlyMarked(t, frame, after)
	}
}

func onlyMarked(t *testing.T, before, after []byte) {
	t.Helper()
	restored := bytes.Clone(after)
	copy(restored[15:16], before[15:16])
	if before[14]>>4 == 4 {
		copy(restored[24:26], before[24:26])
		end := testnet.EthernetBytes + 4*int(before[14]&15)
		if end <= len(before) && testnet.Sum(before[14:end])%0xffff != testnet.Sum(after[14:end])%0xffff {
			t.Errorf("header checksum\n%x\n%x", before, after)
		}
	}
	if (before[15]^after[15])&^0x33 != 0 || !bytes.Equal(restored, before) {
		t.Errorf("more than the ECN field changed\n%x\n%x", before, after)
	}
}

var testAddresses = []netip.Addr{
	netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.5"),
	netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5"),
}

func seedFrames() [][]byte {
	var seeds [][]byte
	for _, ecn := range []uint8{testnet.NotECT, testnet.ECT0, testnet.ECT1, testnet.CE} {
		for _, frame := range []testnet.Frame{
			{Source: testAddresses[0], Destination: testAddresses[1], Protocol: testnet.UDP, ECN: ecn, PayloadBytes: 20},
			{Source: testAddresses[2], Destination: testAddresses[3], Protocol: testnet.TCP, ECN: ecn, PayloadBytes: 20},
		} {
			seeds = append(seeds, append([]byte{ecn & 1}, frame.Build()[12:]...))
		}
	}
	return seeds
}

func FuzzMark(f *testing.F) {
	m := newMarker(f)
	for _, seed := range seedFrames() {
		f.Add(seed)
	}
	f.Fuzz(m.check)
}

func TestMarkingOfRandomFrames(t *testing.T) {
	m := newMarker(t)
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		seeds := seedFrames()
		data := seeds[random.IntN(len(seeds))]
		for range random.IntN(4) {
			data[random.IntN(min(len(data), 48))] = byte(random.Uint32())
		}
		if random.IntN(8) == 0 {
			data = data[:random.IntN(len(data))]
		}
		if m.check(t, data); t.Failed() {
			return
		}
	}
}
