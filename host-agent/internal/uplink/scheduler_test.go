// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testMTU      = 1500
	testCapacity = 50 * megabit
)

// bench is an uplink in a network namespace of the test's own.
type bench struct {
	t         testing.TB
	device    netlink.Link
	far       netlink.Link
	tree      *htb.Tree
	scheduler *Scheduler
	closed    map[int]bool // gates
	closings  int
}

func (b *bench) Close(index int) {
	b.closed[index] = true
	b.closings++
}

func (b *bench) Open(index int) { delete(b.closed, index) }

func newBench(t testing.TB) *bench {
	t.Helper()
	testnet.Enter(t)
	device, far := testnet.Veth(t, "up0", "far")
	conn, err := htb.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	tree, err := htb.NewTree(conn, "up0", device.Attrs().Index, testMTU, testCapacity, false)
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	b := &bench{t: t, device: device, far: far, tree: tree, closed: map[int]bool{}}
	b.scheduler = NewScheduler(tree, testCapacity, testMTU, b)
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// claim puts claims of endpoints 1, 2, ... into force; 0 is no ceiling.
func (b *bench) claim(claims ...Claim) {
	b.t.Helper()
	for i, claim := range claims {
		if claim.CeilingBitsPerSecond == 0 {
			claim.CeilingBitsPerSecond = testCapacity
		}
		b.must(b.scheduler.Put(i+1, claim))
	}
	b.must(b.scheduler.Apply())
	for i := range claims {
		// Queues so long that they do not run empty while the machine does something else.
		b.must(b.tree.FitLeaves(i+1, 0, testCapacity, 200_000, 0))
	}
}

const (
	sparse = 1
	bulk   = 3
)

// leafClass is one below an endpoint's default group, as the programs number them.
func leafClass(endpoint, leaf int) uint32 { return endpointClass(endpoint) | uint32(leaf) }

func endpointClass(endpoint int) uint32 { return htb.Handle | uint32(endpoint)<<5 }

// flood fills the bulk queues of endpoints as fast as it goes, until the test ends.
func (b *bench) flood(endpoints ...int) { b.t.Helper(); b.floodLeaves(bulk, endpoints...) }

func (b *bench) floodLeaves(leaf int, endpoints ...int) {
	b.t.Helper()
	sender := testnet.NewSender(b.t, b.device)
	frame := make([]byte, 1514)
	testnet.Paced(b.t, time.Millisecond, func() { // the queues hold 80 ms and more
		for _, endpoint := range endpoints {
			sender.Priority(leafClass(endpoint, leaf))
			for range 5 { // the uplink carries 4
				sender.Send(frame)
			}
		}
	})
}

func (b *bench) waitUntilBacklogged(endpoints ...int) {
	b.t.Helper()
	testnet.Until(b.t, "every queue is filled", func() bool {
		return !slices.ContainsFunc(endpoints, func(endpoint int) bool {
			stats, err := b.tree.Bulk(endpoint, 0)
			b.must(err)
			return stats.BacklogPackets < 50
		})
	})
}

func (b *bench) classes() map[uint32]*netlink.HtbClass {
	b.t.Helper()
	list, err := netlink.ClassList(b.device, netlink.HANDLE_NONE)
	b.must(err)
	found := map[uint32]*netlink.HtbClass{}
	for _, class := range list {
		found[class.Attrs().Handle] = class.(*netlink.HtbClass)
	}
	return found
}

// tenantOf is the class above an endpoint's.
func (b *bench) tenantOf(endpoint uint32) uint32 {
	b.t.Helper()
	class := b.classes()[endpointClass(int(endpoint))]
	if class == nil {
		b.t.Fatalf("endpoint %d has no class", endpoint)
	}
	return class.Parent
}

func TestTenantsClassesAreAddedAndRemovedWithTheirEndpoints(t *testing.T) {
	b := newBench(t)
	const many = 260 // more than a byte numbers
	trunk := len(b.classes())
	for round := range 3 { // numbers are used again
		for i := 1; i <= many; i++ {
			b.must(b.scheduler.Put(i, Claim{Tenant: fmt.Sprint(i), Weight: float64(i), CeilingBitsPerSecond: testCapacity}))
		}
		b.must(b.scheduler.Apply())
		if got, want := len(b.classes()), trunk+many*5; got != want {
			t.Fatalf("round %d: %d classes, want %d: tenant, endpoint, group and two leaves for each", round, got, want)
		}
		for i := 1; i <= many; i++ {
			b.must(b.scheduler.Put(i, Claim{Tenant: "all", Weight: 1, CeilingBitsPerSecond: testCapacity}))
		}
		b.must(b.scheduler.Apply())
		if got, want := len(b.classes()), trunk+1+many*4; got != want {
			t.Fatalf("round %d: %d classes with one tenant, want %d", round, got, want)
		}
		for i := 1; i <= many; i++ {
			b.must(b.scheduler.Remove(i))
		}
		b.must(b.scheduler.Apply())
		if got := len(b.classes()); got != trunk {
			t.Fatalf("round %d: %d classes are left, want %d", round, got, trunk)
		}
	}
}

func TestEndpointsThatAllChangeTenantKeepTheirClass(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "default", Weight: 1}, Claim{Tenant: "default", Weight: 1})
	before := b.tenantOf(1)
	b.claim(Claim{Tenant: "gold", Weight: 1}, Claim{Tenant: "gold", Weight: 1})
	if b.tenantOf(1) != before || b.closings != 0 {
		t.Error("classes were moved, although all of the tenant's endpoints became another's")
	}
	b.claim(Claim{Tenant: "gold", Weight: 1}, Claim{Tenant: "iron", Weight: 1})
	if b.tenantOf(1) != before || b.tenantOf(2) == before || b.closings != 1 || len(b.closed) != 0 {
		t.Errorf("%d gates closed, %d still, want that the second alone has moved", b.closings, len(b.closed))
	}
}

// numbered gives a frame a number, by which a test checks their order.
func numbered(frame []byte, number uint32) []byte {
	binary.BigEndian.PutUint16(frame[12:], 0x88b5) // for local experiments
	binary.BigEndian.PutUint32(frame[14:], number)
	return frame
}

func isNumbered(frame []byte) bool { return binary.BigEndian.Uint16(frame[12:]) == 0x88b5 }

// An endpoint with a standing queue becomes another tenant's, back and forth, while it goes on sending as
// much as its limit lets through and the uplink is full.
func TestAnEndpointMovesToAnotherTenantWithoutLossOrReordering(t *testing.T) {
	b := newBench(t)
	limited := func(tenant string) Claim {
		return Claim{Tenant: tenant, Weight: 2, CeilingBitsPerSecond: 20 * megabit}
	}
	others := []Claim{{Tenant: "a", Weight: 1}, {Tenant: "b", Weight: 1}}
	b.claim(append([]Claim{limited("a")}, others...)...)
	capture := testnet.NewCapture(t, b.far)
	b.flood(2, 3)
	b.waitUntilBacklogged(2, 3)

	// 2 packets per ms are 24 Mbit/s: a queue stands all the time. It holds 264 packets: half that rate when it is well filled.
	const moves, period, wellFilled = 6, 500 * time.Microsecond, 100
	var queued atomic.Uint64
	sender := testnet.NewSender(t, b.device)
	sender.Priority(leafClass(1, bulk))
	packets, turns := uint32(0), 0
	stop := testnet.Paced(t, period, func() {
		if turns++; turns%2 == 0 || queued.Load() < wellFilled {
			sender.Send(numbered(make([]byte, 1514), packets))
			packets++
		}
	})
	var order []uint32
	receive := func() {
		for _, frame := range capture.Waiting(isNumbered) {
			order = append(order, binary.BigEndian.Uint32(frame[14:]))
		}
	}
	moved, tenants := 0, []string{"b", "a"}
	testnet.Until(t, "it has moved several times with a standing queue", func() bool {
		receive()
		stats, err := b.tree.Bulk(1, 0)
		b.must(err)
		queued.Store(uint64(stats.BacklogPackets))
		if stats.BacklogPackets > 20 {
			b.must(b.scheduler.Put(1, limited(tenants[moved%2])))
			b.must(b.scheduler.Apply())
			moved++
		}
		return moved == moves
	})
	stop()
	testnet.Until(t, "the last packet has come", func() bool {
		receive()
		return len(order) > 0 && order[len(order)-1] == packets-1
	})
	if len(order) != int(packets) || !slices.IsSorted(order) {
		t.Errorf("%d of %d packets came, in order: %v", len(order), packets, slices.IsSorted(order))
	}
	if b.closings != moves || len(b.closed) != 0 {
		t.Errorf("%d gates closed for %d moves, %d still", b.closings, moves, len(b.closed))
	}
}
