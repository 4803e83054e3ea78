// SPDX-License-Identifier: Apache-2.0

package law

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func expectBeyond(t *testing.T, e *Endpoint, what string, ports ...model.Port) {
	t.Helper()
	if got := e.PortsBeyond(); !slices.Equal(got, ports) {
		t.Errorf("%s: %v beyond control, want %v", what, got, ports)
	}
}

func portOf(i int) model.Port { return model.Port(fmt.Sprintf("of:000000000000000a/%d", i)) }

// What is behind a ninth congested port is limited by nobody: it must be distinguished from what needs no limit.
func TestAPortBeyondTheMaximumIsKeptUntilAGroupIsFree(t *testing.T) {
	e := newTestEndpoint(0)
	for i := range model.MaxGroups {
		mustShare(t, e, shareOf(portOf(i), 10_000_000, 4), address(byte(i)))
	}
	expectBeyond(t, e, "eight ports")
	ninth, tenth := portOf(8), portOf(9)
	e.Regrouped()
	share := func() error {
		return e.SetShare(shareOf(ninth, 10_000_000, 4), []netip.Addr{address(8)}, model.Terms{})
	}
	if err := share(); !errors.Is(err, ErrTooManyPorts) || !e.Regrouped() {
		t.Errorf("%v: want it refused, and its destination assigned anew", err)
	}
	if err := share(); !errors.Is(err, ErrTooManyPorts) || e.Regrouped() {
		t.Errorf("%v: want it refused, and its destination left where it is", err)
	}
	if _, err := e.SetRelayedShare(shareOf(tenth, 10_000_000, 4), address(9)); !errors.Is(err, ErrTooManyPorts) {
		t.Errorf("%v: want it refused", err)
	}
	expectBeyond(t, e, "ten ports", ninth, tenth)
	if !e.IsBeyond(address(8)) || !e.IsBeyond(address(9)) || e.IsBeyond(address(7)) || e.IsBeyond(address(20)) {
		t.Error("want what is behind the ninth and the tenth alone")
	}
	behind := slices.Collect(e.Behind())
	if len(behind) != 10 || !slices.Contains(behind, address(0)) || !slices.Contains(behind, address(9)) {
		t.Errorf("%v lie behind congested ports", behind)
	}
	e.Forget(address(9))
	expectBeyond(t, e, "nobody relays the tenth any more", ninth)
	if _, err := e.SetRelayedShare(shareOf(tenth, 10_000_000, 4), address(9)); !errors.Is(err, ErrTooManyPorts) {
		t.Errorf("%v: want it refused", err)
	}
	mustShare(t, e, shareOf(portOf(0), 10_000_000, 4), address(0), address(9))
	expectBeyond(t, e, "the controller has the path of who relays the tenth", ninth)
	e.Remove(portOf(3))
	if err := share(); err != nil {
		t.Errorf("%v although there is room", err)
	}
	expectBeyond(t, e, "there is room")
	if _, governed := e.Governing(address(8)); !governed || e.IsBeyond(address(8)) {
		t.Error("its destination is not governed")
	}
}

func TestAPortBeyondTheMaximumWithNoticesAloneExpires(t *testing.T) {
	const start = int64(5_000_000_000)
	e := NewEndpoint(func() model.Law { return New(model.SdnGcc, Host{}) }, model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
	notify := func(i int) error {
		return e.Notify(start, model.Notice{
			Port: portOf(i), Marks: 1, Packets: 10, Destinations: []netip.Addr{address(byte(i))},
		})
	}
	for i := range model.MaxGroups {
		if err := notify(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := notify(8); !errors.Is(err, ErrTooManyPorts) {
		t.Fatal(err)
	}
	e.Step(start+beyondNanos-1, 0)
	expectBeyond(t, e, "soon after the notice", portOf(8))
	e.Step(start+beyondNanos, 0)
	expectBeyond(t, e, "later")
}

func TestARestartKeepsSharesAndDropsNotices(t *testing.T) {
	kind := model.SdnGcc
	e := NewEndpoint(func() model.Law { return New(kind, Host{}) }, model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
	notice := model.Notice{Port: "b/1", Marks: 1, PeriodNanos: 1e6, Destinations: []netip.Addr{address(5)}}
	if err := e.Notify(1, notice); err != nil {
		t.Fatal(err)
	}
	terms := model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: 15_000_000}}
	if err := e.SetShare(shareOf("a/1", 10_000_000, 4), []netip.Addr{address(5)}, terms); err != nil {
		t.Fatal(err)
	}
	kind = model.TwoTimeScale
	e.Restart(e.bounds)
	learn(t, e, shareOf("a/1", 10_000_000, 4), address(6))
	e.Feedback(address(5), 10, 10)
	e.Restart(e.bounds)
	expectBehind(t, e, "published and joined", "a/1", address(5), address(6))
	expectBehind(t, e, "from a notice", "b/1")
	if !e.Regrouped() {
		t.Error("destinations are not assigned anew")
	}
	e.Step(tau, 0)
	expectGoverned(t, e, address(5), 15_000_000, false) // the floor, and no mark of before
	expectGoverned(t, e, address(6), 15_000_000, false)
}
