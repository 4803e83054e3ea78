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
	c.Feedback(c.both, 4, 2)
	c.Feedback(c.first, 4, 1)
	c.Feedback(address(9), 100, 100)
	c.turn(1, 1, 3)
	for i, want := range []float64{wide: 0.25, narrow: 0.5} {
		if state, _ := c.Group(i); state.CEShare != want {
			t.Errorf("%s: mark share %v, want %v: only what obeys it counts", state.Port, state.CEShare, want)
		}
	}
}

// The marks of the narrow port, or their end, leave the wide one's limit where it was.
func TestAPortThatNoDestinationObeysStaysAtItsShare(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	for range 20 {
		c.Feedback(c.both, 4, 4)
		c.turn(4, 0, 3)
		if limit := c.limit(wide); limit != 12_500_000 {
			t.Fatalf("%d bit/s through the wide port, want its share", limit)
		}
	}
	if cut := c.limit(narrow); cut > 2_500_000 {
		t.Errorf("%d bit/s through the narrow port, all marked", cut)
	}
	for range 20 {
		c.Feedback(c.both, 4, 0)
		c.turn(4, 0, 3)
	}
	if limit := c.limit(narrow); limit != 5_000_000 {
		t.Errorf("%d bit/s through the narrow port, no more marked, want its share", limit)
	}
}

// pairPart counts, marks do not; and a destination moves only for more than a hundredth.
func TestADestinationObeysThePortWhereItIsDueLeast(t *testing.T) {
	e, to := newTestEndpoint(0), address(1)
	publish := func(port model.Port, unitShare uint64, pairPart float64) {
		t.Helper()
		terms := model.Terms{PairPart: pairPart}
		if err := e.SetShare(shareOf(port, unitShare, 4), []netip.Addr{to}, terms); err != nil {
			t.Fatal(err)
		}
	}
	now := int64(0)
	expect := func(what string, want model.Port) {
		t.Helper()
		e.Feedback(to, 4, 4)
		now += tau
		e.Step(now, 0)
		if got := obeyedPort(e, to); got != want {
			t.Errorf("%s: it obeys %s, want %s", what, got, want)
		}
	}
	publish("a/1", 10_000_000, 0.5)
	publish("b/1", 6_000_000, 0)
	expect("half of 10 or 6 Mbit/s", "a/1")
	publish("b/1", 6_000_000, 0.83)
	expect("5 or 4.98 Mbit/s", "a/1")
	publish("b/1", 6_000_000, 0.82)
	expect("5 or 4.92 Mbit/s", "b/1")
	publish("a/1", 10_000_000, 0.49)
	expect("4.9 or 4.92 Mbit/s", "b/1")
	publish("a/1", 10_000_000, 0.48)
	expect("4.8 or 4.92 Mbit/s", "a/1")
}

// Nothing is borrowed at the wide port for what crosses the narrow one too, unless something is lent there.
func TestNothingIsBorrowedUnlessAllPortsOnTheWayAllowIt(t *testing.T) {
	e, to := newTestEndpoint(0), address(1)
	publish := func(port model.Port, unitShare uint64, lent float64) {
		t.Helper()
		share := shareOf(port, unitShare, 4)
		share.LentPart = lent
		mustShare(t, e, share, to)
	}
	now := int64(0)
	step := func() uint64 {
		e.Sent(now, to, 1500)
		now += tau
		e.Step(now, 3)
		state, _ := e.Group(0)
		return state.LimitBitsPerSecond
	}
	publish("a/1", 10_000_000, 0.5)
	publish("b/1", 12_000_000, 0)
	step()
	for range 5 {
		if limit := step(); limit != 10_000_000 {
			t.Fatalf("limit %d beside a port where nothing is lent, want the share", limit)
		}
	}
	publish("b/1", 12_000_000, 0.1)
	// Without marks for long: a quarter of 0.1.
	if limit := step(); limit != 10_250_000 {
		t.Errorf("limit %d beside a port where 0.1 is lent, want 10.25 Mbit/s", limit)
	}
	e.Remove("b/1")
	// 0.025 and a quarter of what is missing to 0.5.
	if limit := step(); limit != 11_437_500 {
		t.Errorf("limit %d behind one port where 0.5 is lent, want 11.4375 Mbit/s", limit)
	}
	now += refreshedNanos
	if limit := step(); limit != 11_150_000 {
		t.Errorf("limit %d without the controller, want a fifth of the loan returned", limit)
	}
}

// What goes through a port in another class is part of what the endpoint may send there, as if no mark had cut
// it; what remains of the port's share is cut by the port's own marks.
func TestTrafficOfOtherClassesIsSubtractedFromAPortsLimit(t *testing.T) {
	c := newCrossing(t, 20_000_000, 4_800_000)
	for range 150 {
		c.turn(1, 6, 3) // 1 packet in 2.5 ms: 4.8 Mbit/s
	}
	expect := func(what string, want float64) {
		t.Helper()
		if left := float64(c.limit(wide)); math.Abs(left-want) > 1000 {
			t.Errorf("%s: %.0f bit/s are left for what crosses the wide port alone, want %.0f", what, left, want)
		}
	}
	expect("no marks", 15_200_000)
	for range 30 {
		c.Feedback(c.both, 4, 1)
		c.Feedback(c.both, 4, 3)
		c.turn(1, 6, 3)
	}
	if limit := c.limit(narrow); limit >= 4_000_000 {
		t.Errorf("%d bit/s through the narrow port, half of it marked", limit)
	}
	expect("marks elsewhere", 15_200_000)
	c.Feedback(c.first, 4, 4)
	c.turn(1, 6, 3)
	expect("marks of its own", 0.86*15_200_000)
	for range 150 {
		c.Feedback(c.first, 4, 0)
		c.turn(0, 6, 3)
	}
	expect("nothing goes elsewhere", 20_000_000)
}

// However little the narrow port leaves of the wide one, the destination behind the wide one alone
// keeps half of what it would have by head.
func TestADestinationKeepsHalfItsShareBesideOtherClasses(t *testing.T) {
	c := newCrossing(t, 5_500_000, 5_000_000)
	for range 100 {
		c.turn(4, 4, 3)
	}
	if i, _ := c.Governing(c.both); i != narrow {
		t.Fatalf("group %d governs, want the narrow one", i)
	}
	if left := c.limit(wide); left != 1_375_000 {
		t.Errorf("%d bit/s are left, want a quarter of 5.5 Mbit/s", left)
	}
}

// Without a controller published shares stay in force; one that is there ends a port by not publishing it.
func TestAPublishedPortEndsOnlyWithTheControllersSilence(t *testing.T) {
	e, to := newTestEndpoint(0), address(1)
	mustShare(t, e, shareOf("a/1", 5_000_000, 9), to)
	e.Step(0, 0)
	expect := func(what string, now int64, limit uint64) {
		t.Helper()
		e.Step(now, 0)
		if state, _ := e.Group(0); state.LimitBitsPerSecond != limit || state.Idle != (limit == ceiling) {
			t.Errorf("%s: %+v, want %d", what, state, limit)
		}
	}
	expect("no session", 100*second, 5_000_000)
	e.SetSession(true)
	expect("a session has begun", 100*second+staleNanos-1, 5_000_000)
	e.SetSession(false)
	expect("and ended", 110*second, 5_000_000)
	e.SetSession(true)
	expect("another one", 110*second+staleNanos-1, 5_000_000)
	mustShare(t, e, shareOf("a/1", 5_000_000, 9), to)
	expect("the port was published", 110*second+staleNanos, 5_000_000)
	expect("not so long ago", 110*second+2*staleNanos-2, 5_000_000)
	expect("and no more", 110*second+2*staleNanos-1, ceiling)
}

// An idle port is not activated by marks that count for another.
func TestMarksOfAnotherPortActivateNoGroup(t *testing.T) {
	c := newCrossing(t, 12_500_000, 5_000_000)
	c.SetSession(true)
	for c.now < 2*staleNanos {
		c.Feedback(c.both, 4, 2)
		c.turn(1, 0, 3)
	}
	if state, _ := c.Group(wide); !state.Idle {
		t.Error("the wide port is active, without marks of its own, and not published for long")
	}
	if state, _ := c.Group(narrow); state.Idle {
		t.Error("the narrow port is idle, although its marks come")
	}
	c.now += 2 * DefaultQuietNanos
	c.turn(0, 0, 0)
	if _, ok := c.Governing(c.both); ok {
		t.Fatal("something governs after T_o without marks")
	}
	c.Feedback(c.both, 4, 2)
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
		e.Feedback(to, 2, 1)
		e.Sent(now, to, 1500)
		now += tau
		e.Step(now, 0xff)
	}
	i, _ := e.Governing(to)
	if state, _ := e.Group(i); state.Port != "a/7" || state.LimitBitsPerSecond > 1_000_000 {
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
	e.Feedback(to, 10, 3)
	expect("the receiver reports", 2*time.Millisecond)
}

// What limits is the share of the second port, cut by marks, but not under its floor.
func TestLeastShareOfPortsThatCarryTheSameIsNotCutUnderItsFloor(t *testing.T) {
	e, to := newTestEndpoint(0), address(1)
	mustShare(t, e, shareOf("near/1", 10_000_000, 3), to)
	mustShare(t, e, shareOf("far/1", 20_000_000, 3), to)
	far := func(floor uint64) {
		terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: floor}}
		if err := e.SetShare(shareOf("far/1", 4_000_000, 3), []netip.Addr{to}, terms); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, want uint64) {
		t.Helper()
		i, _ := e.Governing(to)
		if state, _ := e.Group(i); state.Port != "near/1" || state.LeastPort != "far/1" || state.LimitBitsPerSecond != want {
			t.Errorf("%s: %+v, want near/1 at %d of far/1", when, state, want)
		}
	}
	e.Step(0, 0)
	e.Sent(recountNanos, to, 1500)
	e.Step(recountNanos, 1)
	far(6_000_000)
	e.Step(recountNanos+tau, 1)
	expect("its floor is more than its share", 6_000_000)
	e.Feedback(to, 10, 10)
	e.Step(recountNanos+2*tau, 1)
	expect("marked", 6_000_000)
	far(2_000_000)
	e.Step(recountNanos+3*tau, 1)
	expect("0.86 of 4", 3_440_000)
}
