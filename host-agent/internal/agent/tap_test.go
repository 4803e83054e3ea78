// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// superPacket is one of a guest's, and what the wire carries of it.
type superPacket struct {
	frame                   []byte
	segmentBytes, wireBytes int
}

// ofSegments is a super-packet of so many full segments to peerIP.
func ofSegments(protocol uint8, segments, segmentBytes int, destinationMAC []byte) superPacket {
	frame := testnet.Frame{
		Source: ownIP, Destination: peerIP, Protocol: protocol, SourcePort: 1000, Port: 2000,
		TCPFlags: testnet.ACK, PayloadBytes: segments * segmentBytes,
	}.Build()
	copy(frame, destinationMAC)
	headers := len(frame) - segments*segmentBytes
	return superPacket{frame, segmentBytes, segments * (segmentBytes + headers)}
}

// Of a frame from a tap the kernel knows only how long its segments are to be: a guest that makes them tiny puts many
// times its frames' bytes on the wire. The uplink's queue is the kernel's, which counts for itself.
func TestSuperPacketsOfAGuestAreHeldByWhatTheWireCarries(t *testing.T) {
	unicast, group := []byte{2, 0, 0, 0, 0, 5}, []byte{1, 0, 0x5e, 1, 2, 3}
	const limit = 5_000_000
	for name, c := range map[string]struct {
		limiter       string
		super         superPacket
		bitsPerSecond float64
	}{
		"shaped":                       {config.LimiterShape, ofSegments(testnet.TCP, 90, 1, unicast), limit},
		"policed":                      {config.LimiterPolice, ofSegments(testnet.TCP, 10, 1448, unicast), limit},
		"policed, of tiny segments":    {config.LimiterPolice, ofSegments(testnet.TCP, 90, 1, unicast), limit},
		"policed UDP":                  {config.LimiterPolice, ofSegments(testnet.UDP, 90, 1, unicast), limit},
		"residual":                     {config.LimiterShape, ofSegments(testnet.TCP, 90, 1, group), 1_000_000},
		"residual UDP, of whole ones":  {config.LimiterShape, ofSegments(testnet.UDP, 2, 1400, group), 1_000_000},
		"residual UDP beside policing": {config.LimiterPolice, ofSegments(testnet.UDP, 90, 1, group), 1_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHostWith(t, testnet.Taps, func(settings *config.Host) { settings.Limiter = c.limiter })
			h.run()
			h.limit("vm0", limit)
			rate := h.superRate(c.super, "far")
			if rate > 1.1*c.bitsPerSecond || rate < 0.3*c.bitsPerSecond {
				t.Errorf("%.2f Mbit/s leave, want %.2f", rate/1e6, c.bitsPerSecond/1e6)
			}
		})
	}
}

func TestSuperPacketsToANeighbourAreHeldByWhatAWireWouldCarry(t *testing.T) {
	t.Parallel()
	h := newHostWith(t, testnet.Taps, func(c *config.Host) {
		c.Endpoints.Static = append(c.Endpoints.Static, config.StaticEndpoint{
			Interface: "vm1", MAC: "02:00:00:00:00:05", IPs: []string{peerIP.String()},
		})
	})
	second := h.addPort("second", "vm1")
	h.run()
	h.limit("vm0", 5_000_000)
	testnet.NewSender(t, second).Send(announcedBy([6]byte{2, 0, 0, 0, 0, 5}, peerIP))
	rate := h.superRate(ofSegments(testnet.TCP, 90, 1, []byte{2, 0, 0, 0, 0, 5}), "second")
	if rate > 1.1*5e6 || rate < 0.3*5e6 {
		t.Errorf("%.2f Mbit/s arrive at a neighbour, want 5", rate/1e6)
	}
}

// superRate is what the wire would carry of a flood, in bit/s, once the limit drops or has queued what it can.
func (h *host) superRate(super superPacket, device string) float64 {
	h.t.Helper()
	sender := testnet.NewSender(h.t, h.vm)
	stop := testnet.Paced(h.t, time.Millisecond, func() {
		for range 3 {
			sender.SendSuper(super.frame, super.segmentBytes)
		}
	})
	defer stop()
	testnet.Until(h.t, "it is dropped", func() bool {
		e := h.status().Endpoints[0]
		return e.DroppedPackets+e.Residual.DroppedPackets > 1000
	})
	capture := testnet.NewCapture(h.t, testnet.Link(h.t, device))
	began, bytes := time.Now(), 0
	count := func() {
		for _, frame := range capture.Waiting(func([]byte) bool { return true }) {
			if len(frame) == len(super.frame) {
				bytes += super.wireBytes
			} else {
				bytes += len(frame) // it came in segments
			}
		}
	}
	for time.Since(began) < 500*time.Millisecond { // the measurement's length, not a wait for something
		count()
		time.Sleep(10 * time.Millisecond)
	}
	count()
	return float64(bytes) * 8 / time.Since(began).Seconds()
}

func TestSuperPacketsOfAGuestPassLevelsByWhatTheWireCarries(t *testing.T) {
	t.Parallel()
	h := newHostWith(t, testnet.Taps, threeLevels)
	h.run()
	far, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	super := ofSegments(testnet.UDP, 60, 1, []byte{2, 0, 0, 0, 0, 5}) // 2580 bytes on the wire, of thresholds 2000 and 4000
	for i, want := range []uint8{24, 16, 8} {
		sender.SendSuper(super.frame, super.segmentBytes)
		if dscp := testnet.DSCPOf(far.Next(eventually, udp)); dscp != want {
			t.Errorf("super-packet %d: DSCP %d, want %d", i, dscp, want)
		}
		far.Waiting(udp) // the rest of it
	}
	wire := uint64(super.wireBytes)
	if e := h.status().Endpoints[0]; !slices.Equal(e.Levels.SentBytes, []uint64{wire, wire, wire}) {
		t.Errorf("%+v", e.Levels)
	}
}
