// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// slowSparse has flows turn bulk after 4000 bytes, allows as much in the leaf, and is not refilled in a test's time.
var slowSparse = htb.Sparse{BytesPerSecond: 1, DepthBytes: 10_000, FlowBytes: 4000, LentBytes: 4000, Leaf: time.Hour}

// setSlowSparse has the group's tokens be as many as there can be.
func (f *fixture) setSlowSparse(sparse htb.Sparse) {
	f.SetSparse(endpointIndex, 0, sparse)
	g := f.groups.At(endpointIndex * groupSlots)
	g.SparseTokensBytes, g.SparseRefilledNanos = int64(sparse.DepthBytes), uint64(clock.Nanos())
}

// change rewrites what the programs keep of a flow.
func (f *fixture) change(frame testnet.Frame, with func(*bpfFlow)) {
	f.t.Helper()
	flows := f.flowTableOf(endpointIndex)
	key := bpfFlowKey{
		Local: toAddress(frame.Source), Remote: toAddress(frame.Destination), LocalPort: frame.SourcePort,
		RemotePort: frame.Port, Endpoint: endpointIndex, Protocol: frame.Protocol,
	}
	var flow bpfFlow
	if err := flows.Lookup(key, &flow); err != nil {
		f.t.Fatal(err)
	}
	with(&flow)
	if err := flows.Update(key, flow, ebpf.UpdateExist); err != nil {
		f.t.Fatal(err)
	}
}

// expectClass sends a frame and checks its class.
func (f *fixture) expectClass(what string, frame testnet.Frame, want uint32) {
	f.t.Helper()
	if got := f.fromVM(frame).context.Priority; got != want {
		f.t.Errorf("%s: class %x, want %x", what, got, want)
	}
}

func TestAFlowThatBecomesBulkStaysInTheSparseLeafUntilItPauses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bpfFlow)
		leaf   uint32
	}{
		"it goes on":                        {func(*bpfFlow) {}, 1},
		"after a pause":                     {func(flow *bpfFlow) { flow.LastNanos -= uint64(2 * time.Hour) }, bulkLeaf},
		"it never pauses":                   {func(flow *bpfFlow) { flow.TurnedNanos -= uint64(2 * time.Hour) }, bulkLeaf},
		"another CPU's packet is later":     {func(flow *bpfFlow) { flow.LastNanos += uint64(time.Minute) }, 1},
		"another CPU found it turned later": {func(flow *bpfFlow) { flow.TurnedNanos += uint64(time.Minute) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.setSlowSparse(slowSparse)
			for range 5 {
				f.expectClass("before", kilobyte(), class(0, 1))
			}
			f.change(kilobyte(), c.change)
			f.expectClass("then", kilobyte(), class(0, c.leaf))
		})
	}
}

// Whatever flows do, no more than a leaf has room for is in it beyond a quarter of the limit; and what is lent is paid back
// before other flows begin there.
func TestBulkBytesInASparseLeafAreBounded(t *testing.T) {
	f := newFixture(t)
	f.setSlowSparse(slowSparse)
	sparse := 0
	for range 10 {
		for port := range uint16(4) {
			frame := kilobyte()
			frame.SourcePort += port
			if f.fromVM(frame).context.Priority == class(0, 1) {
				sparse++
			}
		}
	}
	if want := 14; sparse != want {
		t.Errorf("%d kB in the sparse leaf, want %d", sparse, want)
	}
	fresh := kilobyte()
	fresh.SourcePort = 9000
	f.expectClass("a flow that begins now", fresh, class(0, bulkLeaf))
}

// A SYN is answered before data follow: these begin by the leaf that has room then.
func TestAConnectionsLeafIsChosenByItsFirstData(t *testing.T) {
	f := newFixture(t)
	f.setSlowSparse(slowSparse)
	f.expectClass("the SYN", tcpOut(testnet.SYN), class(0, 1))
	f.groups.At(endpointIndex * groupSlots).SparseTokensBytes = 0
	data := tcpOut(testnet.ACK)
	data.PayloadBytes = 1000
	f.expectClass("data, with no tokens left", data, class(0, bulkLeaf))
}

// Where there is no leaf nothing waits, and nothing is lent.
func TestWithoutASparseLeafBulkFlowsMoveAtOnce(t *testing.T) {
	f := newFixture(t)
	f.setSlowSparse(slowSparse.Unqueued())
	for range 4 {
		f.expectClass("before", kilobyte(), class(0, 1))
	}
	f.expectClass("beyond", kilobyte(), class(0, bulkLeaf))
}

func TestAFlowStaysInTheGroupThatItsPacketsAreQueuedIn(t *testing.T) {
	frame := kilobyte()
	for name, c := range map[string]struct {
		held  time.Duration
		to    int
		pause time.Duration
		want  uint32
	}{
		"packets wait":                {time.Hour, 1, 0, class(0, 1)},
		"nothing waits":               {-time.Second, 1, 0, class(1, 1)},
		"packets wait, and it paused": {time.Hour, 1, 2 * time.Minute, class(1, 1)},
		"what is residual goes":       {time.Hour, Residual, 0, class(0, bulkLeaf)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetSparse(endpointIndex, 1, htb.SparseOf(12_000_000, 1500, 0))
			f.LimitResidual(endpointIndex, htb.Residual{Reserving: htb.Reserving{BytesPerSecond: 1 << 30, Burst: time.Second}})
			f.expectClass("before", frame, class(0, 1))
			f.change(frame, func(flow *bpfFlow) { flow.LastNanos = uint64(clock.Nanos() + (time.Minute - c.pause).Nanoseconds()) })
			f.HoldFlows(endpointIndex, 0, clock.Nanos()+c.held.Nanoseconds())
			if err := f.SetDestination(endpointIndex, peer4, c.to); err != nil {
				t.Fatal(err)
			}
			offered := f.Offered(endpointIndex, Residual).Packets
			f.expectClass("then", frame, c.want)
			if residual := f.Offered(endpointIndex, Residual).Packets > offered; residual != (c.to == Residual) {
				t.Errorf("residual: %v", residual)
			}
			other := frame
			other.SourcePort++
			if c.to == 1 {
				f.expectClass("a flow that begins", other, class(1, 1))
			}
		})
	}
}

// A flow stays no longer than the agent said, whether or not it pauses.
func TestAFlowThatNeverPausesMovesWhenItsHoldTimeEnds(t *testing.T) {
	f := newFixture(t)
	f.SetSparse(endpointIndex, 1, htb.SparseOf(12_000_000, 1500, 0))
	frame := kilobyte()
	f.fromVM(frame)
	f.HoldFlows(endpointIndex, 0, clock.Nanos()+time.Hour.Nanoseconds())
	if err := f.SetDestination(endpointIndex, peer4, 1); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.change(frame, func(flow *bpfFlow) { flow.LastNanos = uint64(clock.Nanos() + time.Minute.Nanoseconds()) })
		f.expectClass("within its time", frame, class(0, 1))
	}
	f.HoldFlows(endpointIndex, 0, clock.Nanos())
	f.expectClass("then", frame, class(1, 1))
	f.HoldFlows(endpointIndex, 1, clock.Nanos()+time.Hour.Nanoseconds())
	f.expectClass("its own group's time", frame, class(1, 1))
}
