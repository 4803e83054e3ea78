// SPDX-License-Identifier: Apache-2.0

package port

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// classifier runs the program that chooses among queues, with some destinations in background queues.
type classifier struct {
	program *ebpf.Program
	queues  map[netip.Addr]uint32
}

func newClassifier(t testing.TB) *classifier {
	t.Helper()
	objects, state := loaded(t)
	setLevels(state, []uint8{firstDSCP, lastDSCP})
	state.BufferPackets, state.FirstBackgroundClass, state.HasBackground = 100, htb.FirstBackgroundClass, 1
	c := &classifier{objects.MarkByLevel, map[netip.Addr]uint32{testAddresses[1]: 7, testAddresses[3]: 8}}
	for address, queue := range c.queues {
		if err := objects.Destinations.Put(address.As16(), bpfDestination{Queue: queue}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// want is the class that a frame belongs to, computed independently of the program.
func (c *classifier) want(frame []byte) uint32 {
	const own = htb.FirstLevelClass + 1
	ip := frame[testnet.EthernetBytes:]
	var dscp uint8
	var destination netip.Addr
	switch binary.BigEndian.Uint16(frame[12:]) {
	case 0x0800:
		dscp, destination = ip[1]>>2, netip.AddrFrom4([4]byte(ip[16:20]))
	case 0x86dd:
		dscp, destination = uint8(binary.BigEndian.Uint16(ip)>>6&63), netip.AddrFrom16([16]byte(ip[24:40]))
	default:
		return own
	}
	if dscp == firstDSCP {
		return htb.FirstLevelClass
	}
	if queue, is := c.queues[destination]; is {
		return htb.FirstBackgroundClass + queue
	}
	return own
}

// check runs a frame of which the fuzzer gives all from the type on.
func (c *classifier) check(t *testing.T, data []byte) {
	if len(data) < 2 || len(data) > maxFuzzed {
		return
	}
	frame := append(make([]byte, 12), data...)
	needed := map[uint16]int{0x0800: 20, 0x86dd: 40}[binary.BigEndian.Uint16(frame[12:])]
	if len(frame) < testnet.EthernetBytes+needed {
		return // the kernel runs no program on it
	}
	verdict, class, after := runWithContext(t, c.program, frame)
	if verdict != fuzzNext || !bytes.Equal(frame, after) {
		t.Errorf("verdict %d, changed to\n%x\n%x", verdict, after, frame)
	}
	if want := c.want(frame); class != want {
		t.Errorf("class %x, want %x: %x", class, want, frame)
	}
}

func FuzzClass(f *testing.F) {
	c := newClassifier(f)
	for _, seed := range seedFrames() {
		f.Add(seed[1:])
	}
	f.Fuzz(c.check)
}

func TestClassificationOfRandomFrames(t *testing.T) {
	c := newClassifier(t)
	random := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		seeds := seedFrames()
		data := seeds[random.IntN(len(seeds))][1:]
		for range random.IntN(4) {
			data[random.IntN(min(len(data), 48))] = byte(random.Uint32())
		}
		if random.IntN(8) == 0 {
			data = data[:random.IntN(len(data))]
		}
		if random.IntN(2) == 0 && len(data) > 3 {
			data[3] = byte(firstDSCP<<2) | data[3]&3 // of IPv4
		}
		if c.check(t, data); t.Failed() {
			return
		}
	}
}
