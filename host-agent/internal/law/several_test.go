// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// crossing is an endpoint with a destination behind a wide and a narrow port, and one behind the wide
// one alone.
type crossing struct {
	*Endpoint
	t           *testing.T
	now         int64
	both, first netip.Addr
}

const wide, narrow = 0, 1

func newCrossing(t *testing.T, wideShare, narrowShare uint64) *crossing {
	c := &crossing{newTestEndpoint(0), t, 0, address(1), address(2)}
	mustShare(t, c.Endpoint, shareOf("wide/1", wideShare, float64(ceiling/wideShare)), c.both, c.first)
	mustShare(t, c.Endpoint, shareOf("narrow/1", narrowShare, float64(ceiling/narrowShare)), c.both)
	c.Step(c.now, 0)
	return c
}

// turn ends an interval in which both destinations were sent so many packets.
func (c *crossing) turn(both, first uint64, backlogged uint8) {
	c.Sent(c.now, c.both, both*1500)
	c.Sent(c.now, c.first, first*1500)
	c.now += tau
	c.Step(c.now, backlogged)
}

func (c *crossing) limit(i int) uint64 {
	state, ok := c.Group(i)
	if !ok {
		c.t.Fatalf("group %d is free", i)
	}
	return state.LimitBitsPerSecond
}

func TestMarksCountForThePortThatIsObeyed(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	c.Feedback(c.both, 4, 2, 6000)
	c.Feedback(c.first, 4, 1, 6000)
	c.Feedback(address(9), 100, 100, 0)
	c.turn(1, 1, 3)
	for i, want := range []float64{wide: 0.25, narrow: 0.5} {
		if state, _ := c.Group(i); state.CEShare != want {
			t.Errorf("%s: mark share %v, want %v: only what obeys it counts", state.Port, state.CEShare, want)
		}
	}
}

// The marks of the narrow port must neither cut the wide one's limit nor, when they end, have it
// probe.
func TestAPortThatNoDestinationObeysIsOnStandby(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	for range 200 {
		c.Feedback(c.both, 4, 4, 6000)
		c.turn(4, 0, 3)
	}
	share := 12_500_000.0
	if limit := float64(c.limit(wide)); math.Abs(limit-share) > share/4 {
		t.Errorf("%.0f bit/s through the wide port after marks of the narrow one, want about its share", limit)
	}
	cut := c.limit(narrow)
	if cut > 2_500_000 {
		t.Errorf("%d bit/s through the narrow port, all marked", cut)
	}
	for range 50 {
		c.Feedback(c.both, 4, 0, 6000)
		c.turn(4, 0, 3)
	}
	if limit := float64(c.limit(wide)); math.Abs(limit-share) > share/4 {
		t.Errorf("%.0f bit/s through the wide port without marks, want about its share", limit)
	}
	if limit := c.limit(narrow); limit <= cut {
		t.Errorf("%d bit/s through the narrow port, no more marked, after %d", limit, cut)
	}
}

// What a port once let through is not what it lets through now: standing by, it returns to its share
// and so governs when that is the lower.
func TestAPortOnStandbyReturnsToItsShare(t *testing.T) {
	c := newCrossing(t, 12_500_000, 20_000_000)
	c.groups[wide].law.(*TwoTimeScale).rate = 48_000_000 // found when nobody else was there
	c.groups[wide].level = 48_000_000
	c.turn(10, 0, 3)
	if i, _ := c.Governing(c.both); i != narrow {
		t.Fatalf("group %d governs, want the narrow one", i)
	}
	for range int(3 * second / tau) {
		mustShare(t, c.Endpoint, shareOf("wide/1", 6_000_000, 8), c.both, c.first)
		mustShare(t, c.Endpoint, shareOf("narrow/1", 20_000_000, 2.5), c.both)
		c.Feedback(c.both, 10, 5, 15000)
		c.turn(10, 0, 3)
		if i, _ := c.Governing(c.both); i == wide {
			return
		}
	}
	t.Errorf("the wide port stands at %d, of a share of 6 Mbit/s, and governs nobody", c.limit(wide))
}

func TestADestinationStaysWhereLimitsAreAboutEqual(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	mustShare(t, e, shareOf("a/1", 10_000_000, 4), to)
	mustShare(t, e, shareOf("b/1", 10_000_000, 4), to)
	e.Step(0, 0)
	first, _ := e.Governing(to)
	other := 1 - first
	e.groups[other].level = e.groups[first].level * 0.91
	if i, _ := e.Governing(to); i != first {
		t.Error("it moved for less than a tenth")
	}
	e.groups[other].level = e.groups[first].level * 0.89
	if i, _ := e.Governing(to); i != other {
		t.Error("it did not move for more than a tenth")
	}
	e.groups[first].level = e.groups[other].level * 0.95
	if i, _ := e.Governing(to); i != other {
		t.Error("it moved back for less than a tenth")
	}
}

// The loop's own oscillation moves nobody, a lasting difference does.
func TestADestinationDoesNotFollowOscillation(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	mustShare(t, e, shareOf("a/1", 10_000_000, 4), to)
	mustShare(t, e, shareOf("b/1", 10_000_000, 4), to)
	now := int64(0)
	e.Step(now, 0)
	first, _ := e.Governing(to)
	obeyed := e.groups[first].law.(*TwoTimeScale)
	for i := range 200 {
		if i/9%2 == 0 { // 1.2 and 0.8 of the other's limit
			obeyed.rate = 12_000_000
		} else {
			obeyed.rate = 8_000_000
		}
		e.groups[1-first].law.(*TwoTimeScale).rate = 10_000_000
		now += tau
		e.Step(now, 3)
		if i, _ := e.Governing(to); i != first {
			t.Fatal("it followed an oscillation")
		}
	}
	for range 60 {
		obeyed.rate = 12_000_000
		e.groups[1-first].law.(*TwoTimeScale).rate = 10_000_000
		now += tau
		e.Step(now, 3)
	}
	if i, _ := e.Governing(to); i == first {
		t.Error("it does not obey a limit that has been lower by a sixth for 60 steps")
	}
}

// What goes through a port in another class is part of what the endpoint may send there.
func TestTrafficOfOtherClassesIsSubtractedFromAPortsLimit(t *testing.T) {
	c := newCrossing(t, 20_000_000, 5_000_000)
	for range 100 {
		c.Feedback(c.first, 8, 4, 12000)
		c.Feedback(c.both, 4, 3, 6000)
		c.turn(1, 6, 3) // 1 packet in 2.5 ms: 4.8 Mbit/s
	}
	whole := float64(c.groups[wide].limit)
	if left := float64(c.limit(wide)); math.Abs(whole-left-4_800_000) > 500_000 {
		t.Errorf("%.0f of %.0f bit/s are left for what crosses the wide port alone, want 4.8 Mbit/s less", left, whole)
	}
	for range 100 {
		c.Feedback(c.first, 8, 4, 12000)
		c.turn(0, 6, 3)
	}
	if whole, left := float64(c.groups[wide].limit), float64(c.limit(wide)); whole-left > 100_000 {
		t.Errorf("%.0f of %.0f bit/s are left although nothing goes elsewhere", left, whole)
	}
}

// However little the narrow port leaves of the wide one, the destination behind the wide one alone
// keeps half of what it would have by head.
func TestADestinationKeepsHalfItsShareBesideOtherClasses(t *testing.T) {
	c := newCrossing(t, 5_500_000, 5_000_000)
	for range 100 {
		c.Feedback(c.both, 4, 2, 6000)
		c.Feedback(c.first, 4, 2, 6000)
		c.turn(4, 4, 3)
		c.groups[narrow].limit = c.groups[wide].limit * 85 / 100
		c.groups[narrow].level = c.groups[wide].level * 0.85
	}
	whole, left := c.groups[wide].limit, c.limit(wide)
	if i, _ := c.Governing(c.both); i != narrow {
		t.Fatalf("group %d governs, want the narrow one", i)
	}
	if left < whole/4 || left > whole/2 {
		t.Errorf("%d of %d bit/s are left, want a quarter", left, whole)
	}
}

// Two ports that mark 3 of 10 each leave 49 of 100 unmarked: each law gets its own 3 of 10.
func TestMarksOfEqualPortsAreNotAdded(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	mustShare(t, e, shareOf("a/1", 10_000_000, 4), to)
	mustShare(t, e, shareOf("b/1", 10_000_000, 4), to)
	e.Step(0, 0)
	for name, marked := range map[string]func(step int) uint64{
		"alike": func(int) uint64 { return 51 },
		// An interval without marks says no more of the ports than one that has nothing else.
		"all or none": func(step int) uint64 {
			if step*51%100 < 51 {
				return 100
			}
			return 0
		},
	} {
		j := sharedReports{}
		var packets, own, all uint64
		for step := range 300 {
			ce := marked(step)
			j.packets, j.cePackets, j.unmarked, j.ports = 100, ce, 100, 2
			var interval model.Interval
			j.settle(&interval)
			if step >= 100 { // by then the means know no more of the first
				packets, own, all = packets+interval.Packets, own+interval.CEPackets, all+ce
			}
		}
		if all != 10_200 || packets != 20_000 || own < 5900 || own > 6100 {
			t.Errorf("%s: of %d packets with %d marks %d count as marked, want 6000", name, packets, all, own)
		}
	}
	e.Feedback(to, 100, 51, 0)
	i, _ := e.Governing(to)
	e.Sent(0, to, 1500)
	e.Step(tau, 3)
	if state, _ := e.Group(i); math.Abs(state.CEShare-0.3) > 0.011 {
		t.Errorf("mark share %v, want 0.3", state.CEShare)
	}
}

// A port whose marks are known from those that obey it is divided out.
func TestEstimatedMarksOfAnotherPortAreDividedOut(t *testing.T) {
	c := newCrossing(t, 20_000_000, 5_000_000)
	var marks, packets float64
	for i := range 200 {
		c.Feedback(c.first, 10, 4, 15000)
		c.Feedback(c.both, 10, 7, 15000) // 1 - 0.6 x 0.5
		c.turn(10, 10, 3)
		if state, _ := c.Group(narrow); i >= 100 {
			marks, packets = marks+state.CEShare*10, packets+10
		}
	}
	if math.Abs(marks/packets-0.5) > 0.02 {
		t.Errorf("the narrow port's mark share is %.3f, want 0.5", marks/packets)
	}
}

// An idle port is not activated by marks that count for another.
func TestMarksOfAnotherPortActivateNoGroup(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	for c.now < 2*DefaultQuietNanos {
		c.Feedback(c.both, 4, 2, 6000)
		c.turn(1, 0, 3)
	}
	if state, _ := c.Group(wide); !state.Idle {
		t.Error("the wide port is active, without marks of its own or shares for T_o")
	}
	if state, _ := c.Group(narrow); state.Idle {
		t.Error("the narrow port is idle, although its marks come")
	}
	c.now += 2 * DefaultQuietNanos
	c.turn(0, 0, 0)
	if _, ok := c.Governing(c.both); ok {
		t.Fatal("something governs after T_o without marks")
	}
	c.Feedback(c.both, 4, 2, 6000)
	c.turn(1, 0, 3)
	if i, ok := c.Governing(c.both); !ok || i != narrow {
		t.Errorf("group %d governs (%v) after a mark for both, want the lower", i, ok)
	}
}

func TestEightPortsForOneDestination(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	for i := range model.MaxGroups {
		share := uint64(8-i) * 1_000_000
		mustShare(t, e, shareOf(model.Port(fmt.Sprintf("a/%d", i)), share, float64(ceiling/share)), to)
	}
	now := int64(0)
	for range 100 {
		e.Feedback(to, 2, 1, 3000)
		e.Sent(now, to, 1500)
		now += tau
		e.Step(now, 0xff)
	}
	i, _ := e.Governing(to)
	if state, _ := e.Group(i); state.Port != "a/7" || state.LimitBitsPerSecond > 2_000_000 {
		t.Errorf("%+v governs, want the lowest", state)
	}
}

// 50 Mbit/s: 2 ms; 10 Mbit/s: four packets, 4.8 ms; a port whose capacity is not known adds nothing.
func TestQueuesOnThePathAddUp(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	slow := shareOf("narrow/1", 5_000_000, 2)
	slow.CapacityBitsPerSecond = 10_000_000
	mustShare(t, c.Endpoint, slow, c.both)
	expect := func(when string, want ...time.Duration) {
		t.Helper()
		c.now += recountNanos
		c.turn(1, 1, 0)
		for i, want := range want {
			if state, _ := c.Group(i); state.Queueing != want {
				t.Errorf("%s: packets that obey %s stand for %v, want %v", when, state.Port, state.Queueing, want)
			}
		}
	}
	expect("two ports", 2*time.Millisecond, 6800*time.Microsecond)
	slow.CapacityBitsPerSecond = 0
	mustShare(t, c.Endpoint, slow, c.both)
	expect("one is not known", 2*time.Millisecond, 2*time.Millisecond)
	c.Remove("wide/1")
	expect("none is known", 0, 0)
}

// Where nobody but the controller reports marks the queue grows for a period before they are known.
func TestQueuesGrowUntilNoticesReportThem(t *testing.T) {
	e, to := newTestEndpoint(0), address(1)
	mustShare(t, e, shareOf("a/1", 12_500_000, 4), to)
	now := int64(0)
	expect := func(when string, want time.Duration) {
		t.Helper()
		e.Sent(now, to, 1500)
		now += recountNanos
		e.Step(now, 1)
		e.Sent(now, to, 1500)
		now += recountNanos
		e.Step(now, 1)
		if state, _ := e.Group(0); state.Queueing != want {
			t.Errorf("%s: packets stand for %v, want %v", when, state.Queueing, want)
		}
	}
	expect("nobody reports", 2*time.Millisecond)
	notice := model.Notice{Port: "a/1", Marks: 3, Packets: 10, PeriodNanos: 5_000_000, Destinations: []netip.Addr{to}}
	if err := e.Notify(now, notice); err != nil {
		t.Fatal(err)
	}
	expect("the controller reports", 7*time.Millisecond)
	now += 10 * int64(time.Second)
	e.Feedback(to, 10, 3, 15_000)
	expect("the receiver reports", 2*time.Millisecond)
}
