// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// FuzzWindows plays a connection: handshakes as the fuzzer likes, acknowledgements that go forward,
// stand still or come late, limits and grants that come and go.
func FuzzWindows(f *testing.F) {
	fixture := newFixture(f)
	fuzzRecipes(f, fixture.checkWindows)
}

func TestRandomWindows(t *testing.T) { atRandom(t, newFixture(t).checkWindows) }

// offered follows what the endpoint was offered of its peer's window, as its own TCP does.
type offered struct {
	local, remote     bool // SYNs seen
	localScale, scale int  // -1: not sent
	edge              uint32
	known             bool
	acknowledged      uint32
}

// scaleOf is the scale among TCP options as RFC 7323 and RFC 9293 read them; ok is false for options
// that cannot be read.
func scaleOf(options []byte) (scale int, ok bool) {
	for at := 0; at < len(options); {
		switch kind := options[at]; {
		case kind == 0:
			return -1, true
		case kind == 1:
			at++
		case at+1 >= len(options) || options[at+1] < 2 || at+int(options[at+1]) > len(options):
			return -1, false
		case kind == 3:
			if options[at+1] != 3 {
				return -1, false
			}
			return min(int(options[at+2]), 14), true
		default:
			at += int(options[at+1])
		}
	}
	return -1, true
}

// optionsOf cuts the options out of a TCP frame as built.
func optionsOf(frame []byte) []byte {
	segment := frame[transportAt(frame):]
	return segment[20 : 4*int(segment[12]>>4)]
}

func (f *fixture) checkWindows(t *testing.T, data []byte) {
	f.t = t
	r := &recipe{data}
	f.SetEnforcing(true)
	f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true})
	f.SetWindow(endpointIndex, 0, htb.Window{})
	c := f.connection()
	if r.seldom() {
		c = f.connection6()
	}
	if err := f.Watch(true, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	defer f.unwatch(t)
	var known offered
	known.acknowledged = uint32(r.word()) << 16
	limited, granted := false, false
	play := func(inward bool, flags uint8, options []byte, window uint16) {
		frame := c.out
		if inward {
			frame = c.in
		}
		frame.TCPFlags, frame.TCPOptions, frame.Window = flags, options, window
		frame.Acknowledgement = known.acknowledged
		sent := frame.Build()
		if !inward {
			f.run(f.objects.FromVm, sent, skbContext{})
			known.follow(false, flags, optionsOf(sent))
			return
		}
		result := f.run(f.objects.ToVm, sent, skbContext{IngressIfindex: uplinkIfindex})
		known.follow(true, flags, optionsOf(sent))
		known.check(t, flags, sent, result.frame, limited || granted)
		was := readFrame(sent)
		withoutWindow(t, &was, sent, result.frame)
		if !frame.SegmentIntact(result.frame) {
			t.Errorf("TCP checksum: %x", result.frame)
		}
	}
	play(false, syn, r.tcpOptions(), r.word())
	play(true, synAck, r.tcpOptions(), r.word())
	for range min(len(r.rest)/4, 24) {
		switch r.pick(15) {
		case 0:
			play(false, syn, r.tcpOptions(), r.word())
		case 1:
			play(true, synAck, r.tcpOptions(), r.word())
		case 2:
			play(true, syn, r.tcpOptions(), r.word())
		case 3:
			play(false, synAck, r.tcpOptions(), r.word())
		case 4:
			f.SetWindow(endpointIndex, 0, htb.WindowOf(100_000*uint64(1+r.word()), 1+r.pick(4), 1500, 0))
			limited = true
		case 5:
			f.SetWindow(endpointIndex, 0, htb.Window{})
			limited = false
		case 12, 13:
			granted = f.grantAll(Grant{true, uint32(r.word()) << r.pick(8)}) || granted
		case 14:
			f.grantAll(Grant{})
			granted = false
		case 6, 7:
			known.acknowledged += uint32(r.word())
			play(true, testnet.ACK, nil, r.word())
		case 8:
			late := known.acknowledged
			known.acknowledged -= uint32(r.byte())
			play(true, testnet.ACK, nil, r.word())
			known.acknowledged = late
		default:
			play(true, testnet.ACK, nil, r.word())
		}
	}
}

// grantAll grants whatever is watched the same; false if nothing is.
func (f *fixture) grantAll(grant Grant) (any bool) {
	for c := range f.Connections() {
		f.SetGrant(c.Slot, grant, clock.Nanos())
		any = true
	}
	return any
}

// unwatch gives all slots back.
func (f *fixture) unwatch(t *testing.T) {
	now := clock.Nanos()
	if err := errors.Join(f.Watch(false, now), f.RecycleConnections(now+2*retirementNanos)); err != nil {
		t.Fatal(err)
	}
}

func (k *offered) follow(inward bool, flags uint8, options []byte) {
	if flags&testnet.SYN == 0 {
		return
	}
	if flags&testnet.ACK == 0 {
		*k = offered{acknowledged: k.acknowledged, scale: -1, localScale: -1}
	}
	scale, ok := scaleOf(options)
	if inward {
		k.remote, k.scale = ok, scale
	} else {
		k.local, k.localScale = ok, scale
	}
}

// check compares what came from the peer with what the endpoint got.
func (k *offered) check(t *testing.T, flags uint8, before, after []byte, limited bool) {
	t.Helper()
	at := transportAt(before)
	old, new := binary.BigEndian.Uint16(before[at+14:]), binary.BigEndian.Uint16(after[at+14:])
	if flags&testnet.ACK == 0 {
		if old != new {
			t.Errorf("window %d of a SYN became %d", old, new)
		}
		return
	}
	if old != new && (!limited || !k.local || !k.remote) {
		t.Errorf("window %d became %d: limited %v, SYNs seen %v, %v", old, new, limited, k.local, k.remote)
	}
	if !k.local || !k.remote {
		return
	}
	scale := 0
	if k.scale >= 0 && k.localScale >= 0 && flags&testnet.SYN == 0 {
		scale = k.scale
	}
	edge := k.acknowledged + uint32(new)<<scale
	if old != new && k.known && int32(edge-k.edge) < 0 {
		t.Errorf("window %d became %d at scale %d: its right edge is %d left of what was offered",
			old, new, scale, int32(k.edge-edge))
	}
	if !k.known || int32(edge-k.edge) > 0 {
		k.edge, k.known = edge, true
	}
}
