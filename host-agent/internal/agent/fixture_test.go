// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testProtocol = 253
	testPort     = model.Port("of:0000000000000001/5")
)

var (
	ownIP   = netip.MustParseAddr("10.0.0.1")
	peerIP  = netip.MustParseAddr("10.0.0.5")
	otherIP = netip.MustParseAddr("10.0.0.6")
)

var shims shim.Pool

var quiet = slog.New(slog.DiscardHandler)

// host is a hypervisor in a network namespace, with what lies beyond its devices in hand:
//
//	vm -- vm0 [bridge] up0 -- far
type host struct {
	t        testing.TB
	settings config.Host
	vm       netlink.Link
	far      netlink.Link
	agent    *Agent
	pace     engine.Pace  // of the agent that is started next
	agents   []netip.Addr // that messages have come from
	stop     func() error
	// handsOver ends the agent as a restart does.
	handsOver func() error
}

func newHost(t testing.TB, change func(*config.Host)) *host {
	return newHostWith(t, testnet.Guest, change)
}

// newHostWith is newHost whose VM is connected in a way of its own.
func newHostWith(t testing.TB, connect testnet.Connect, change func(*config.Host)) *host {
	t.Helper()
	testnet.Enter(t)
	vm, vm0 := connect(t, "vm", "vm0")
	far, up0 := testnet.Veth(t, "far", "up0")
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "br0"
	if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attributes}); err != nil {
		t.Fatal(err)
	}
	bridge := testnet.Link(t, "br0")
	for _, device := range []netlink.Link{vm0, up0} {
		if err := netlink.LinkSetMaster(device, bridge); err != nil {
			t.Fatal(err)
		}
	}
	if err := netlink.LinkSetUp(bridge); err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	settings := config.Host{
		Host:      "h1",
		Uplink:    config.Uplink{Interface: "up0", CapacityMbps: 50},
		AntiSpoof: true, VLANs: config.VLANsDrop, ECN: config.ECNClear, Enforcement: true, Limiter: config.LimiterShape,
		Law: config.LawSluice, ReceiverWindows: true,
		Endpoints: config.Sources{Source: config.SourceStatic, Static: []config.StaticEndpoint{
			{Interface: "vm0", MAC: "02:00:00:00:00:01", IPs: []string{ownIP.String()}},
		}},
		RunDirectory: filepath.Join(directory, "run"), BPFDirectory: filepath.Join(directory, "bpf"),
		LeaseMillis: 5000, AfterLease: config.AfterLeaseHold, TauMicros: 2500, ControlProtocol: testProtocol,
		TraceFile: filepath.Join(directory, "trace.jsonl"), CongestionQueueBoundMicros: 500,
	}
	if change != nil {
		change(&settings)
	}
	return &host{t: t, settings: settings, vm: vm, far: far, pace: engine.DefaultPace, agents: []netip.Addr{peerIP, otherIP}}
}

// run starts the agent and its engine; it stops with the test, if not before.
func (h *host) run() *host { return h.runWith(nil) }

// runWith is run with something else for the agent link, or with nil for its own.
func (h *host) runWith(connect connector) *host {
	h.t.Helper()
	a := newAgent(h.settings, "test", nil, quiet, h.pace)
	a.installation.load = func(through []int, controlProtocol int, _ bool) (*shim.Shim, error) {
		s, giveBack, err := shims.Take(through, controlProtocol)
		if err != nil {
			return nil, err
		}
		h.t.Cleanup(giveBack) // the agent stops before
		for _, address := range h.agents {
			err = errors.Join(err, s.SetHasAgent(address, true))
		}
		return s, err
	}
	if connect == nil {
		connect = a.linkControllers
	}
	if err := a.start(connect); err != nil {
		h.t.Fatalf("%v (this test needs root)", err)
	}
	h.agent = a
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	stopped := false
	end := func(how func() error) error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return errors.Join(<-done, how())
	}
	h.stop = func() error { return end(a.Stop) }
	h.handsOver = func() error { return end(a.HandOver) }
	stop := h.stop // this agent's: it may have handed over
	h.t.Cleanup(func() {
		if err := stop(); err != nil {
			h.t.Error(err)
		}
	})
	return h
}

func (h *host) status() Status {
	h.t.Helper()
	answer, err := h.agent.Handle(status.Request{Command: status.CommandStatus})
	if err != nil {
		h.t.Fatal(err)
	}
	return answer.(Status)
}

// group is the state of a port's group; false where there is none.
func (h *host) group(port model.Port) (endpoints.GroupStatus, bool) {
	h.t.Helper()
	for _, g := range h.status().Endpoints[0].Groups {
		if g.Port == port {
			return g, true
		}
	}
	return endpoints.GroupStatus{}, false
}

// slowLoop has the laws step so seldom that packets and feedback come within every step or two, however
// busy the machine is. Without feedback marks count for four steps: at the usual 2.5 ms that would happen
// now and then.
func slowLoop(c *config.Host) { c.TauMicros = 50_000 }

// use sends more than half of what a class of 10 Mbit/s carries in a step of slowLoop.
func use(sender *testnet.Sender, frame []byte) {
	for range 50 {
		sender.Send(frame)
	}
}

// shareWithLoan publishes a unit share of a port where so many times as much is lent.
func (h *host) shareWithLoan(bitsPerSecond uint64, lentPart float64, destinations ...netip.Addr) {
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{
		Port: testPort, UnitShareBitsPerSecond: bitsPerSecond, CapacityBitsPerSecond: 10 * bitsPerSecond,
		LentPart:  lentPart,
		Endpoints: []model.ControlledEndpoint{{Interface: "vm0", Destinations: destinations}},
	}})
}

// share publishes a unit share for this host's endpoint.
func (h *host) share(bitsPerSecond uint64, activeWeight float64, destinations ...netip.Addr) {
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{
		Port: testPort, UnitShareBitsPerSecond: bitsPerSecond,
		CapacityBitsPerSecond: uint64(float64(bitsPerSecond) * activeWeight), ActiveWeight: activeWeight,
		Endpoints: []model.ControlledEndpoint{{Interface: "vm0", Destinations: destinations}},
	}})
}

// outward is a datagram of the VM's, inward one to it.
func outward(source, destination netip.Addr, ecn uint8) []byte {
	return datagram(source, destination, ecn, []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1})
}

func inward(source, destination netip.Addr, ecn uint8) []byte {
	return datagram(source, destination, ecn, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5})
}

func datagram(source, destination netip.Addr, ecn uint8, macs []byte) []byte {
	frame := testnet.Frame{
		Source: source, Destination: destination, Protocol: testnet.UDP,
		SourcePort: 1000, Port: 2000, ECN: ecn, PayloadBytes: 958,
	}.Build()
	copy(frame, macs)
	return frame
}

// expectNothingLeft checks that an agent's traces are gone.
func (h *host) expectNothingLeft() {
	h.t.Helper()
	for _, directory := range []string{h.settings.RunDirectory, h.settings.BPFDirectory} {
		if _, err := os.Stat(directory); !os.IsNotExist(err) {
			h.t.Errorf("%s is still there (%v)", directory, err)
		}
	}
	up0 := testnet.Link(h.t, "up0")
	qdiscs, err := netlink.QdiscList(up0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, qdisc := range qdiscs {
		if qdisc.Type() != "noqueue" {
			h.t.Errorf("qdisc %s is still on the uplink", qdisc.Type())
		}
	}
	if size := testnet.Link(h.t, "vm0").Attrs().GSOMaxSize; size != 65536 {
		h.t.Errorf("gso_max_size is %d, want what it was", size)
	}
	// A program that stayed would drop this one's foreign source address.
	capture := testnet.NewCapture(h.t, h.far)
	frame := capture.FirstOf(testnet.NewSender(h.t, h.vm), testnet.IPProtocol(testnet.UDP), outward(otherIP, peerIP, testnet.CE))
	if testnet.ECNOf(frame) != testnet.CE {
		h.t.Error("a program still changes packets")
	}
}
