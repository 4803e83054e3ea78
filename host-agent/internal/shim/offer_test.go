// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"fmt"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	receivingShift = 22 // RECEIVING_SHIFT
	segment        = 1460
	testThreshold  = 20 * segment
	begunSegments  = 255 // BEGUN_SEGMENTS
)

// receiver is an endpoint behind an uplink of which next to nothing drains, so that it matters to no test how long it
// takes. K is 20 segments.
func (f *fixture) receiver() {
	f.SetReceiverWindows(1_000_000_000)
	f.state.At(0).OfferRate = 1
}

// sender is the n-th that connects to the endpoint.
func (f *fixture) sender(n int) *connection {
	c := f.connection()
	c.out.Port, c.in.SourcePort = uint16(20_000+n), uint16(20_000+n)
	return c
}

// offer passes what the endpoint sends on and returns the window that the peer sees.
func (c *connection) offer(flags uint8, options []byte, acknowledgement uint32, window uint16) uint16 {
	c.t.Helper()
	frame := c.out
	frame.TCPFlags, frame.TCPOptions = flags, options
	frame.Acknowledgement, frame.Window = acknowledgement, window
	result := c.fromVM(frame)
	if result.verdict != verdictNext || !frame.SegmentIntact(result.frame) || !testnet.HeaderIntact(result.frame) {
		c.t.Errorf("verdict %d; a checksum is wrong, or the packet went astray", result.verdict)
	}
	return testnet.WindowOf(result.frame)
}

// invite has the peer connect; the endpoint's SYN-ACK would offer 64 KB.
func (c *connection) invite(scale int) uint16 {
	c.t.Helper()
	c.receive(syn, scaleOption(7), 0, 1000)
	window := c.offer(synAck, scaleOption(scale), 1, 65535)
	c.arrive(testnet.ACK, 0)
	return window
}

// arrive is a packet from the peer with so many bytes.
func (c *connection) arrive(flags uint8, bytes int) {
	c.t.Helper()
	frame := c.in
	frame.TCPFlags, frame.Acknowledgement, frame.PayloadBytes = flags, 1, bytes
	c.toVM(frame)
}

// among has so many connections begin at the moment, this one with so many segments that have come in 1024 us.
func (c *connection) among(connections uint32, segments uint8, run func()) {
	c.t.Helper()
	e := c.endpoints.At(endpointIndex)
	for epoch := int64(-1); epoch != clock.Nanos()>>receivingShift; {
		key, flow := c.flow()
		flow.ArrivedSegments, flow.OfferMicros = segments, 1024
		if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
			c.t.Fatal(err)
		}
		epoch = clock.Nanos() >> receivingShift
		e.ReceivingEpoch, e.Receiving, e.ReceivingBefore = uint64(epoch), connections, 0
		run()
	}
}

func (c *connection) offerAmong(connections uint32, segments uint8, acknowledgement uint32, window uint16) (got uint16) {
	c.t.Helper()
	c.among(connections, segments, func() { got = c.offer(testnet.ACK, nil, acknowledgement, window) })
	return got
}

func TestFirstWindowsOfManySendersSumToTheThreshold(t *testing.T) {
	f := newFixture(t)
	f.receiver()
	const few = 200 // bytes of SYNs count as well
	for n, most := range []int{10 * segment, 10 * segment, segment, segment, segment} {
		c := f.sender(n)
		got := int(c.invite(7))
		if got > most || got < max(segment, most-few) {
			t.Errorf("sender %d is offered %d bytes, want %d", n, got, most)
		}
		if next := c.offer(testnet.ACK, nil, 1, 500); next != scaled(got, 7) {
			t.Errorf("before data of sender %d have come it is offered %d, want no more than before", n, next)
		}
	}
	if got := f.Endpoint(endpointIndex).LoweredOffers; got != 10 {
		t.Errorf("%d offers counted as lowered, want 10", got)
	}
}

func TestWhoOpensOffersAFirstWindowToo(t *testing.T) {
	f := newFixture(t)
	f.receiver()
	c := f.sender(0)
	c.offer(syn, scaleOption(7), 0, 65535)
	c.receive(synAck, scaleOption(7), 1, 1000)
	if got := c.offer(testnet.ACK, nil, 1, 500); got != scaled(10*segment, 7) {
		t.Errorf("offered %d", got)
	}
}

func TestAMarkSaysThatTheThresholdStands(t *testing.T) {
	f := newFixture(t)
	f.receiver()
	first := f.sender(0)
	first.invite(7)
	first.in.ECN = testnet.CE
	first.arrive(testnet.ACK, 0)
	if got := f.sender(1).invite(7); got != segment {
		t.Errorf("offered %d bytes behind a mark, want one segment", got)
	}
}

func TestOfferedWindowsDivideWhatTheLinkHolds(t *testing.T) {
	for _, each := range []struct {
		connections uint32
		segments    uint8
		want        int
	}{
		{1, 1, 11 * segment}, // what slow start has by then
		{2, 30, 40 * segment},
		{5, 1, 4 * segment},                      // many
		{20, 1, segment},                         // acknowledged at once
		{20, 15, segment}, {20, 16, 2 * segment}, // in twos
		{200, 1, segment}, {200, 100, 2 * segment}, // never less
		{200, begunSegments, 500 << 7}, // the law's
	} {
		t.Run(fmt.Sprint(each.connections, each.segments), func(t *testing.T) {
			f := newFixture(t)
			f.receiver()
			c := f.sender(0)
			c.invite(7)
			if got := c.offerAmong(each.connections, each.segments, 1+10*segment, 500); got != scaled(each.want, 7) {
				t.Errorf("offered %d, want %d bytes", got, each.want)
			}
		})
	}
}

func TestOfferedWindowsHoldTheBandwidthDelayProduct(t *testing.T) {
	f := newFixture(t)
	f.receiver()
	f.state.At(0).OfferRate = 1 << 20 / 1024 * 10 * segment // ten segments in 1024 us
	c := f.sender(0)
	c.invite(7)
	if got := c.offerAmong(10, 20, 1+10*segment, 500); got != scaled(3*segment, 7) {
		t.Errorf("offered %d, want (20 + 10) / 10 segments", got)
	}
}

func TestOfferedEdgesNeverMoveLeft(t *testing.T) {
	for _, scale := range []int{0, 7, 14} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			f := newFixture(t)
			f.receiver()
			c := f.sender(0)
			edge := 1 + uint32(c.invite(scale))
			for acknowledged := uint32(1); acknowledged < 60*segment; acknowledged += segment {
				connections := uint32(1)
				if acknowledged > 20*segment {
					connections = 200
				}
				got := c.offerAmong(connections, 20, acknowledged, uint16(min(200*segment>>scale, 65535)))
				next := acknowledged + uint32(got)<<scale
				if next < edge {
					t.Errorf("edge %d after %d", next, edge)
				}
				edge = next
			}
			// A unit of 16 KB is more than an acknowledgement frees: such a window cannot come down.
			if most := uint32(60*segment + 2*segment + 1<<scale); scale < 14 && edge > most {
				t.Errorf("edge %d in the end, want %d at most", edge, most)
			}
		})
	}
}

func TestOffersLeftAlone(t *testing.T) {
	for name, prepare := range map[string]func(*connection){
		"off":          func(c *connection) { c.SetReceiverWindows(0) },
		"not enforced": func(c *connection) { c.SetEnforcing(false) },
		"grants":       func(c *connection) { c.state.At(0).Watching = 1 },
		"unknown scale": func(c *connection) {
			c.receive(syn, scaleOption(7), 0, 1000)
		},
		"a long path": func(c *connection) {
			key, flow := c.flow()
			flow.ArrivedSegments, flow.OfferMicros = 1, 20_001
			if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
				c.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.receiver()
			c := f.sender(0)
			c.invite(7)
			prepare(c)
			if got := c.offer(testnet.ACK, nil, 1, 500); got != 500 {
				t.Errorf("offered %d", got)
			}
		})
	}
}

func TestConnectionsThatBringDataAreCounted(t *testing.T) {
	f := newFixture(t)
	f.receiver()
	e := f.endpoints.At(endpointIndex)
	c := f.sender(0)
	c.invite(7)
	for _, each := range []struct {
		name     string
		segments uint8
		bytes    int
		want     uint32
	}{
		{"a small message", 1, segment/2 - 1, 5},
		{"data", 1, segment, 6},
		{"the law's", begunSegments, segment, 5},
	} {
		key, flow := c.flow()
		flow.CountedEpoch = uint16(clock.Nanos()>>receivingShift) - 10
		if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
			t.Fatal(err)
		}
		c.among(5, each.segments, func() { c.arrive(testnet.ACK, each.bytes) })
		if e.Receiving != each.want {
			t.Errorf("%s: %d connections, want %d", each.name, e.Receiving, each.want)
		}
	}
}
