// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	tau     int64  = 2_500_000
	ceiling uint64 = 50_000_000
)

func twoTimeScale() model.Law { return New(model.TwoTimeScale, Host{}) }

func address(last byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, last}) }

func newTestEndpoint(guarantee uint64) *Endpoint {
	return NewEndpoint(twoTimeScale,
		model.Bounds{CeilingBitsPerSecond: ceiling, GuaranteeBitsPerSecond: guarantee, Weight: 1})
}

func shareOf(port model.Port, unitShare uint64, weight float64) model.UnitShare {
	return model.UnitShare{Port: port, UnitShareBitsPerSecond: unitShare,
		CapacityBitsPerSecond: ceiling, ActiveWeight: weight}
}

func mustShare(t *testing.T, e *Endpoint, share model.UnitShare, destinations ...netip.Addr) {
	t.Helper()
	if err := e.SetShare(share, destinations, model.Terms{}); err != nil {
		t.Fatal(err)
	}
}

func TestThePortWhereADestinationIsDueLeastHolds(t *testing.T) {
	e := newTestEndpoint(0)
	both, first, other := address(1), address(2), address(3)
	mustShare(t, e, shareOf("a/1", 12_500_000, 3), both, first)
	mustShare(t, e, shareOf("b/1", 5_000_000, 9), both)
	e.Step(0, 0)
	for _, want := range []struct {
		to    netip.Addr
		port  model.Port
		limit uint64
	}{{both, "b/1", 5_000_000}, {first, "a/1", 12_500_000}} {
		i, ok := e.Governing(want.to)
		if !ok {
			t.Fatalf("nothing governs %v", want.to)
		}
		state, _ := e.Group(i)
		if state.Port != want.port || state.LimitBitsPerSecond != want.limit {
			t.Errorf("%v obeys %+v, want %s at %d", want.to, state, want.port, want.limit)
		}
	}
	if i, ok := e.Governing(other); ok {
		t.Errorf("a destination behind no congested port obeys group %d", i)
	}
	mustShare(t, e, shareOf("b/1", 5_000_000, 9), first)
	if i, _ := e.Governing(both); e.groups[i].port != "a/1" {
		t.Errorf("the full set replaces the one before: %v still obeys %s", both, e.groups[i].port)
	}
}

// Two sums that are each right may be read a moment apart, or by a host that lies: what came of them
// since the last time may hold more marks than packets.
func TestMarksAreNoMoreThanPackets(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	mustShare(t, e, shareOf("a/1", 12_500_000, 3), to)
	e.Step(0, 0)
	e.Feedback(to, 2, 5)
	e.Step(tau, 1)
	if state, _ := e.Group(0); state.CEShare != 1 {
		t.Errorf("mark share %v, want 1", state.CEShare)
	}
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 10_750_000 {
		t.Errorf("limit %d, want 0.86 x 12.5 Mbit/s: what a fully marked interval leaves", state.LimitBitsPerSecond)
	}
}

func TestGuaranteeIsSpreadOverActiveDestinations(t *testing.T) {
	for _, c := range []struct{ group, all, want int }{
		{0, 0, 8000}, {1, 1, 8000}, {1, 4, 2000}, {3, 4, 6000}, {4, 4, 8000}, {0, 3, 2000},
	} {
		if got := GroupFloor(8000, c.group, c.all); got != uint64(c.want) {
			t.Errorf("floor of %d of %d active: %d, want %d", c.group, c.all, got, c.want)
		}
	}

	e := newTestEndpoint(20_000_000)
	mustShare(t, e, shareOf("a/1", 1_000_000, 49), address(1))
	e.Step(0, 0)
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 20_000_000 {
		t.Errorf("alone: limit %d, want the whole guarantee", state.LimitBitsPerSecond)
	}
	for i := byte(1); i <= 4; i++ {
		e.Sent(tau, address(i), 1500)
	}
	now := recountNanos
	e.Step(now, 1)
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 5_000_000 {
		t.Errorf("one of four: limit %d, want a quarter of the guarantee", state.LimitBitsPerSecond)
	}
	now += DefaultActiveNanos
	e.Sent(now, address(1), 1500)
	e.Step(now, 1)
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 20_000_000 {
		t.Errorf("the others fell silent: limit %d, want the whole guarantee", state.LimitBitsPerSecond)
	}
	if len(e.destination) != 1 {
		t.Errorf("%d destinations are remembered, want the one that is named", len(e.destination))
	}
}

// The pair's floor is min(40 / 2 active destinations, 24 / 3 active senders) = 8 Mbit/s, of which
// the source alone knows 20 (the engine's test of the same name reckons the 8).
func TestPublishedFloorHoldsBothEndsGuarantees(t *testing.T) {
	const guarantee, ownSplit = 40_000_000, 20_000_000
	published := func(bitsPerSecond uint64) model.Terms {
		return model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: bitsPerSecond}}
	}
	e := newTestEndpoint(guarantee)
	share := shareOf("a/1", 1_000_000, 49)
	now := int64(0)
	check := func(what string, terms model.Terms, want uint64) {
		t.Helper()
		if err := e.SetShare(share, []netip.Addr{address(1)}, terms); err != nil {
			t.Fatal(err)
		}
		now += recountNanos
		e.Sent(now, address(1), 1500)
		e.Sent(now, address(2), 1500)
		e.Step(now, 1)
		if state, _ := e.Group(0); state.LimitBitsPerSecond != want {
			t.Errorf("%s: limit %d, want %d", what, state.LimitBitsPerSecond, want)
		}
	}
	check("before the first recount", published(8_000_000), 8_000_000)
	check("again", published(8_000_000), 8_000_000)
	check("none published", model.Terms{}, ownSplit)
	check("more than the guarantee, for a deadline", published(guarantee+2_000_000), guarantee+2_000_000)
	check("more than the ceiling", published(ceiling+2_000_000), ceiling)
	e.SetBounds(model.Bounds{CeilingBitsPerSecond: 6_000_000, GuaranteeBitsPerSecond: guarantee, Weight: 1})
	check("the ceiling fell", published(8_000_000), 6_000_000)
	e.SetBounds(model.Bounds{CeilingBitsPerSecond: ceiling, GuaranteeBitsPerSecond: guarantee, Weight: 1})
	check("the ceiling rose", published(8_000_000), 8_000_000)
	mustShare(t, e, model.UnitShare{Port: "a/1", Expired: true})
	check("after the share expired", model.Terms{}, ownSplit)
}

// What a mark reactivates is the last share, and the floor with it.
func TestAPublishedFloorHoldsAfterAnIdlePeriod(t *testing.T) {
	e := newTestEndpoint(40_000_000)
	terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: 8_000_000}}
	if err := e.SetShare(shareOf("a/1", 1_000_000, 49), []netip.Addr{address(1)}, terms); err != nil {
		t.Fatal(err)
	}
	e.SetSession(true)
	e.Step(0, 1)
	e.Step(staleNanos, 1)
	if state, _ := e.Group(0); !state.Idle {
		t.Fatalf("not published for long: %+v, want it idle", state)
	}
	e.Feedback(address(1), 4, 4)
	e.Step(staleNanos+tau, 1)
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 8_000_000 {
		t.Errorf("active again: limit %d, want the floor", state.LimitBitsPerSecond)
	}
}

func TestNoticesKeepTheHostsOwnSplitOfTheGuarantee(t *testing.T) {
	e := NewEndpoint(func() model.Law { return New(model.SdnGcc, Host{}) },
		model.Bounds{CeilingBitsPerSecond: ceiling, GuaranteeBitsPerSecond: 40_000_000, Weight: 1})
	terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: 8_000_000}}
	if err := e.SetShare(shareOf("a/1", 1_000_000, 49), []netip.Addr{address(1)}, terms); err != nil {
		t.Fatal(err)
	}
	notice := model.Notice{Port: "a/1", Marks: 1e6, PeriodNanos: 5_000_000,
		ShareBitsPerSecond: ceiling, CapacityBitsPerSecond: ceiling, Destinations: []netip.Addr{address(1)}}
	e.Sent(tau, address(1), 1500)
	e.Sent(tau, address(2), 1500)
	if err := e.Notify(tau, notice); err != nil {
		t.Fatal(err)
	}
	e.Step(tau, 1)
	if state, _ := e.Group(0); state.LimitBitsPerSecond != 20_000_000 {
		t.Errorf("after a notice: limit %d, want the endpoint's own half of its guarantee", state.LimitBitsPerSecond)
	}
}

// Sluice's law: destinations and floor are the share's; a notice's marks activate the group, and show.
func TestNoticesChangeNeitherDestinationsNorFloor(t *testing.T) {
	e := newTestEndpoint(40_000_000)
	terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: 8_000_000}}
	if err := e.SetShare(shareOf("a/1", 1_000_000, 49), []netip.Addr{address(1), address(2)}, terms); err != nil {
		t.Fatal(err)
	}
	e.SetSession(true)
	e.Step(0, 1)
	e.Step(staleNanos, 1)
	if state, _ := e.Group(0); !state.Idle {
		t.Fatalf("not published for long: %+v, want it idle", state)
	}
	notice := model.Notice{Port: "a/1", Marks: 10, Packets: 40, PeriodNanos: 5_000_000,
		Destinations: []netip.Addr{address(2)}}
	if err := e.Notify(staleNanos, notice); err != nil {
		t.Fatal(err)
	}
	e.Step(staleNanos+tau, 1)
	state, _ := e.Group(0)
	if state.Idle || state.LimitBitsPerSecond != 8_000_000 || state.CEShare != 0.25 {
		t.Errorf("after a notice: %+v, want it active at the floor, with F = 10/40", state)
	}
	if _, governed := e.Governing(address(1)); !governed {
		t.Error("the destination that the notice did not name is free")
	}
}

func TestAGroupThatTheControllerDoesNotPublishIsIdleAndActiveOnAMark(t *testing.T) {
	e := newTestEndpoint(0)
	to := address(1)
	mustShare(t, e, shareOf("a/1", 12_500_000, 3), to)
	e.SetSession(true)
	e.Step(0, 1)
	e.Step(staleNanos, 1)
	state, _ := e.Group(0)
	if !state.Idle || state.LimitBitsPerSecond != ceiling {
		t.Fatalf("not published for long: %+v, want idle at the ceiling", state)
	}
	if _, ok := e.Governing(to); ok {
		t.Error("an idle group governs")
	}
	e.Feedback(to, 4, 0)
	e.Step(staleNanos+tau, 1)
	if state, _ := e.Group(0); !state.Idle {
		t.Error("packets without marks woke the group")
	}
	e.Feedback(to, 4, 4)
	e.Step(staleNanos+2*tau, 1)
	state, _ = e.Group(0)
	if state.Idle || state.LimitBitsPerSecond != 12_500_000 {
		t.Errorf("after a mark: %+v, want active at the last share", state)
	}
}

func TestEightPortsAtMost(t *testing.T) {
	e := newTestEndpoint(0)
	for i := range model.MaxGroups {
		mustShare(t, e, shareOf(model.Port(fmt.Sprintf("a/%d", i)), 1_000_000, 1), address(1))
	}
	if err := e.SetShare(shareOf("a/9", 1_000_000, 1), nil, model.Terms{}); err == nil {
		t.Fatal("a ninth port was taken")
	}
	expired := model.UnitShare{Port: "a/3", Expired: true}
	mustShare(t, e, expired)
	mustShare(t, e, expired)
	mustShare(t, e, shareOf("a/9", 1_000_000, 1), address(1))
	if state, _ := e.Group(3); state.Port != "a/9" {
		t.Errorf("group 3 is %+v, want the freed place taken by a/9", state)
	}
	e.SetSession(true)
	e.Step(0, 0)
	e.Step(staleNanos, 0)
	mustShare(t, e, shareOf("a/10", 1_000_000, 1), address(1))
	if state, _ := e.Group(0); state.Port != "a/10" {
		t.Errorf("group 0 is %+v, want an idle port's place taken by a/10", state)
	}
}

func TestNoticeStartsSdnGccsLaw(t *testing.T) {
	e := NewEndpoint(func() model.Law { return New(model.SdnGcc, Host{}) },
		model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
	notice := model.Notice{Port: "a/1", Marks: 20, PeriodNanos: 5_000_000,
		ShareBitsPerSecond: 12_500_000, CapacityBitsPerSecond: ceiling,
		Destinations: []netip.Addr{address(1)}}
	if err := e.Notify(0, notice); err != nil {
		t.Fatal(err)
	}
	e.Step(1, 1)
	i, ok := e.Governing(address(1))
	state, _ := e.Group(i)
	if !ok || state.LimitBitsPerSecond != 8_500_000 { // 12.5 - 20/5 ms * 1000 bit
		t.Errorf("after a notice: %+v, %v", state, ok)
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	e := newTestEndpoint(1_000_000)
	for i := range byte(4) {
		share := shareOf(model.Port(fmt.Sprintf("a/%d", i)), 12_500_000, 3)
		share.LentPart = 0.5
		mustShare(t, e, share, address(i), address(7))
	}
	now := int64(0)
	renewed, behind := shareOf("a/0", 12_500_000, 3), []netip.Addr{address(0), address(7)}
	allocations := testing.AllocsPerRun(500, func() {
		now += tau
		terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: uint64(now) % 1_000_000}}
		if err := e.SetShare(renewed, behind, terms); err != nil {
			t.Fatal(err)
		}
		e.Feedback(address(7), 4, 2)
		e.Sent(now, address(7), 3000)
		e.Step(now, 0xff)
		e.Governing(address(7))
	})
	if allocations != 0 {
		t.Errorf("%v allocations per step", allocations)
	}
	for _, kind := range []model.LawKind{model.TwoTimeScale, model.SdnGcc, model.HyGenIcc} {
		l := New(kind, Host{NICBitsPerSecond: ceiling})
		l.SetBounds(model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
		share := shareOf("a/1", 12_500_000, 3)
		notice := model.Notice{Marks: 3, CapacityBitsPerSecond: ceiling}
		allocations := testing.AllocsPerRun(500, func() {
			now += tau
			l.SetShare(share)
			l.Notify(now, notice)
			l.Step(model.Interval{NowNanos: now, ElapsedNanos: tau, Packets: 3, CEPackets: 1})
		})
		if allocations != 0 {
			t.Errorf("%T: %v allocations per step", l, allocations)
		}
	}
}
