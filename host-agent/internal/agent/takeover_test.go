// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
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

// handOver ends the agent as a restart does.
func (h *host) handOver() {
	h.t.Helper()
	if err := h.handsOver(); err != nil {
		h.t.Fatal(err)
	}
}

// attacker sends as fast as it can: in turns what it may send, and what a filter has to drop.
func (h *host) attacker(allowed, forbidden []byte) {
	h.t.Helper()
	sender := testnet.NewSender(h.t, h.vm)
	testnet.Paced(h.t, time.Millisecond, func() {
		for range 4 {
			sender.Send(allowed)
			sender.Send(forbidden)
		}
	})
}

// expectLimited checks what arrives while something is done: the rate, that nothing is forged, and that all of it
// has been through the shim.
func (h *host) expectLimited(capture *testnet.Capture, bitsPerSecond float64, during func()) {
	h.t.Helper()
	capture.Waiting(udp)
	began := time.Now()
	during()
	frames := capture.Waiting(udp)
	elapsed := time.Since(began) // more came while these were read
	bytes, forged, untouched := 0, 0, 0
	for _, frame := range frames {
		bytes += len(frame)
		if !slices.Equal(frame[26:30], ownIP.AsSlice()) {
			forged++
		}
		if testnet.ECNOf(frame) != testnet.ECT0 {
			untouched++
		}
	}
	// A burst of a millisecond or two frames, and the queue, may leave at once.
	most := bitsPerSecond*elapsed.Seconds()*1.05/8 + bitsPerSecond*0.011/8 + 4*1514
	h.t.Logf("%d bytes in %v", bytes, elapsed)
	if forged > 0 || untouched > 0 || float64(bytes) > most {
		h.t.Errorf("in %v: %d bytes, %d forged frames, %d that no program has seen; want at most %.0f, 0, 0",
			elapsed, bytes, forged, untouched, most)
	}
	if bytes == 0 {
		h.t.Error("nothing passed at all")
	}
}

const takeoverBitsPerSecond = 5_000_000

// newAttacked is a host whose VM sends what it must not.
func newAttacked(t *testing.T) (*host, *testnet.Capture) {
	h := newHost(t, func(c *config.Host) { c.Uplink.CapacityMbps = takeoverBitsPerSecond / 1e6 })
	return h, testnet.NewCapture(t, h.far)
}

func (h *host) attack(capture *testnet.Capture) {
	h.attacker(outward(ownIP, peerIP, testnet.CE), outward(otherIP, peerIP, testnet.CE)) // forged marks: they are cleared
	testnet.Until(h.t, "the limit is reached", func() bool {
		capture.Waiting(udp)
		return h.backlogged()
	})
}

// backlogged reports whether something waits on the uplink.
func (h *host) backlogged() bool {
	qdiscs, err := netlink.QdiscList(testnet.Link(h.t, "up0"))
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.ContainsFunc(qdiscs, func(q netlink.Qdisc) bool {
		return q.Attrs().Statistics != nil && q.Attrs().Statistics.Queue.Backlog > 0
	})
}

func TestNoPacketIsUnlimitedDuringARestart(t *testing.T) {
	t.Parallel()
	h, capture := newAttacked(t)
	h.run()
	h.attack(capture)
	for range 3 {
		h.expectLimited(capture, takeoverBitsPerSecond, func() {
			h.handOver()
			time.Sleep(200 * time.Millisecond) // the length of what is measured
			h.run()
			time.Sleep(200 * time.Millisecond)
		})
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "a stop releases the host", func() bool {
		return slices.ContainsFunc(capture.Waiting(udp), func(frame []byte) bool { return testnet.ECNOf(frame) == testnet.CE })
	})
}

func TestNoPacketIsUnlimitedAfterAKill(t *testing.T) {
	t.Parallel()
	h, capture := newAttacked(t)
	h.settings.LeaseMillis = 300
	child := h.runChild()
	h.attack(capture)
	h.expectLimited(capture, takeoverBitsPerSecond, func() {
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		time.Sleep(2 * h.settings.Lease())
	})
	h.expectLimited(capture, takeoverBitsPerSecond, func() {
		h.run()
		time.Sleep(200 * time.Millisecond)
	})
}

// A version that numbers classes in another way cannot go on with them.
func TestNoPacketIsUnlimitedWhileClassesAreRecreated(t *testing.T) {
	t.Parallel()
	h, capture := newAttacked(t)
	h.run()
	h.attack(capture)
	h.expectLimited(capture, takeoverBitsPerSecond, func() {
		h.handOver()
		h.changeFootprint(func(f map[string]any) { f["layout"] = 1 })
		h.run()
		time.Sleep(200 * time.Millisecond)
	})
}

func (h *host) changeFootprint(change func(map[string]any)) {
	h.t.Helper()
	path := filepath.Join(h.settings.RunDirectory, "footprint.json")
	text, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		h.t.Fatal(err)
	}
	change(content)
	if text, err = json.Marshal(content); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func TestAFailedStartKeepsTheEarlierLimits(t *testing.T) {
	t.Parallel()
	h, capture := newAttacked(t)
	h.run()
	h.attack(capture)
	h.handOver()
	refused := errors.New("no certificate")
	h.expectLimited(capture, takeoverBitsPerSecond, func() {
		a := newAgent(h.settings, "test", nil, quiet, h.pace)
		err := a.start(func([]model.Endpoint) (controllers, error) { return nil, refused })
		if !errors.Is(err, refused) {
			t.Errorf("%v, want %v", err, refused)
		}
		time.Sleep(100 * time.Millisecond)
	})
	h.run()
}

// A share that a controller published holds over a restart, for the destinations that it held for, until
// controllers decide again.
func TestACongestedPortsLimitHoldsOverARestart(t *testing.T) {
	t.Parallel()
	const share = 1_000_000
	h := newHost(t, func(c *config.Host) { c.LeaseMillis = 400; slowLoop(c) })
	h.runObserved()
	h.share(share, 4, peerIP)
	sender := testnet.NewSender(t, h.vm)
	inForce := func() bool {
		use(sender, outward(ownIP, peerIP, testnet.NotECT))
		g, ok := h.group(testPort)
		return ok && g.SentPackets > 0
	}
	testnet.Until(t, "the share is in force", inForce)
	limit, _ := h.group(testPort)
	h.handOver()

	controller := &observer{t: t}
	controller.away.Store(true)
	h.runWith(controller.connect)
	held := h.heldGroup()
	if held == nil || held.RateBitsPerSecond != limit.RateBitsPerSecond {
		t.Fatalf("%+v, want the limit of %+v", held, limit)
	}
	testnet.Until(t, "packets to the port take the held class", func() bool {
		use(sender, outward(ownIP, peerIP, testnet.NotECT))
		now := h.heldGroup()
		return now != nil && now.SentPackets > held.SentPackets
	})
	controller.away.Store(false)
	h.share(share, 4, peerIP)
	testnet.Until(t, "the controller's share is in force", inForce)
	if h.heldGroup() != nil {
		t.Error("the earlier agent's limit is there beside the controller's")
	}
	h.handOver()

	h.runObserved()
	testnet.Until(t, "what no controller confirms ends after a lease", func() bool { return h.heldGroup() == nil })
}

// heldGroup is what an earlier agent's limit holds; nil: there is none.
func (h *host) heldGroup() *endpoints.GroupStatus {
	h.t.Helper()
	for _, g := range h.status().Endpoints[0].Groups {
		if g.Held {
			return &g
		}
	}
	return nil
}

func TestLearnedAddressesAndPoliciesSurviveARestart(t *testing.T) {
	t.Parallel()
	h := newHost(t, onBridge).run()
	second := h.addPort("second", "vm1")
	h.announce(h.vm, "vm0", ownIP)
	h.announce(second, "vm1", otherIP)
	h.limit("vm0", 7_000_000)
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{
		{Interface: "vm0", Tenant: "gold", Weight: 2, CeilingBitsPerSecond: 20_000_000},
		{Interface: "vm1", Tenant: "iron", Weight: 1, CeilingBitsPerSecond: 9_000_000},
	})
	testnet.Until(t, "the policies are in force", func() bool {
		e, _ := h.endpoint("vm1")
		return e.RateBitsPerSecond == 9_000_000
	})
	classes := h.parents()
	h.handOver()
	h.run()
	for name, want := range map[string]struct {
		tenant string
		rate   uint64
	}{"vm0": {"gold", 7_000_000}, "vm1": {"iron", 9_000_000}} {
		e, found := h.endpoint(name)
		if !found || e.Tenant != want.tenant || e.RateBitsPerSecond != want.rate || len(e.IPs) != 1 {
			t.Errorf("%s: %+v, want %+v and the address that it had", name, e, want)
		}
	}
	learned, err := engine.Call(h.agent.inbox, func() (map[string][]netip.Addr, error) {
		byName := map[string][]netip.Addr{}
		for _, e := range h.agent.loop.endpoints.All() {
			byName[e.Interface] = slices.Clone(e.Learned)
		}
		return byName, nil
	})
	if err != nil || len(learned["vm0"]) != 1 || len(learned["vm1"]) != 1 {
		t.Errorf("learned %v, %v: want what both have, since nobody has written it down", learned, err)
	}
	for class, parent := range h.parents() {
		if classes[class] != parent {
			t.Errorf("class %x is below %x now, was below %x", class, parent, classes[class])
		}
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

// An interface that is no endpoint any more is set free, with its classes; so is what an earlier uplink had.
func TestARestartReleasesInterfacesThatAreNoLongerEndpoints(t *testing.T) {
	t.Parallel()
	h, _ := newHostOf(t, 2, nil)
	h.run()
	h.handOver()
	h.settings.Endpoints.Static = h.settings.Endpoints.Static[:1]
	h.run()
	fresh := h.parents()
	if size := testnet.Link(t, "vm1").Attrs().GSOMaxSize; size != 65536 {
		t.Errorf("gso_max_size of vm1 is %d, want what it was", size)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
	h.run()
	if len(h.parents()) != len(fresh) {
		t.Errorf("%d classes after a fresh start, %d after the restart", len(h.parents()), len(fresh))
	}
}

func TestCleanupReleasesAHostAfterAHandOver(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.handOver()
	found, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory)
	if err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	_ = os.RemoveAll(h.settings.RunDirectory)
	h.expectNothingLeft()
}
