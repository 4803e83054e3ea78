// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// Test runs happen on loopback; the uplink is another device.
const (
	testIfindex   = 1
	uplinkIfindex = 77
	testProtocol  = 253
	endpointIndex = 3
)

const (
	verdictNext = 0xffffffff
	verdictDrop = 2
)

var (
	own4   = netip.MustParseAddr("10.0.0.1")
	peer4  = netip.MustParseAddr("10.0.0.5")
	other4 = netip.MustParseAddr("10.0.0.6")
	own6   = netip.MustParseAddr("fd00::1")
	peer6  = netip.MustParseAddr("fd00::5")

	// ownLinkLocal is made of testnet.VMMAC.
	ownLinkLocal = netip.MustParseAddr("fe80::ff:fe00:1")
	allNodes     = netip.MustParseAddr("ff02::1")
	everybody4   = netip.MustParseAddr("255.255.255.255")
)

// agents are the addresses that have one.
var agents = []netip.Addr{peer4, peer6, other4}

// skbContext is struct __sk_buff as BPF_PROG_TEST_RUN takes and returns it.
type skbContext struct {
	_              [2]uint32
	Mark           uint32
	_              [5]uint32
	Priority       uint32
	IngressIfindex uint32
	Ifindex        uint32
	_              [25]uint32
	FlowKeys       uint64
	Timestamp      uint64
	WireLength     uint32
	GSOSegments    uint32
	Socket         uint64
	GSOSize        uint32
	_              uint32
	HardwareStamp  uint64
}

// fixture is a shim with one endpoint, enforcing, its lease far from its end.
type fixture struct {
	*Shim
	t testing.TB
}

var shims = Pool{KeepsFlowsOf: endpointIndex}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	s, giveBack, err := shims.Take([]int{uplinkIfindex}, testProtocol)
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		giveBack()
	})
	f := &fixture{s, t}
	addresses := []netip.Addr{own4, own6}
	if err := s.AddEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, addresses, EndpointOptions{AntiSpoof: true}); err != nil {
		t.Fatal(err)
	}
	var kept uint32
	err = s.objects.FlowTables.Lookup(uint32(endpointIndex), &kept)
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		err = s.GiveFlows(endpointIndex)
	}
	if err := errors.Join(err, s.SetMAC(endpointIndex, testnet.VMMAC[:])); err != nil {
		t.Fatal(err)
	}
	for _, peer := range agents {
		if err := s.SetHasAgent(peer, true); err != nil {
			t.Fatal(err)
		}
	}
	s.SetSparse(endpointIndex, 0, htb.SparseOf(12_000_000, 1500, 0))
	s.SetEnforcing(true)
	s.RenewLease(clock.Nanos() + time.Hour.Nanoseconds())
	return f
}

// outcome is what a program did with a frame.
type outcome struct {
	verdict uint32
	frame   []byte
	context skbContext
}

func (f *fixture) run(program *ebpf.Program, frame []byte, context skbContext) outcome {
	f.t.Helper()
	context.Ifindex = testIfindex
	result := outcome{frame: make([]byte, len(frame)+256)}
	options := ebpf.RunOptions{Data: frame, DataOut: result.frame, Context: context, ContextOut: &result.context}
	verdict, err := program.Run(&options)
	if err != nil {
		f.t.Fatalf("%v: %x", err, frame)
	}
	result.verdict, result.frame = verdict, options.DataOut
	return result
}

// fromVM is a frame coming from the endpoint.
func (f *fixture) fromVM(frame testnet.Frame) outcome {
	f.t.Helper()
	return f.run(f.objects.FromVm, frame.Build(), skbContext{})
}

// toVM is a frame going to the endpoint that came over the uplink.
func (f *fixture) toVM(frame testnet.Frame) outcome {
	f.t.Helper()
	return f.run(f.objects.ToVm, frame.Build(), skbContext{IngressIfindex: uplinkIfindex})
}

func udpOut() testnet.Frame {
	return testnet.Frame{
		Source: own4, Destination: peer4, Protocol: testnet.UDP, SourcePort: 1000, Port: 2000, PayloadBytes: 100,
	}
}

func tcpOut(flags uint8) testnet.Frame {
	return testnet.Frame{
		Source: own4, Destination: peer4, Protocol: testnet.TCP, SourcePort: 1000, Port: 80, TCPFlags: flags,
	}
}

func tcpIn(flags, ecn uint8) testnet.Frame {
	return testnet.Frame{
		Source: peer4, Destination: own4, Protocol: testnet.TCP, SourcePort: 80, Port: 1000, TCPFlags: flags, ECN: ecn,
	}
}

func (f *fixture) onlyPair() PairCounters {
	f.t.Helper()
	var found []PairCounters
	for pair := range f.Pairs() {
		found = append(found, pair)
	}
	if len(found) != 1 {
		f.t.Fatalf("pairs: %d, want 1", len(found))
	}
	return found[0]
}

// flowTableOf is an endpoint's table of flows.
func (f *fixture) flowTableOf(endpoint int) *ebpf.Map {
	f.t.Helper()
	var flows *ebpf.Map
	if err := f.objects.FlowTables.Lookup(uint32(endpoint), &flows); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = flows.Close() })
	return flows
}
