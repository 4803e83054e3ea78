// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"math"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func policing(c *config.Host) { c.Limiter = config.LimiterPolice }

// flood sends more of some frames, in turns, than any limit here lets through, until the test, or what is returned, ends it.
func flood(t testing.TB, device netlink.Link, frames ...[]byte) (stop func()) {
	sender := testnet.NewSender(t, device)
	return testnet.Paced(t, time.Millisecond, func() {
		for i := range 20 {
			sender.Send(frames[i%len(frames)])
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

// rateAttempts: too much is wrong at once, too little may be the busy machine's doing.
const rateAttempts = 5

// expectRate checks a rate at the far side: not over it by more than a part of it, and not under by
// more than below. It is the median of many stretches, because a busy machine holds the sender up for
// longer than a bucket lasts now and then.
func (h *host) expectRate(what string, bitsPerSecond, over, below float64) {
	h.t.Helper()
	rates := make([]float64, 21)
	for range rateAttempts {
		for i := range rates {
			rates[i] = arriving(h.t, "far", 100*time.Millisecond)
		}
		slices.Sort(rates)
		rate := rates[len(rates)/2]
		h.t.Logf("%s: %.3f of %.1f Mbit/s", what, rate/1e6, bitsPerSecond/1e6)
		if rate > bitsPerSecond*(1+over) {
			break
		}
		if rate >= bitsPerSecond*(1-below) {
			return
		}
	}
	h.t.Errorf("%s: want %.1f Mbit/s", what, bitsPerSecond/1e6)
}

func TestPolicingLimitsUDPToItsRate(t *testing.T) {
	t.Parallel()
	h := newHost(t, policing).run()
	h.limit("vm0", 20_000_000)
	flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	h.expectRate("20 Mbit/s", 20e6, 0.01, 0.01)
	h.limit("vm0", 5_000_000)
	h.expectRate("changed live to 5 Mbit/s", 5e6, 0.01, 0.01)
	e := h.status().Endpoints[0]
	if g := e.Groups[0]; e.DroppedPackets < 1000 || g.DroppedPackets != 0 || e.BacklogBytes > 10_000 {
		t.Errorf("%d dropped, of them %d in the class, %d bytes queued: want all dropped by the bucket",
			e.DroppedPackets, g.DroppedPackets, e.BacklogBytes)
	}
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
	testnet.Until(t, "what is dropped counts as backlog, so that the law probes", func() bool {
		g, _ := h.group(testPort)
		return g.RateBitsPerSecond > 3_000_000
	})
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the group ends", func() bool { _, ok := h.group(testPort); return !ok })
	h.expectRate("the endpoint's ceiling again", 20e6, 0.01, 0.01)
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
	got := s.push(connection, 3*time.Second)
	e := s.status().Endpoints[0]
	t.Logf("%+v, %d dropped, %d windows lowered", got, e.DroppedPackets, e.RxClampedPackets)
	if got.retransmitted == 0 || e.DroppedPackets == 0 {
		t.Errorf("%d sent again, %d dropped: want loss", got.retransmitted, e.DroppedPackets)
	}
	if got.megabitsPerSecond > 20 {
		t.Errorf("%.1f Mbit/s of 20", got.megabitsPerSecond)
	}
	if got.megabitsPerSecond < 1 {
		t.Errorf("%.1f Mbit/s of 20: nothing passes", got.megabitsPerSecond)
	}
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
