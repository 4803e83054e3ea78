// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"math"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// newNeighbours is a site whose far side is another VM of the same host.
func newNeighbours(t testing.TB) *site {
	h, vms := newHostOf(t, 2, nil)
	s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), tenantIP(1)}
	s.vm.Take(vms[0], net.HardwareAddr{2, 0, 0, 0, 1, 0}, tenantIP(0).String()+"/24")
	s.far.Take(vms[1], net.HardwareAddr{2, 0, 0, 0, 1, 1}, tenantIP(1).String()+"/24")
	return s
}

// What TCP gets then is BenchmarkTCPBetweenNeighbours.
func TestTCPBetweenNeighboursStaysWithinItsCeiling(t *testing.T) {
	t.Parallel()
	s := newNeighbours(t)
	s.run()
	s.limit("vm0", 20_000_000)
	connection := s.connect()
	testnet.Until(t, "the bucket drops, and windows are lowered", func() bool {
		s.push(connection, 50*time.Millisecond)
		e := s.status().Endpoints[0]
		return e.Neighbours.RateBitsPerSecond == 20_000_000 && e.Neighbours.DroppedPackets > 0 && e.RxClampedPackets > 0
	})
	s.abort(connection)
	if e := s.status().Endpoints[0]; e.Groups[0].SentBytes > 10_000 {
		t.Errorf("%+v: want nothing in the class", e)
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

const neighbourCeiling = 10_000_000

// newFlooding is a host whose first VM can send to the second and by the uplink.
func newFlooding(t testing.TB) (h *host, near, afar func() (stop func())) {
	h, vms := newHostOf(t, 2, nil)
	h.run()
	toNear := testnet.Frame{
		Source: tenantIP(0), Destination: tenantIP(1), Protocol: testnet.UDP, SourcePort: 1000, Port: 2000, PayloadBytes: 958,
	}.Build()
	copy(toNear, []byte{2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 0})
	toFar := fromMAC([6]byte{2, 0, 0, 0, 1, 0}, tenantIP(0), peerIP)
	// A bridge floods what is for a MAC that it does not know.
	testnet.NewSender(t, vms[1]).Send(announcedBy([6]byte{2, 0, 0, 0, 1, 1}, tenantIP(1)))
	testnet.NewSender(t, h.far).Send(announcedBy([6]byte{2, 0, 0, 0, 0, 5}, peerIP))
	near = func() func() { return flood(t, vms[0], toNear) }
	afar = func() func() { return flood(t, vms[0], toFar) }
	return h, near, afar
}

// turnsOfNeighbours has both ways flooded in turns, under a ceiling, and checks after each what each of them is due.
func turnsOfNeighbours(h *host, near, afar func() (stop func()), expect func(what string, neighbour, uplink float64)) {
	h.t.Helper()
	endNear := near()
	h.limit("vm0", neighbourCeiling)
	expect("neighbours alone have all of it", neighbourCeiling, 0)
	endAfar := afar()
	expect("each has half", neighbourCeiling/2, neighbourCeiling/2)
	endNear()
	expect("the uplink alone has all of it", 0, neighbourCeiling)
	endNear = near()
	expect("each has half again", neighbourCeiling/2, neighbourCeiling/2)
	endAfar()
	expect("neighbours alone again", neighbourCeiling, 0)
	endNear()
}

// BenchmarkACeilingForNeighboursAndUplink measures what each has then.
func TestACeilingHoldsForNeighboursAndUplinkTogether(t *testing.T) {
	t.Parallel()
	h, near, afar := newFlooding(t)
	turnsOfNeighbours(h, near, afar, func(what string, neighbour, uplink float64) {
		t.Helper()
		testnet.Until(t, what, func() bool {
			e := h.status().Endpoints[0]
			parts := [2]float64{float64(e.Neighbours.RateBitsPerSecond), float64(e.Groups[0].RateBitsPerSecond)}
			for i, due := range [2]float64{neighbour, uplink} {
				if due > 0 && math.Abs(parts[i]-due) > 0.05*due {
					return false
				}
			}
			return true
		})
	})
	h.limit("vm0", 0)
	testnet.Until(t, "no limit", func() bool { return h.status().Endpoints[0].Neighbours.RateBitsPerSecond == 0 })
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
