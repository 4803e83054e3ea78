// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"math"
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func policing(c *config.Host) { c.Limiter = config.LimiterPolice }

// flood sends more of some frames, in bursts of each, than any limit here lets through, until the test, or what is
// returned, ends it.
func flood(t testing.TB, device netlink.Link, frames ...[]byte) (stop func()) {
	return floodBy((*testnet.Sender).Burst, t, device, frames...)
}

// floodOfFrames is flood without super-packets, of which the kernel does not count the segments that it drops.
func floodOfFrames(t testing.TB, device netlink.Link, frames ...[]byte) (stop func()) {
	return floodBy(func(sender *testnet.Sender, frame []byte, count int) {
		for range count {
			sender.Send(frame)
		}
	}, t, device, frames...)
}

func floodBy(burst func(sender *testnet.Sender, frame []byte, count int), t testing.TB, device netlink.Link, frames ...[]byte) (stop func()) {
	sender := testnet.NewSender(t, device)
	return testnet.Paced(t, time.Millisecond, func() {
		for _, frame := range frames {
			burst(sender, frame, max(1, 20/len(frames)))
		}
	})
}

// arriving measures what comes in at a device, in bit/s.
func arriving(t testing.TB, device string, length time.Duration) float64 {
	t.Helper()
	bytes := func() (uint64, time.Time) { return testnet.Link(t, device).Attrs().Statistics.RxBytes, time.Now() }
	before, began := bytes()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, ended := bytes()
	return float64(after-before) * 8 / ended.Sub(began).Seconds()
}

// expectPoliced checks that the endpoint's bucket, and nothing else, holds it to a limit: what the bucket lets through
// then is a test of the shim's and BenchmarkPolicedUDP.
func (h *host) expectPoliced(bitsPerSecond uint64) {
	h.t.Helper()
	before := h.status().Endpoints[0].DroppedPackets
	var e endpoints.Status
	testnet.Until(h.t, "the bucket drops, and next to nothing is queued", func() bool {
		e = h.status().Endpoints[0]
		return e.DroppedPackets > before+500 && e.BacklogBytes <= 10_000
	})
	if g := e.Groups[0]; e.RateBitsPerSecond != bitsPerSecond || g.DroppedPackets != 0 {
		h.t.Errorf("%d of %d bit/s; of %d dropped %d in the class: want all dropped by the bucket",
			e.RateBitsPerSecond, bitsPerSecond, e.DroppedPackets, g.DroppedPackets)
	}
}

func TestPolicingLimitsUDPToItsRate(t *testing.T) {
	t.Parallel()
	h := newHost(t, policing).run()
	h.limit("vm0", 20_000_000)
	flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	h.expectPoliced(20_000_000)
	h.limit("vm0", 5_000_000)
	h.expectPoliced(5_000_000)
	if sample, _ := engine.Call(h.agent.inbox, func() (model.EndpointSample, error) {
		sample, _ := h.agent.loop.endpoints.All()[0].Sample(math.MaxInt64)
		return sample, nil
	}); sample.DroppedPackets < 1000 {
		t.Errorf("%d dropped packets are reported to the controllers", sample.DroppedPackets)
	}
}

func TestPolicingLimitsToAPortsShare(t *testing.T) {
	t.Parallel()
	h := newHost(t, policing).run()
	h.limit("vm0", 20_000_000)
	flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	h.share(1_000_000, 10, peerIP)
	testnet.Until(t, "the group drops", func() bool {
		g, ok := h.group(testPort)
		return ok && g.DroppedPackets > 100
	})
	testnet.Until(t, "what is dropped counts as backlog, so that the law borrows", func() bool {
		h.shareWithLoan(1_000_000, 3, peerIP)
		g, _ := h.group(testPort)
		return g.RateBitsPerSecond > 3_000_000
	})
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the group ends", func() bool { _, ok := h.group(testPort); return !ok })
	h.expectPoliced(20_000_000) // the endpoint's ceiling again
}

func TestPolicedTCPLosesPacketsAndKeepsItsRate(t *testing.T) {
	t.Parallel()
	h := newHost(t, policing)
	s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), peerIP}
	s.vm.Take(h.vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, ownIP.String()+"/24")
	s.far.Take(h.far, net.HardwareAddr{2, 0, 0, 0, 0, 5}, peerIP.String()+"/24")
	s.run()
	s.limit("vm0", 20_000_000)
	connection := s.connect()
	testnet.Until(t, "it has loss, and goes on", func() bool {
		got := s.push(connection, 100*time.Millisecond)
		return got.retransmitted > 0 && got.megabitsPerSecond > 1 && s.status().Endpoints[0].DroppedPackets > 0
	})
}

func TestAKilledAgentsPolicingExpiresWithTheLeaseIfConfigured(t *testing.T) {
	const lease = 2 * time.Second
	h := newHost(t, func(c *config.Host) {
		policing(c)
		c.LeaseMillis, c.AfterLease = int(lease.Milliseconds()), config.AfterLeaseOpen
		c.Uplink.CapacityMbps = 10
	})
	child := h.runChild()
	flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	limited := func() bool { return arriving(t, "far", 200*time.Millisecond) < 12e6 }
	testnet.Until(t, "the limit is in force", limited)
	killed := time.Now()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if !limited() {
		t.Error("open at once after the agent was killed")
	}
	testnet.Until(t, "it is open once the lease is over", func() bool { return !limited() })
	if held := time.Since(killed); held < lease*3/4 {
		t.Errorf("open after %v already, want a lease of %v", held, lease)
	}
	if _, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); err != nil {
		t.Fatal(err)
	}
}
