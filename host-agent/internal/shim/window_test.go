// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	syn    = testnet.SYN
	synAck = testnet.SYN | testnet.ACK
	// edgeKnown is EDGE_KNOWN: the endpoint was offered a window.
	edgeKnown = 16
	// testRoundTrip and the 5 ms that may stand, at 8 Mbit/s: 5500 bytes; and a segment.
	testRoundTripMicros = 500
	testLimit           = 8_000_000
	testAllowed         = 5500 + 1460
)

// scaleOption is how Linux sends it, behind an MSS; none for less than 0.
func scaleOption(scale int) []byte {
	if scale < 0 {
		return []byte{2, 4, 5, 0xb4}
	}
	return []byte{2, 4, 5, 0xb4, 1, 3, 3, uint8(scale)}
}

// connection is one between the endpoint and its peer, as the shim sees it.
type connection struct {
	*fixture
	out, in testnet.Frame
}

func (f *fixture) connection() *connection {
	return &connection{f, tcpOut(0), tcpIn(0, testnet.ECT0)}
}

func (f *fixture) connection6() *connection {
	c := f.connection()
	c.out.Source, c.out.Destination = own6, peer6
	c.in.Source, c.in.Destination = peer6, own6
	return c
}

func (c *connection) send(flags uint8, options []byte) {
	frame := c.out
	frame.TCPFlags, frame.TCPOptions = flags, options
	c.fromVM(frame)
}

// receive passes a packet from the peer on and returns the window that the endpoint sees.
func (c *connection) receive(flags uint8, options []byte, acknowledgement uint32, window uint16) uint16 {
	c.t.Helper()
	frame := c.in
	frame.TCPFlags, frame.TCPOptions = flags, options
	frame.Acknowledgement, frame.Window, frame.PayloadBytes = acknowledgement, window, 10
	result := c.toVM(frame)
	if result.verdict != verdictNext || !frame.SegmentIntact(result.frame) || !testnet.HeaderIntact(result.frame) {
		c.t.Errorf("verdict %d; a checksum is wrong, or the packet went astray", result.verdict)
	}
	return testnet.WindowOf(result.frame)
}

func (c *connection) acknowledge(acknowledgement uint32, window uint16) uint16 {
	c.t.Helper()
	return c.receive(testnet.ACK, nil, acknowledgement, window)
}

// open lets the endpoint open the connection; the SYN-ACK offers 1000 bytes.
func (c *connection) open(local, remote []byte) {
	c.send(syn, local)
	c.receive(synAck, remote, 1, 1000)
	c.fixRoundTrip()
}

// accept lets the peer open it.
func (c *connection) accept(remote, local []byte) {
	c.receive(syn, remote, 0, 1000)
	c.send(synAck, local)
	c.acknowledge(1, 1)
	c.fixRoundTrip()
}

// fixRoundTrip makes round trips what they should have been, and times nothing.
func (c *connection) fixRoundTrip() {
	c.t.Helper()
	key, flow := c.flow()
	flow.FirstRoundTripMicros, flow.LeastRoundTripMicros, flow.TimedNanos = testRoundTripMicros, testRoundTripMicros, 0
	if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
		c.t.Fatal(err)
	}
}

func (c *connection) flow() (bpfFlowKey, bpfFlow) {
	c.t.Helper()
	key := bpfFlowKey{
		Local: toAddress(c.out.Source), Remote: toAddress(c.out.Destination),
		LocalPort: c.out.SourcePort, RemotePort: c.out.Port, Endpoint: endpointIndex, Protocol: testnet.TCP,
	}
	var flow bpfFlow
	if err := c.flowTableOf(endpointIndex).Lookup(key, &flow); err != nil {
		c.t.Fatal(err)
	}
	return key, flow
}

func (f *fixture) limit() { f.SetWindow(endpointIndex, 0, htb.WindowOf(testLimit, 1, 1500, 0)) }

// scaled is a window of so many bytes, rounded up to the scale.
func scaled(bytes, scale int) uint16 { return uint16((bytes + 1<<scale - 1) >> scale) }

func TestWindowScalesAreReadInBothDirections(t *testing.T) {
	type opener func(c *connection, local, remote []byte)
	open := func(c *connection, local, remote []byte) { c.open(local, remote) }
	accept := func(c *connection, local, remote []byte) { c.accept(remote, local) }
	for way, begin := range map[string]opener{"opened": open, "accepted": accept} {
		for scale := range 17 {
			t.Run(fmt.Sprintf("%s/%d", way, scale), func(t *testing.T) {
				c := newFixture(t).connection()
				begin(c, scaleOption(7), scaleOption(scale))
				c.limit()
				held := min(scale, 14) // RFC 7323, 2.3
				allowed := testAllowed
				if way == "accepted" {
					allowed = max(allowed, 1<<held) // what the first acknowledgement offered
				}
				if got, want := c.acknowledge(2, 65535), scaled(allowed, held); got != want {
					t.Errorf("window %d, want %d: %d bytes at scale %d", got, want, allowed, held)
				}
				counters := c.Endpoint(endpointIndex)
				if counters.ClampedPackets != 1 || counters.UnclampedPackets != 0 {
					t.Errorf("%d clamped, %d left alone", counters.ClampedPackets, counters.UnclampedPackets)
				}
			})
		}
	}
}

// A scale holds only where both ends have sent one.
func TestWindowScalesNeedBothEnds(t *testing.T) {
	for name, options := range map[string][2][]byte{
		"neither":            {nil, nil},
		"the peer alone":     {scaleOption(-1), scaleOption(7)},
		"the endpoint alone": {scaleOption(7), scaleOption(-1)},
		"end of options":     {scaleOption(7), {0, 3, 3, 7}},
		"filled with none":   {scaleOption(7), bytes.Repeat([]byte{1}, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newFixture(t).connection()
			c.open(options[0], options[1])
			c.limit()
			if got := c.acknowledge(1, 65535); got != testAllowed {
				t.Errorf("window %d, want %d unscaled", got, testAllowed)
			}
		})
	}
}

func TestWindowsOfUnknownScaleAreUnchanged(t *testing.T) {
	begun := func(local, remote []byte) func(*connection) {
		return func(c *connection) { c.open(local, remote) }
	}
	for name, prepare := range map[string]func(*connection){
		"begun before the agent": func(c *connection) { c.send(testnet.ACK, nil) },
		"SYN seen alone":         func(c *connection) { c.send(syn, scaleOption(7)) },
		"SYN-ACK seen alone": func(c *connection) {
			c.receive(synAck, scaleOption(7), 1, 1000)
			c.send(testnet.ACK, nil)
		},
		"the endpoint begins anew": func(c *connection) {
			c.open(scaleOption(7), scaleOption(7))
			c.send(syn, scaleOption(7))
		},
		"the peer begins anew": func(c *connection) {
			c.open(scaleOption(7), scaleOption(7))
			c.receive(syn, scaleOption(7), 0, 1000)
		},
		"option of length 0":       begun(scaleOption(7), []byte{2, 0, 3, 3, 7, 0, 0, 0}),
		"option of length 1":       begun(scaleOption(7), []byte{2, 1, 3, 3, 7, 0, 0, 0}),
		"option beyond the header": begun(scaleOption(7), []byte{2, 40, 3, 3}),
		"cut short":                begun(scaleOption(7), []byte{1, 1, 1, 3}),
		"scale of length 2":        begun(scaleOption(7), []byte{3, 2, 7, 0}),
		"scale of length 4":        begun(scaleOption(7), []byte{3, 4, 7, 7}),
		"the endpoint's malformed": begun([]byte{3, 4, 7, 7}, scaleOption(7)),
	} {
		t.Run(name, func(t *testing.T) {
			c := newFixture(t).connection()
			prepare(c)
			c.limit()
			if got := c.acknowledge(1, 65535); got != 65535 {
				t.Errorf("window %d, want it left alone", got)
			}
			if n := c.Endpoint(endpointIndex).UnclampedPackets; n != 1 {
				t.Errorf("counted %d times", n)
			}
		})
	}
}

// A header length that lies must not be followed.
func TestShortHeadersAreUnchanged(t *testing.T) {
	f := newFixture(t)
	c := f.connection()
	c.send(syn, scaleOption(7))
	frame := c.in
	frame.TCPFlags, frame.TCPOptions = synAck, scaleOption(7)
	for _, words := range []uint8{0, 4, 15} {
		raw := frame.Build()
		raw[testnet.EthernetBytes+20+12] = words << 4
		f.run(f.objects.ToVm, raw, skbContext{IngressIfindex: uplinkIfindex})
		if _, flow := c.flow(); flow.Handshake&4 != 0 && words < 5 {
			t.Errorf("%d words: %+v, want nothing learnt", words, flow)
		}
	}
}

func TestRightEdgeNeverMovesLeft(t *testing.T) {
	for name, open := range map[string]func(*fixture) *connection{
		"IPv4": (*fixture).connection, "IPv6": (*fixture).connection6,
	} {
		t.Run(name, func(t *testing.T) {
			const scale = 7
			c := open(newFixture(t))
			c.open(scaleOption(scale), scaleOption(scale))
			acknowledged := uint32(0xffffff00) // the edge passes 2^32
			edge := acknowledged
			receive := func(window uint16) {
				t.Helper()
				got := c.acknowledge(acknowledged, window)
				if offered := acknowledged + uint32(got)<<scale; got < window && int32(offered-edge) < 0 {
					t.Errorf("acknowledgement %d: edge %d, offered %d before", acknowledged, offered, edge)
				} else if int32(offered-edge) > 0 {
					edge = offered
				}
			}
			receive(1000) // 128,000 bytes, without a limit
			c.limit()
			for range 20 {
				receive(1000)
				acknowledged += 10_000
			}
			if got, want := c.acknowledge(acknowledged, 1000), scaled(testAllowed, scale); got != want {
				t.Errorf("window %d after all that was offered is used, want %d", got, want)
			}
			if got := c.acknowledge(acknowledged-10_000, 1000); got != scaled(10_000+int(scaled(testAllowed, scale))<<scale, scale) {
				t.Errorf("window %d of an overtaken acknowledgement: its edge is not the newest's", got)
			}
			// What the peer itself takes back is the peer's affair.
			if got := c.acknowledge(acknowledged, 3); got != 3 {
				t.Errorf("window %d, want the peer's 3", got)
			}
		})
	}
}

func TestWindowsAreLoweredWhereTheClassIsLimited(t *testing.T) {
	const scale = 4
	wanted := scaled(testAllowed, scale)
	for name, c := range map[string]struct {
		change func(c *connection)
		want   uint16
	}{
		"a limit":               {func(*connection) {}, wanted},
		"no limit":              {func(c *connection) { c.SetWindow(endpointIndex, 0, htb.Window{}) }, 65535},
		"a limit, not in force": {func(c *connection) { c.SetEnforcing(false) }, 65535},
		"the lease is over":     {func(c *connection) { c.RenewLease(clock.Nanos() - 1) }, 65535},
		"from a neighbour":      {func(c *connection) { c.state.At(0).Through[0]++ }, 65535},
		"another group": {func(c *connection) {
			if err := c.SetDestination(endpointIndex, peer4, 2); err != nil {
				c.t.Fatal(err)
			}
			c.SetWindow(endpointIndex, 2, htb.WindowOf(2*testLimit, 1, 1500, 0))
			c.send(testnet.ACK, nil)
		}, scaled(2*5500+1460, scale)},
		"longer queues on the way": {func(c *connection) {
			c.SetWindow(endpointIndex, 0, htb.WindowOf(testLimit, 1, 1500, 4*time.Millisecond))
		}, scaled(7500+1460, scale)},
		"less than two segments": {func(c *connection) {
			c.SetWindow(endpointIndex, 0, htb.WindowOf(testLimit/8, 1, 1500, 0))
		}, scaled(2920, scale)},
		"a bulk flow's part": {func(c *connection) {
			c.SetWindow(endpointIndex, 0, htb.WindowOf(2*testLimit, 2, 1500, 0))
			key, flow := c.flow()
			flow.Bulk = 1
			if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
				c.t.Fatal(err)
			}
		}, wanted},
		"a sparse flow beside two bulk ones": {func(c *connection) {
			c.SetWindow(endpointIndex, 0, htb.WindowOf(testLimit, 2, 1500, 0))
		}, wanted},
	} {
		t.Run(name, func(t *testing.T) {
			conn := newFixture(t).connection()
			conn.open(scaleOption(7), scaleOption(scale))
			conn.limit()
			c.change(conn)
			if got := conn.acknowledge(1, 65535); got != c.want {
				t.Errorf("window %d, want %d", got, c.want)
			}
		})
	}
}

// The first window is lowered as well, unscaled: else the edge stood far out from the beginning.
func TestWindowOfSynAckIsLowered(t *testing.T) {
	for name, c := range map[string]*connection{
		"IPv4": newFixture(t).connection(), "IPv6": newFixture(t).connection6(),
	} {
		c.SetWindow(endpointIndex, 0, htb.WindowOf(testLimit/8, 1, 1500, 0)) // two segments, however long it takes
		c.send(syn, scaleOption(7))
		if got := c.receive(synAck, scaleOption(7), 1, 65535); got < 2920 || got > 20_000 {
			t.Errorf("%s: window %d, want about two segments", name, got)
		}
	}
}

// timed makes what is timed now begin so much earlier.
func (c *connection) timed(earlier time.Duration) {
	c.t.Helper()
	key, flow := c.flow()
	if flow.TimedNanos == 0 {
		c.t.Fatal("nothing is timed")
	}
	flow.TimedNanos -= uint64(earlier)
	if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
		c.t.Fatal(err)
	}
}

// data sends payload from a sequence number on.
func (c *connection) data(sequence uint32, bytes int) {
	frame := c.out
	frame.TCPFlags, frame.Sequence, frame.PayloadBytes = testnet.ACK, sequence, bytes
	c.fromVM(frame)
}

// On long ways windows are left alone.
func TestHandshakesAreTimed(t *testing.T) {
	c := newFixture(t).connection()
	c.send(syn, scaleOption(7))
	c.timed(8 * time.Millisecond)
	c.receive(synAck, scaleOption(7), 1, 1000)
	if _, flow := c.flow(); flow.LeastRoundTripMicros < 8_000 {
		t.Errorf("round trip %d us, want some more than 8 ms", flow.LeastRoundTripMicros)
	}
	c.send(syn, scaleOption(7))
	c.timed(30 * time.Millisecond)
	c.receive(synAck, scaleOption(7), 1, 1000)
	c.limit()
	if got := c.acknowledge(1, 65535); got != 65535 {
		t.Errorf("window %d after a handshake of 30 ms, want it left alone", got)
	}
}

// A handshake that met full queues does not decide for long: beyond the least round trip there is no more
// than the 10 ms of the class's queue.
func TestTheMinimumRoundTripIsKept(t *testing.T) {
	c := newFixture(t).connection()
	c.send(syn, scaleOption(0))
	c.timed(30 * time.Millisecond)
	c.receive(synAck, scaleOption(0), 1, 1000)
	c.limit()
	for i, micros := range []int{30_000, 700, 9_000} {
		sequence := uint32(1000*i + 1)
		_, before := c.flow()
		c.data(sequence, 1000)
		c.timed(time.Duration(micros) * time.Microsecond)
		c.acknowledge(sequence+1000, 1000)
		_, flow := c.flow()
		latest, least := flow.RoundTripMicros, flow.LeastRoundTripMicros
		if latest < uint32(micros) || least != min(latest, before.LeastRoundTripMicros) {
			t.Errorf("after %d us: latest %d, least %d us, before %d", micros, latest, least, before.LeastRoundTripMicros)
		}
		if sequence == 1 && flow.LeastRoundTripMicros < 20_000 {
			t.Errorf("least round trip %d us after two of 30 ms", flow.LeastRoundTripMicros)
		}
	}
	key, flow := c.flow()
	for first, want := range map[uint32]int{
		30_000: 10_700 + 1460,
		6_000:  10_700 + 1460,
		5_700:  10_700 + 1460,
		3_000:  8_000 + 1460,
		700:    5_700 + 1460,
	} {
		flow.FirstRoundTripMicros, flow.LeastRoundTripMicros, flow.Handshake = first, 700, flow.Handshake&^edgeKnown
		if err := c.flowTableOf(endpointIndex).Put(key, flow); err != nil {
			t.Fatal(err)
		}
		if got := int(c.acknowledge(3001, 65535)); got != want {
			t.Errorf("window %d after a handshake of %d us, want %d", got, first, want)
		}
	}
}

func TestRetransmissionsAreNotTimed(t *testing.T) {
	c := newFixture(t).connection()
	c.open(scaleOption(0), scaleOption(0))
	_, before := c.flow()
	c.data(1, 1000)
	c.data(1001, 1000)
	c.data(1, 1000)
	if _, flow := c.flow(); flow.TimedNanos != 0 {
		t.Error("a segment is timed that was sent twice")
	}
	c.acknowledge(2001, 1000)
	if _, flow := c.flow(); flow.RoundTripMicros != before.RoundTripMicros {
		t.Errorf("round trip %d us of a segment that was sent twice", flow.RoundTripMicros)
	}
	c.data(2001, 1000)
	c.acknowledge(2000, 1000)
	if _, flow := c.flow(); flow.TimedNanos == 0 {
		t.Error("an old acknowledgement ended what is timed")
	}
	c.acknowledge(3001, 1000)
	if _, flow := c.flow(); flow.TimedNanos != 0 {
		t.Error("new data were not timed")
	}
}

func TestBulkFlowsAreCounted(t *testing.T) {
	f := newFixture(t)
	f.SetSparse(endpointIndex, 0, htb.Sparse{}) // whoever sends is bulk
	for port := range uint16(5) {
		frame := udpOut()
		frame.SourcePort += port
		f.fromVM(frame)
		f.fromVM(frame)
	}
	now := clock.Nanos()
	if got := f.BulkFlows(endpointIndex, 0, now); got != 5 {
		t.Errorf("%d bulk flows, want 5", got)
	}
	if got := f.BulkFlows(endpointIndex, 0, now+3<<bulkEpochShift); got != 0 {
		t.Errorf("%d bulk flows after a pause, want none", got)
	}
	if got := f.BulkFlows(endpointIndex, 1, now); got != 0 {
		t.Errorf("%d bulk flows in another group", got)
	}
}

// What a device is still to sum has no more than the pseudo header's sum in its checksum, which no window
// is in.
func TestOffloadedChecksumsAreUnchanged(t *testing.T) {
	testnet.Enter(t)
	far, near := testnet.Guest(t, "far", "near")
	c := newFixture(t).connection()
	c.open(nil, nil)
	ifindex := near.Attrs().Index
	if err := c.occupy(endpointIndex, model.Place{Ifindex: ifindex}); err != nil {
		t.Fatal(err)
	}
	attached, err := link.AttachTCX(link.TCXOptions{
		Interface: ifindex, Program: c.objects.ToVm, Attach: ebpf.AttachTCXEgress,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	c.state.At(0).Through[0] = 0 // What this machine sends itself comes from no device.
	c.limit()
	frame := c.in
	frame.TCPFlags, frame.Acknowledgement, frame.Window = testnet.ACK, 100_000, 65535
	raw := frame.Build()
	const pseudoHeaderSum = 0x1234
	at := testnet.EthernetBytes + 20
	binary.BigEndian.PutUint16(raw[at+16:], pseudoHeaderSum)

	capture := testnet.NewCapture(t, far)
	testnet.NewSender(t, near).SendToBeSummed(raw, at, 16)
	arrived := capture.Next(10*time.Second, testnet.IPProtocol(testnet.TCP))
	if window := testnet.WindowOf(arrived); window == 65535 {
		t.Error("the window was left as it was")
	}
	if sum := binary.BigEndian.Uint16(arrived[at+16:]); sum != pseudoHeaderSum {
		t.Errorf("checksum %#x, want %#x", sum, pseudoHeaderSum)
	}
}
