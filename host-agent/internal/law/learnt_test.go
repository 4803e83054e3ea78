// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Shares that a receiver's agent has passed on.

func learn(t *testing.T, e *Endpoint, share model.UnitShare, destination netip.Addr) {
	t.Helper()
	if _, err := e.LearnShare(share, destination); err != nil {
		t.Fatal(err)
	}
}

// expectGoverned checks which limit holds for a destination; 0 is none.
func expectGoverned(t *testing.T, e *Endpoint, to netip.Addr, limit uint64, learnt bool) {
	t.Helper()
	i, ok := e.Governing(to)
	if !ok {
		if limit != 0 {
			t.Errorf("nothing governs %v, want %d", to, limit)
		}
		return
	}
	if state, _ := e.Group(i); state.LimitBitsPerSecond != limit || state.Learnt != learnt {
		t.Errorf("%v obeys %+v, want %d, learnt %v", to, state, limit, learnt)
	}
}

func TestLearntShareStartsTheControlOfAPort(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 12_500_000, true) // w C / (W + w)
	expectGoverned(t, e, address(8), 0, false)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(8))
	expectGoverned(t, e, address(7), 12_500_000, true)
	expectGoverned(t, e, address(8), 12_500_000, true)
}

func TestControllersShareHoldsOverALearntOne(t *testing.T) {
	e := newTestEndpoint(0)
	told := shareOf("a/1", 16_000_000, 3)
	mustShare(t, e, told, address(7))
	learn(t, e, shareOf("a/1", 1_000_000, 49), address(8))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 12_500_000, false)
	expectGoverned(t, e, address(8), 12_500_000, false) // it joins
	if got := e.groups[0].share.UnitShareBitsPerSecond; got != told.UnitShareBitsPerSecond {
		t.Errorf("unit share %d, want the controller's", got)
	}
	mustShare(t, e, told, address(7))
	expectGoverned(t, e, address(8), 0, false) // until the controller's next word
}

func TestControllerTakesOver(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(8))
	e.Step(0, 0)
	mustShare(t, e, shareOf("a/1", 5_000_000, 9), address(7))
	expectGoverned(t, e, address(8), 0, false)
	// The rate goes on from where it stood: no step.
	expectGoverned(t, e, address(7), 12_500_000, false)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	if got := e.groups[0].share.UnitShareBitsPerSecond; got != 5_000_000 {
		t.Errorf("unit share %d after a learnt one, want the controller's", got)
	}
}

// A living controller tells of every port on the way to a destination: of another port, which the
// destination's other sources may cross, nothing is learnt.
func TestControllersWordOfADestinationHolds(t *testing.T) {
	e := newTestEndpoint(0)
	tries := func(when string, port model.Port, to byte, want bool) {
		t.Helper()
		if taken, err := e.LearnShare(shareOf(port, 2_000_000, 3), address(to)); taken != want || err != nil {
			t.Errorf("%s, %s towards %d: learnt %v (%v), want %v", when, port, to, taken, err, want)
		}
	}
	tries("a newcomer", "b/1", 7, true)
	e.Step(second, 0)
	expectGoverned(t, e, address(7), 12_500_000, true)
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(second+tau, 0)
	expectGoverned(t, e, address(7), 12_500_000, false) // and by a/1 alone
	if d := e.destination[address(7)]; d.groups != 1<<1 || d.learnt != 0 {
		t.Errorf("behind %b, of that learnt %b", d.groups, d.learnt)
	}
	tries("the controller lives", "b/1", 7, false)
	tries("the controller lives", "a/1", 7, true) // it is in force anyway
	tries("nobody told of it", "b/1", 8, true)
	tries("it joins", "a/1", 8, true)
	e.Step(second+staleNanos-1, 0)
	tries("the controller may live", "b/1", 7, false)
	e.Step(second+staleNanos, 0)
	tries("the controller is gone", "b/1", 7, true)
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	if d := e.destination[address(7)]; d.groups != 1<<1 || d.learnt != 0 {
		t.Errorf("behind %b, of that learnt %b, when the controller is back", d.groups, d.learnt)
	}
	if d := e.destination[address(8)]; d.groups != 1<<0 || d.learnt != 1<<0 {
		t.Errorf("another is behind %b, of that learnt %b", d.groups, d.learnt)
	}
}

func TestLearntGroupsSleepAndWake(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(0, 0)
	e.Step(DefaultQuietNanos, 0)
	expectGoverned(t, e, address(7), 0, false)
	learn(t, e, shareOf("a/1", 5_000_000, 9), address(7))
	e.Step(DefaultQuietNanos+tau, 0)
	expectGoverned(t, e, address(7), 5_000_000, true)
}

func TestLearntSharesNeedRoom(t *testing.T) {
	e := newTestEndpoint(0)
	for i := range MaxGroups {
		learn(t, e, shareOf(model.Port(fmt.Sprintf("a/%d", i)), 1_000_000, 1), address(byte(i)))
	}
	if _, err := e.LearnShare(shareOf("a/9", 1_000_000, 1), address(9)); err == nil {
		t.Error("a ninth port was learnt")
	}
	expectGoverned(t, e, address(9), 0, false)
	if len(e.destination) != MaxGroups {
		t.Errorf("%d destinations, want those of the ports in force", len(e.destination))
	}
}

func TestADestinationLeaves(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	learn(t, e, shareOf("b/1", 25_000_000, 1), address(7))
	e.Step(0, 0)
	e.Leave("a/1", address(7))
	expectGoverned(t, e, address(7), 25_000_000, true)
	e.Leave("b/1", address(7))
	e.Leave("b/1", address(7))
	e.Leave("c/1", address(8))
	expectGoverned(t, e, address(7), 0, false)
	if len(e.destination) != 0 {
		t.Errorf("%d destinations are remembered", len(e.destination))
	}
}

// A stale share must not draw a source upwards, as the controller's word does.
func TestStaleLearntShareDoesNotPullUpwards(t *testing.T) {
	told, learnt := newTestEndpoint(0), newTestEndpoint(0)
	mustShare(t, told, shareOf("a/1", 16_000_000, 3), address(7))
	stale := shareOf("a/1", 16_000_000, 3)
	stale.Stale = true
	learn(t, learnt, stale, address(7))
	for _, e := range []*Endpoint{told, learnt} {
		e.Step(0, 1)
		e.Feedback(address(7), 10, 0, 15_000)
		e.Step(2_500_000, 1)
	}
	// R = 12.5 + 0.02 x 16; told: 1.1 - 12.5/16 counts as 0.15, so 0.1 x 0.15 x 16 more.
	expectGoverned(t, learnt, address(7), 12_820_000, true)
	expectGoverned(t, told, address(7), 13_060_000, false)
}
