// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"encoding/binary"
	"fmt"
	"math"
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

// sent reads what endpoints have sent so far.
func (b *bench) sent(endpoints int) []float64 {
	b.t.Helper()
	bytes := make([]float64, endpoints)
	for i := range bytes {
		stats, err := b.tree.Group(i+1, 0)
		b.must(err)
		bytes[i] = float64(stats.Total().SentBytes)
	}
	return bytes
}

// rates measures what endpoints 1, 2, ... send, in Mbit/s.
func (b *bench) rates(endpoints int, length time.Duration) []float64 {
	b.t.Helper()
	before, began := b.sent(endpoints), time.Now()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, ended := b.sent(endpoints), time.Now()
	for i := range after {
		after[i] = (after[i] - before[i]) * 8 / megabit / ended.Sub(began).Seconds()
	}
	return after
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

// within reports whether rates are as wanted, to a part; a wanted rate of 0 is not checked.
func within(got, want []float64, tolerance float64) bool {
	for i := range want {
		if want[i] > 0 && math.Abs(got[i]-want[i]) > want[i]*tolerance {
			return false
		}
	}
	return true
}

// holds checks rates to 5 %.
func (b *bench) holds(want ...float64) {
	b.t.Helper()
	b.holdsWithin(0.05, want...)
}

// holdsWithin checks rates over some windows: a busy machine may spoil one of them, not all.
func (b *bench) holdsWithin(tolerance float64, want ...float64) {
	b.t.Helper()
	const windows = 6
	length := 400 * time.Millisecond
	for _, megabits := range want {
		if megabits > 0 { // two frames more or less are within the tolerance
			length = max(length, time.Duration(2*testFrame*8/(megabits*tolerance)*1e3))
		}
	}
	var all []string
	for range windows {
		got := b.rates(len(want), length)
		all = append(all, fmt.Sprintf("%.2f", got))
		if within(got, want, tolerance) {
			b.t.Logf("%v Mbit/s, want %v", all, want)
			return
		}
	}
	b.t.Errorf("%v Mbit/s, want %v within %.0f %%", all, want, tolerance*100)
}

func TestTenantsShareTheUplinkByWeight(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "gold", Weight: 2}, Claim{Tenant: "iron", Weight: 1})
	b.flood(1, 2)
	b.waitUntilBacklogged(1, 2)
	b.holds(33.33, 16.67)
}

func TestFourEndpointsOfATenantShareTheRateOfOneOfAnother(t *testing.T) {
	b := newBench(t)
	quarter := Claim{Tenant: "many", Weight: 0.25}
	b.claim(quarter, quarter, quarter, quarter, Claim{Tenant: "one", Weight: 1})
	b.flood(1, 2, 3, 4, 5)
	b.waitUntilBacklogged(1, 2, 3, 4, 5)
	b.holds(6.25, 6.25, 6.25, 6.25, 25)
}

func TestAGuaranteeAboveTheWeightedShareHolds(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 1, GuaranteeBitsPerSecond: 30 * megabit},
		Claim{Tenant: "b", Weight: 1}, Claim{Tenant: "c", Weight: 3})
	b.flood(1, 2, 3)
	b.waitUntilBacklogged(1, 2, 3)
	b.holds(30, 5, 15)
}

func TestCeilingsHoldAndLeaveTheRestToOthers(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 1, CeilingBitsPerSecond: 10 * megabit},
		Claim{Tenant: "b", Weight: 1}, Claim{Tenant: "b", Weight: 1})
	b.flood(1, 2, 3)
	b.waitUntilBacklogged(1, 2, 3)
	b.holds(10, 20, 20)
}

// What an endpoint does not use is its tenant's before it is anybody else's.
func TestAnIdleEndpointsShareStaysInItsTenant(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "b", Weight: 2})
	b.flood(2, 3)
	b.waitUntilBacklogged(2, 3)
	b.holds(0, 25, 25)
}

// 27 of 30 tenants are silent: nearly all of the uplink is lent.
func TestIdleTenantsSharesAreDividedByWeight(t *testing.T) {
	b := newBench(t)
	claims := []Claim{
		{Tenant: "a", Weight: 1}, {Tenant: "a", Weight: 1}, {Tenant: "a", Weight: 1}, {Tenant: "a", Weight: 1},
		{Tenant: "b", Weight: 4}, {Tenant: "c", Weight: 2},
	}
	for i := range 27 {
		claims = append(claims, Claim{Tenant: fmt.Sprint("silent ", i), Weight: 4})
	}
	b.claim(claims...)
	b.flood(1, 5, 6)
	b.waitUntilBacklogged(1, 5, 6)
	offered := make([]uint64, htb.MaxGroups+1)
	for nanos := range int64(2) {
		b.must(b.scheduler.Observe((nanos+1)*int64(time.Second), func(endpoint int) []uint64 {
			offered[0] = 0
			if endpoint == 1 || endpoint == 5 || endpoint == 6 {
				offered[0] = uint64(nanos + 1)
			}
			return offered
		}))
	}
	b.holds(20, 0, 0, 0, 20, 10)
}

// settleWithin is how long weights may take to hold after a change.
const settleWithin = 200 * time.Millisecond

// settles reports how long after a change to these weights the two tenants' rates hold them, and whether that
// was in time.
func (b *bench) settles(first, second float64) (time.Duration, bool) {
	b.t.Helper()
	const window = 40 * time.Millisecond // 50 frames of the lesser rate: 2 % are one of them
	changed := time.Now()
	b.claim(Claim{Tenant: "a", Weight: first}, Claim{Tenant: "b", Weight: second})
	want := []float64{50 * first / (first + second), 50 * second / (first + second)}
	for !within(b.rates(2, window), want, 0.07) {
		if time.Since(changed) > settleWithin {
			return 0, false
		}
	}
	return time.Since(changed), true
}

func TestChangedWeightsHoldAtOnce(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 4}, Claim{Tenant: "b", Weight: 1})
	b.flood(1, 2)
	b.waitUntilBacklogged(1, 2)
	b.holds(40, 10)
	for _, weights := range [][2]float64{{1, 4}, {1, 1}, {3, 2}} {
		const attempts = 5 // a busy machine may leave queues empty in some
		took, inTime := b.settles(weights[0], weights[1])
		for range attempts - 1 {
			if !inTime {
				b.settles(weights[1]+1, weights[0])
				took, inTime = b.settles(weights[0], weights[1])
			}
		}
		if !inTime {
			t.Errorf("weights %v do not hold within %v", weights, settleWithin)
		}
		t.Logf("weights %v hold %v after the change", weights, took)
	}
	b.holds(30, 20)
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

func TestLimitsStayExact(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "b", Weight: 1})
	b.flood(1)
	for _, megabits := range []uint64{2, 10, 25, 45} {
		b.must(b.tree.SetGroup(1, 0, megabits*megabit))
		b.claim(Claim{Tenant: "a", Weight: 1, CeilingBitsPerSecond: megabits * megabit}, Claim{Tenant: "b", Weight: 1})
		b.waitUntilBacklogged(1)
		b.holdsWithin(0.01, float64(megabits))
	}
}

// Endpoints that pass all they send off as sparse flows have their turns, no more: those who send bulk keep what
// they own, and their turn of what others leave.
func TestSparseFlowsGetNoPriorityOverOtherEndpoints(t *testing.T) {
	b := newBench(t)
	even := Claim{Tenant: "a", Weight: 1}
	b.claim(even, even, even, even, even)
	b.floodLeaves(sparse, 2, 3, 4, 5)
	b.floodLeaves(bulk, 1)
	b.waitUntilBacklogged(1)
	if got := b.rates(5, time.Second); got[0] < 0.9*10 {
		t.Errorf("%.1f Mbit/s: want the bulk of one of five to have its part of 50", got)
	}
	// What a silent sixth leaves, half of the uplink, is lent.
	b.claim(even, even, even, even, even, Claim{Tenant: "a", Weight: 5})
	got := b.rates(5, time.Second)
	t.Logf("%.1f Mbit/s", got)
	if got[0] < 0.8*10 {
		t.Errorf("%.1f Mbit/s: want the bulk of one of five to have nearly its part of 50", got)
	}
}

// A sparse leaf owns a part of the endpoint's rate, and what it sends counts for the limits all the same.
func TestSparseAndBulkTogetherStayWithinTheLimit(t *testing.T) {
	b := newBench(t)
	b.claim(Claim{Tenant: "a", Weight: 1, CeilingBitsPerSecond: 10 * megabit}, Claim{Tenant: "b", Weight: 1})
	b.must(b.tree.SetGroup(1, 0, 8*megabit))
	b.flood(1)
	b.waitUntilBacklogged(1)
	sender := testnet.NewSender(t, b.device)
	sender.Priority(leafClass(1, sparse))
	// 2 Mbit/s, a quarter of the limit: what the shim lets into the leaf.
	testnet.Paced(t, 4*time.Millisecond, func() { sender.Send(make([]byte, 1000)) })
	b.holdsWithin(0.01, 8)
	if stats, err := b.tree.Group(1, 0); err != nil || stats.Sparse.SentBytes == 0 || stats.Sparse.BacklogPackets > 1 {
		t.Errorf("%+v, %v: the sparse frames wait", stats.Sparse, err)
	}
}
