// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testMTU      = 1500
	testCapacity = 50_000_000
)

// bench is a device in a network namespace of the test's own.
type bench struct {
	t      testing.TB
	conn   *Conn
	device netlink.Link
	sender *testnet.Sender
}

func newBench(t testing.TB) *bench {
	t.Helper()
	testnet.Enter(t)
	device, _ := testnet.Veth(t, "up0", "far")
	conn, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &bench{t, conn, device, testnet.NewSender(t, device)}
}

func (b *bench) ifindex() int { return b.device.Attrs().Index }

func (b *bench) tree(replace bool) (*Tree, error) {
	return NewTree(b.conn, "up0", b.ifindex(), testMTU, testCapacity, replace)
}

func (b *bench) mustTree() *Tree {
	b.t.Helper()
	tree, err := b.tree(false)
	if err != nil {
		b.t.Fatalf("%v (this test needs root)", err)
	}
	return tree
}

// borrower is the part of a class that owns next to nothing.
func borrower(ceiling uint64) Part {
	return Part{CeilingBitsPerSecond: ceiling, QuantumBytes: 2 * FrameBytes(testMTU)}
}

// addEndpoint makes a borrower's classes below tenant 1, which may have the whole uplink.
func (b *bench) addEndpoint(tree *Tree, endpoint int, ceiling uint64) {
	b.t.Helper()
	if len(tree.endpoints) == 0 {
		b.must(tree.AddTenant(1, Part{RateBitsPerSecond: testCapacity, CeilingBitsPerSecond: testCapacity}))
	}
	b.must(tree.AddEndpoint(endpoint, 1, borrower(ceiling)))
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// classes reads the tree by another implementation than ours.
func (b *bench) classes() map[uint32]*netlink.HtbClass {
	b.t.Helper()
	list, err := netlink.ClassList(b.device, netlink.HANDLE_NONE)
	b.must(err)
	found := map[uint32]*netlink.HtbClass{}
	for _, class := range list {
		if class, is := class.(*netlink.HtbClass); is { // a leaf's flows are classes, too
			found[class.Attrs().Handle] = class
		}
	}
	return found
}

func (b *bench) rootKind() (string, uint32) {
	b.t.Helper()
	found, err := b.conn.readRoot(b.ifindex())
	b.must(err)
	return found.kind, found.handle
}

// reading is a class's counter and when it was read.
type reading struct {
	bytes uint64
	at    time.Time
}

// read takes a reading whose time is certain, however busy the machine.
func (b *bench) read(class uint32) reading {
	b.t.Helper()
	const certain = 500 * time.Microsecond
	for attempt := 0; ; attempt++ {
		before := time.Now()
		stats, err := b.conn.classStats(b.ifindex(), class)
		b.must(err)
		if took := time.Since(before); took < certain {
			return reading{stats.SentBytes, before.Add(took / 2)}
		}
		if attempt == 1000 {
			b.t.Fatalf("the machine is too busy: a counter cannot be read within %v", certain)
		}
	}
}

// flood fills classes in turn for as long as it takes, and returns what each sent per second.
func (b *bench) flood(duration time.Duration, classes ...uint32) map[uint32]float64 {
	b.t.Helper()
	frame := make([]byte, 1514)
	fill := func(duration time.Duration) {
		for until := time.Now().Add(duration); time.Now().Before(until); {
			for _, class := range classes {
				b.sender.Priority(class)
				b.sender.Send(frame)
			}
		}
	}
	fill(50 * time.Millisecond) // the bursts are over then
	before := map[uint32]reading{}
	for _, class := range classes {
		before[class] = b.read(class)
	}
	fill(duration)
	rates := map[uint32]float64{}
	for _, class := range classes {
		after := b.read(class)
		elapsed := after.at.Sub(before[class].at).Seconds()
		rates[class] = float64(after.bytes-before[class].bytes) * 8 / elapsed
	}
	return rates
}

// holds floods classes until together they get a rate. A machine that has other things to do leaves
// the queues empty now and then, which can only lower what passes: that is tried again. More than
// the limit must never pass.
func (b *bench) holds(what string, want float64, classes ...uint32) {
	b.t.Helper()
	const windows, tolerance = 8, 0.02
	var got []string
	for range windows {
		sum := 0.0
		for _, rate := range b.flood(400*time.Millisecond, classes...) {
			sum += rate
		}
		got = append(got, fmt.Sprintf("%.0f", sum))
		if sum > want*(1+tolerance) {
			break
		}
		if sum >= want*(1-tolerance) {
			return
		}
	}
	b.t.Errorf("%s: %v, want %.0f within %.0f %%", what, got, want, tolerance*100)
}

func TestTheKernelsClassesMatchTheTree(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.addEndpoint(tree, 2, 20_000_000)
	b.must(tree.AddGroup(2, 3, 12_000_000))
	b.must(tree.SetGroup(2, 3, 8_000_000))
	b.must(tree.SetEndpoint(2, borrower(30_000_000)))

	classes := b.classes()
	for handle, ceiling := range map[uint32]uint64{
		0x51ce0001: testCapacity, tenantClass(1): testCapacity, endpointClass(2): 30_000_000,
		groupClass(2, 0): 20_000_000, groupClass(2, 3): 8_000_000,
		leafClass(2, 0, sparseLeaf): testCapacity, leafClass(2, 0, bulkLeaf): testCapacity, leafClass(2, 3, sparseLeaf): testCapacity, leafClass(2, 3, bulkLeaf): testCapacity,
	} {
		class := classes[handle]
		if class == nil {
			t.Errorf("class %x is missing", handle)
		} else if class.Ceil*8 != ceiling {
			t.Errorf("class %x: ceiling %d, want %d", handle, class.Ceil*8, ceiling)
		}
	}
	if sparse, bulk := classes[leafClass(2, 3, sparseLeaf)], classes[leafClass(2, 3, bulkLeaf)]; sparse.Prio != bulk.Prio {
		t.Error("sparse is served before the bulk of others")
	}
	for child, parent := range map[uint32]uint32{
		groupClass(2, 3): endpointClass(2), endpointClass(2): tenantClass(1), tenantClass(1): 0x51ce0001,
	} {
		if got := classes[child].Parent; got != parent {
			t.Errorf("the parent of %x is %x, want %x", child, got, parent)
		}
	}

	b.must(tree.RemoveGroup(2, 3))
	if left := b.classes(); left[groupClass(2, 3)] != nil || left[leafClass(2, 3, bulkLeaf)] != nil || left[groupClass(2, 0)] == nil {
		t.Error("removing a group must remove it, its leaves and nothing else")
	}
	b.must(tree.Release())
	if kind, _ := b.rootKind(); kind != "noqueue" {
		t.Errorf("afterwards the root is %s, want the kernel's default", kind)
	}
}

func TestRemovedEndpointsLeaveNoClass(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	before := len(b.classes())
	b.addEndpoint(tree, 3, 10_000_000)
	b.must(tree.AddGroup(3, 2, 5_000_000))
	b.sender.Priority(leafClass(3, 2, bulkLeaf))
	for range 50 {
		b.sender.Send(make([]byte, 1500))
	}
	b.must(tree.RemoveEndpoint(3))
	b.must(tree.RemoveTenant(1))
	if left := len(b.classes()); left != before {
		t.Errorf("%d classes, %d before the endpoint came", left, before)
	}
	b.must(tree.RemoveEndpoint(3)) // nothing there
	b.must(tree.RemoveTenant(1))   // likewise
	b.addEndpoint(tree, 3, 10_000_000)
	if group, err := tree.Group(3, 0); err != nil || group.Total().SentPackets != 0 {
		t.Errorf("%+v, %v: want fresh classes", group, err)
	}
}

func TestLimitsHold(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 30_000_000)
	b.must(tree.AddGroup(1, 1, 12_000_000))
	b.must(tree.AddGroup(1, 2, 24_000_000))
	b.addEndpoint(tree, 2, testCapacity)
	// Queues so long that they do not run empty while the machine does something else.
	b.must(tree.FitLeaves(1, 1, testCapacity, 200_000, 0))
	b.must(tree.FitLeaves(1, 2, testCapacity, 200_000, 0))
	b.must(tree.FitLeaves(2, 0, testCapacity, 200_000, 0))
	first, second, other := leafClass(1, 1, bulkLeaf), leafClass(1, 2, bulkLeaf), leafClass(2, 0, bulkLeaf)

	b.holds("one group", 12_000_000, first)

	b.must(tree.SetGroup(1, 1, 6_000_000))
	b.holds("the group after a change", 6_000_000, first)

	b.must(tree.SetGroup(1, 1, 12_000_000))
	b.holds("an endpoint's groups in sum", 30_000_000, first, second)

	b.holds("all endpoints in sum", testCapacity, first, second, other)

	if stats, err := tree.Group(1, 1); err != nil || stats.Bulk.DroppedPackets == 0 {
		t.Errorf("drops are not counted: %+v, %v", stats, err)
	}
}

func TestSparseFlowsAreServedFirst(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 1_000_000)
	b.must(tree.FitLeaves(1, 0, 1_000_000, 0, 0))
	frame := make([]byte, 1514)
	b.sender.Priority(leafClass(1, 0, bulkLeaf))
	for range 8 {
		b.sender.Send(frame)
	}
	b.sender.Priority(leafClass(1, 0, sparseLeaf))
	b.sender.Send(frame)
	testnet.Until(t, "the sparse packet is sent", func() bool {
		stats, err := tree.Group(1, 0)
		b.must(err)
		if stats.Sparse.SentPackets == 1 && stats.Bulk.BacklogPackets == 0 {
			t.Fatal("the sparse packet waited for the bulk ones")
		}
		return stats.Sparse.SentPackets == 1
	})
}

func TestFlowsOfABulkLeafTakeTurnsWhereTheKernelHasFairQueues(t *testing.T) {
	b := newBench(t)
	far, err := netlink.LinkByName("far")
	b.must(err)
	arriving := testnet.NewCapture(t, far)
	isFair := netlink.QdiscAdd(&netlink.FqCodel{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: far.Attrs().Index, Handle: 1 << 16, Parent: netlink.HANDLE_ROOT,
	}}) == nil
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 1_000_000)
	b.must(tree.FitLeaves(1, 0, 1_000_000, 30_000, 0))
	if tree.lacksFairQueues == isFair {
		t.Errorf("the kernel has fair queues: %v, the tree lacks them: %v", isFair, tree.lacksFairQueues)
	}
	const frames = 12
	b.sender.Priority(leafClass(1, 0, bulkLeaf))
	for flow := range uint16(2) {
		frame := testnet.Frame{
			Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.2"),
			Protocol: testnet.UDP, SourcePort: 4000, Port: 5000 + flow, PayloadBytes: 1400,
		}.Build()
		for range frames {
			b.sender.Send(frame)
		}
	}
	ofTheSecond := []byte{5001 >> 8, 5001 & 0xff}
	before := 0
	arriving.Next(10*time.Second, func(frame []byte) bool {
		before++
		return bytes.Equal(frame[36:38], ofTheSecond)
	})
	if before--; (before < frames) != isFair {
		t.Errorf("%d frames of the first flow left before the second one's; fair queues: %v", before, isFair)
	}
	// It is resized in place, and counts what it refuses.
	b.must(tree.FitLeaves(1, 0, 1_000_000, 0, 0))
	for range 10 * frames {
		b.sender.Send(make([]byte, 1514))
	}
	if stats, err := tree.Group(1, 0); err != nil || stats.Bulk.DroppedPackets < frames {
		t.Errorf("drops are not counted: %+v, %v", stats, err)
	}
}

func TestLeavesAreSizedInBytes(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 1_000_000)
	frame := make([]byte, 1514)
	b.sender.Priority(leafClass(1, 0, bulkLeaf))
	for range 60 {
		b.sender.Send(frame)
	}
	stats, err := tree.Group(1, 0)
	b.must(err)
	// A fair queue is limited in packets and in the kernel's memory.
	if limit := LeafBytes(1_000_000, testMTU, 0); stats.Bulk.BacklogBytes > uint64(limit)*5/2 || stats.Bulk.BacklogBytes < uint64(limit)/2 {
		t.Errorf("backlog %d, want nearly %d", stats.Bulk.BacklogBytes, limit)
	}
	b.must(tree.FitLeaves(1, 0, 1_000_000, 30_000, 0))
	for range 60 {
		b.sender.Send(frame)
	}
	if stats, err = tree.Group(1, 0); err != nil || stats.Bulk.BacklogBytes < 50_000 {
		t.Errorf("after fitting for frames of 30 kB: backlog %d, %v", stats.Bulk.BacklogBytes, err)
	}
}

// What was let into a class before its limit dipped is on its way, and finds room.
func TestLeavesKeepTheirLengthWhenTheLimitDipsBriefly(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 40_000_000)
	for _, step := range []struct{ limit, want uint64 }{
		{30_000_000, 50_000}, {40_000_000, 50_000}, {27_000_000, 50_000}, {26_000_000, 32_500}, {40_000_000, 50_000},
	} {
		b.must(tree.FitLeaves(1, 0, step.limit, 0, 0))
		if got := tree.leaves[leafClass(1, 0, bulkLeaf)]; uint64(got) != step.want {
			t.Errorf("at %d bit/s the queue holds %d bytes, want %d", step.limit, got, step.want)
		}
	}
}

func TestPacketsOfNoClassAreUnlimited(t *testing.T) {
	b := newBench(t)
	tree := b.mustTree()
	b.sender.Priority(0)
	b.sender.Send(make([]byte, 60))
	b.sender.Priority(leafClass(77, 0, bulkLeaf)) // a class that is not there
	b.sender.Send(make([]byte, 60))
	testnet.Until(t, "both are sent", func() bool {
		open, err := tree.Open()
		b.must(err)
		return open.SentPackets == 2
	})
}

func (b *bench) addForeign(qdisc netlink.Qdisc) {
	b.t.Helper()
	b.must(netlink.QdiscAdd(qdisc))
}

func (b *bench) attributes(handle uint32) netlink.QdiscAttrs {
	return netlink.QdiscAttrs{LinkIndex: b.ifindex(), Handle: handle, Parent: netlink.HANDLE_ROOT}
}

func TestQueueCountsPackets(t *testing.T) {
	b := newBench(t)
	queue, err := NewQueue(b.conn, "up0", b.ifindex(), testMTU, QueueShape{CapacityBitsPerSecond: 1_000_000, BufferPackets: 10}, false)
	b.must(err)
	for range 50 {
		b.sender.Send(make([]byte, 200))
	}
	var stats Stats
	read := func() {
		b.t.Helper()
		all, err := queue.Stats()
		b.must(err)
		stats = all.Levels[0]
	}
	read()
	if stats.BacklogPackets > 10 || stats.BacklogBytes != 200*stats.BacklogPackets {
		t.Errorf("backlog %d packets, %d bytes; at most 10 packets of 200", stats.BacklogPackets, stats.BacklogBytes)
	}
	testnet.Until(t, "the queue is empty", func() bool {
		read()
		return stats.BacklogPackets == 0
	})
	if stats.SentPackets+stats.DroppedPackets != 50 || stats.DroppedPackets == 0 {
		t.Errorf("sent %d + dropped %d, want 50 in sum", stats.SentPackets, stats.DroppedPackets)
	}
	b.must(queue.Release())
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		limit                     uint64
		superPacket, leaf, burst  uint32
		sparseFlow, sparsePerSecs uint64
		standing                  time.Duration
	}{
		{12_500_000, 3000, 15_625, 3028, 15_000, 390_625, 20 * time.Millisecond},
		{50_000_000, 6250, 62_500, 6250, 15_000, 1_562_500, 20 * time.Millisecond},
		{4_000_000, 3000, 12_000, 3028, 6250, 125_000, 48 * time.Millisecond},
		{1_000_000, 3000, 12_000, 3028, 1562, 31_250, 100 * time.Millisecond},
		{1_000_000_000, 65_536, 1_250_000, 125_000, 15_000, 31_250_000, 20 * time.Millisecond},
	} {
		if got := SuperPacketBytes(c.limit, testMTU); got != c.superPacket {
			t.Errorf("%d: gso_max %d, want %d", c.limit, got, c.superPacket)
		}
		if got := LeafBytes(c.limit, testMTU, 0); got != c.leaf {
			t.Errorf("%d: leaf %d, want %d", c.limit, got, c.leaf)
		}
		if got := BurstBytes(c.limit, testMTU); got != c.burst {
			t.Errorf("%d: burst %d, want %d", c.limit, got, c.burst)
		}
		sparse := SparseOf(c.limit, testMTU, 0)
		if uint64(sparse.FlowBytes) != c.sparseFlow || sparse.BytesPerSecond != c.sparsePerSecs {
			t.Errorf("%d: sparse %+v, want %d per flow, %d per second", c.limit, sparse, c.sparseFlow, c.sparsePerSecs)
		}
		if sparse.Leaf != c.standing || sparse.LentBytes != c.leaf || SparseLeafBytes(c.limit, testMTU, 0) != 2*c.leaf {
			t.Errorf("%d: %+v, want %v at most in a leaf, %d bytes lent", c.limit, sparse, c.standing, c.leaf)
		}
	}
	if got := LeafBytes(1_000_000, testMTU, 64<<10); got != 128<<10 {
		t.Errorf("leaf for super-packets of 64 KB: %d, want two of them", got)
	}
}

// A queue has room for the first windows of its flows, as long as that is not too long a queue.
func TestBulkLeavesAreSizedForFlows(t *testing.T) {
	for _, c := range []struct {
		limit    uint64
		flows    int
		leaf     uint32
		standing time.Duration
	}{
		{50_000_000, 0, 62_500, 20 * time.Millisecond},
		{50_000_000, 4, 62_500, 20 * time.Millisecond},
		{50_000_000, 10, 151_400, 24_224 * time.Microsecond},
		{50_000_000, 1000, 625_000, 100 * time.Millisecond},
		{10_000_000, 1, 15_140, 20 * time.Millisecond},
		{10_000_000, 10, 125_000, 100 * time.Millisecond},
		{1_000_000, 10, 12_500, 100 * time.Millisecond},
		{100_000_000_000, 10, 125_000_000, 20 * time.Millisecond},
	} {
		if got := BulkLeafBytes(c.limit, testMTU, 0, c.flows); got != c.leaf {
			t.Errorf("%d bit/s, %d flows: %d bytes, want %d", c.limit, c.flows, got, c.leaf)
		}
		if got := SparseOf(c.limit, testMTU, c.flows).Leaf; got != c.standing {
			t.Errorf("%d bit/s, %d flows: %v in a leaf, want %v", c.limit, c.flows, got, c.standing)
		}
	}
	if got := BulkLeafBytes(1_000_000, testMTU, 64<<10, 10); got != 128<<10 {
		t.Errorf("for super-packets of 64 KB: %d bytes, want two of them", got)
	}
}

// Limits at a congested port add up to its capacity: what goes first must leave half of it to the rest.
func TestPriorityIsHalfOfALimit(t *testing.T) {
	if got, want := PriorityOf(80_000_000, testMTU, 0), (Police{5_000_000, 100 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := PriorityOf(1_600_000, testMTU, 64_000), (Police{100_000, 1280 * time.Millisecond}); got != want {
		t.Errorf("super-packets of 64 kB: %+v, want two of them, %+v", got, want)
	}
	if got := PriorityOf(1, testMTU, 0); got.BytesPerSecond == 0 {
		t.Error("a limit of next to nothing bounds nothing")
	}
}

// A mark leads to one class change; its cost bounds how fast the host loop may turn.
func BenchmarkSetGroup(b *testing.B) {
	bench := newBench(b)
	tree := bench.mustTree()
	bench.addEndpoint(tree, 1, testCapacity)
	limit := uint64(1_000_000)
	for b.Loop() {
		limit++
		bench.must(tree.SetGroup(1, 0, limit))
	}
}

func BenchmarkBulkBacklog(b *testing.B) {
	bench := newBench(b)
	tree := bench.mustTree()
	bench.addEndpoint(tree, 1, testCapacity)
	for b.Loop() {
		if _, err := tree.Bulk(1, 0); err != nil {
			b.Fatal(err)
		}
	}
}
