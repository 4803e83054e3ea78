// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// newNeighbours is a site whose far side is another VM of the same host.
func newNeighbours(t *testing.T) *site {
	h, vms := newHostOf(t, 2, nil)
	s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), tenantIP(1)}
	s.vm.Take(vms[0], net.HardwareAddr{2, 0, 0, 0, 1, 0}, tenantIP(0).String()+"/24")
	s.far.Take(vms[1], net.HardwareAddr{2, 0, 0, 0, 1, 1}, tenantIP(1).String()+"/24")
	return s
}

// payloadPart of a frame of TCP with time stamps is payload, which is what its goodput counts.
const payloadPart = 1448.0 / 1514

// TCP has no queue here: without the bucket's reserve it gets half of 20 Mbit/s and a seventh of 100.
func TestTCPBetweenNeighboursStaysWithinItsCeiling(t *testing.T) {
	t.Parallel()
	s := newNeighbours(t)
	s.run()
	for _, mbits := range []uint64{20, 100} {
		s.limit("vm0", mbits*1_000_000)
		connection := s.connect()
		least, most := 0.9*float64(mbits), 1.02*float64(mbits)
		s.push(connection, time.Second) // it begins with a burst
		var got transfer
		for range rateAttempts {
			if got = s.push(connection, 2*time.Second); got.megabitsPerSecond >= least {
				break
			}
		}
		s.abort(connection)
		t.Logf("%d Mbit/s: %+v", mbits, got)
		if got.megabitsPerSecond < least || got.megabitsPerSecond > most*payloadPart {
			t.Errorf("%.1f Mbit/s of %d", got.megabitsPerSecond, mbits)
		}
	}
	e := s.status().Endpoints[0]
	if e.Neighbours.DroppedPackets == 0 || e.RxClampedPackets == 0 || e.Groups[0].SentBytes > 10_000 {
		t.Errorf("%+v: want drops, lowered windows and nothing in the class", e)
	}
	pairs := s.status().Pairs
	for _, pair := range pairs {
		if pair.SentBytes == 0 || pair.ReceivedBytes != 0 {
			t.Errorf("%+v: want it counted once, as sent", pair)
		}
	}
	if len(pairs) != 2 {
		t.Errorf("%d pairs, want one each way", len(pairs))
	}
}

func TestACeilingHoldsForNeighboursAndUplinkTogether(t *testing.T) {
	t.Parallel()
	const ceiling = 10_000_000
	h, vms := newHostOf(t, 2, nil)
	h.run()
	near := testnet.Frame{
		Source: tenantIP(0), Destination: tenantIP(1), Protocol: testnet.UDP, SourcePort: 1000, Port: 2000, PayloadBytes: 958,
	}.Build()
	copy(near, []byte{2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 0})
	afar := fromMAC([6]byte{2, 0, 0, 0, 1, 0}, tenantIP(0), peerIP)
	// A bridge floods what is for a MAC that it does not know.
	testnet.NewSender(t, vms[1]).Send(announcedBy([6]byte{2, 0, 0, 0, 1, 1}, tenantIP(1)))
	testnet.NewSender(t, h.far).Send(announcedBy([6]byte{2, 0, 0, 0, 0, 5}, peerIP))

	rates := func() (neighbour, uplink float64) {
		var all [2][]float64
		for range 11 {
			before, began := h.received("inside1", "far"), time.Now()
			time.Sleep(100 * time.Millisecond) // the measurement's length, not a wait for something
			after, elapsed := h.received("inside1", "far"), time.Since(began).Seconds()
			for i := range all {
				all[i] = append(all[i], float64(after[i]-before[i])*8/elapsed)
			}
		}
		for i := range all {
			slices.Sort(all[i])
		}
		return all[0][5], all[1][5]
	}
	expect := func(what string, neighbour, uplink float64) {
		t.Helper()
		testnet.Until(t, what, func() bool {
			gotNeighbour, gotUplink := rates()
			t.Logf("%s: %.2f Mbit/s to the neighbour, %.2f by the uplink", what, gotNeighbour/1e6, gotUplink/1e6)
			if sum := gotNeighbour + gotUplink; sum > 1.02*(neighbour+uplink) {
				return false
			}
			return gotNeighbour >= 0.95*neighbour && gotUplink >= 0.95*uplink
		})
	}
	endNear := flood(t, vms[0], near)
	if neighbour, _ := rates(); neighbour < 2*ceiling {
		t.Fatalf("%.1f Mbit/s without a ceiling: nothing would be put to the test", neighbour/1e6)
	}
	h.limit("vm0", ceiling)
	expect("neighbours alone have all of it", ceiling, 0)
	endAfar := flood(t, vms[0], afar)
	expect("each has half", ceiling/2, ceiling/2)
	endNear()
	expect("the uplink alone has all of it", 0, ceiling)
	flood(t, vms[0], near)
	expect("each has half again", ceiling/2, ceiling/2)
	endAfar()
	expect("neighbours alone again", ceiling, 0)
	h.limit("vm0", 0)
	testnet.Until(t, "no limit", func() bool {
		neighbour, _ := rates()
		return neighbour > 2*ceiling && h.status().Endpoints[0].Neighbours.RateBitsPerSecond == 0
	})
}

func announcedBy(mac [6]byte, address netip.Addr) []byte {
	frame := testnet.ARP(mac, address, address)
	copy(frame[6:], mac[:])
	return frame
}

// received are the bytes that have come in at devices.
func (h *host) received(devices ...string) []uint64 {
	h.t.Helper()
	bytes := make([]uint64, len(devices))
	for i, device := range devices {
		bytes[i] = testnet.Link(h.t, device).Attrs().Statistics.RxBytes
	}
	return bytes
}

// With limiter: police the endpoint's own bucket holds both.
func TestPolicingLimitsTrafficToNeighbours(t *testing.T) {
	t.Parallel()
	h, vms := newHostOf(t, 2, policing)
	h.run()
	h.limit("vm0", 5_000_000)
	near := fromMAC([6]byte{2, 0, 0, 0, 1, 0}, tenantIP(0), tenantIP(1))
	copy(near, []byte{2, 0, 0, 0, 1, 1})
	flood(t, vms[0], near)
	testnet.Until(t, "the bucket drops", func() bool {
		e := h.status().Endpoints[0]
		return e.DroppedPackets > 100 && e.Neighbours == (endpoints.NeighbourStatus{SentPackets: e.Neighbours.SentPackets, SentBytes: e.Neighbours.SentBytes})
	})
}
