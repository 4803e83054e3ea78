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
	if _, err := e.SetRelayedShare(share, destination); err != nil {
		t.Fatal(err)
	}
}

// expectGoverned checks which limit holds for a destination; 0 is none.
func expectGoverned(t *testing.T, e *Endpoint, to netip.Addr, limit uint64, relayed bool) {
	t.Helper()
	i, ok := e.Governing(to)
	if !ok {
		if limit != 0 {
			t.Errorf("nothing governs %v, want %d", to, limit)
		}
		return
	}
	if state, _ := e.Group(i); state.LimitBitsPerSecond != limit || state.Relayed != relayed {
		t.Errorf("%v obeys %+v, want %d, relayed %v", to, state, limit, relayed)
	}
}

func TestRelayedShareStartsTheControlOfAPort(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 12_500_000, true) // w C / (W + w)
	expectGoverned(t, e, address(8), 0, false)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(8))
	expectGoverned(t, e, address(7), 12_500_000, true)
	expectGoverned(t, e, address(8), 12_500_000, true)
}

func TestControllersShareHoldsOverARelayedOne(t *testing.T) {
	e := newTestEndpoint(0)
	published := shareOf("a/1", 16_000_000, 3)
	mustShare(t, e, published, address(7))
	learn(t, e, shareOf("a/1", 1_000_000, 49), address(8))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 12_500_000, false)
	expectGoverned(t, e, address(8), 12_500_000, false) // it joins
	if got := e.groups[0].share.UnitShareBitsPerSecond; got != published.UnitShareBitsPerSecond {
		t.Errorf("unit share %d, want the controller's", got)
	}
	mustShare(t, e, published, address(7))
	expectGoverned(t, e, address(8), 0, false) // until the controller publishes again
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
		t.Errorf("unit share %d after a relayed one, want the controller's", got)
	}
}

// A controller that still publishes names every port on the path to a destination: another port, which the
// destination's other sources may cross, is not taken.
func TestRelayedSharesAreIgnoredForDestinationsThatTheControllerPublishes(t *testing.T) {
	e := newTestEndpoint(0)
	tries := func(when string, port model.Port, to byte, want bool) {
		t.Helper()
		if taken, err := e.SetRelayedShare(shareOf(port, 2_000_000, 3), address(to)); taken != want || err != nil {
			t.Errorf("%s, %s towards %d: taken %v (%v), want %v", when, port, to, taken, err, want)
		}
	}
	tries("a newcomer", "b/1", 7, true)
	e.Step(second, 0)
	expectGoverned(t, e, address(7), 12_500_000, true)
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(second+tau, 0)
	expectGoverned(t, e, address(7), 12_500_000, false) // and by a/1 alone
	if d := e.destination[address(7)]; d.groups != 1<<1 || d.relayed != 0 {
		t.Errorf("behind %b, of that relayed %b", d.groups, d.relayed)
	}
	tries("the controller lives", "b/1", 7, false)
	tries("the controller lives", "a/1", 7, true) // it is in force anyway
	tries("nobody published it", "b/1", 8, true)
	tries("it joins", "a/1", 8, true)
	e.Step(second+staleNanos-1, 0)
	tries("the controller may live", "b/1", 7, false)
	e.Step(second+staleNanos, 0)
	tries("the controller is gone", "b/1", 7, true)
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	if d := e.destination[address(7)]; d.groups != 1<<1 || d.relayed != 0 {
		t.Errorf("behind %b, of that relayed %b, when the controller is back", d.groups, d.relayed)
	}
	if d := e.destination[address(8)]; d.groups != 1<<0 || d.relayed != 1<<0 {
		t.Errorf("another is behind %b, of that relayed %b", d.groups, d.relayed)
	}
}

func TestRelayedGroupsBecomeIdleAndActive(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(0, 0)
	e.Step(DefaultQuietNanos, 0)
	expectGoverned(t, e, address(7), 0, false)
	learn(t, e, shareOf("a/1", 5_000_000, 9), address(7))
	e.Step(DefaultQuietNanos+tau, 0)
	expectGoverned(t, e, address(7), 5_000_000, true)
}

func TestRelayedSharesBeyondTheMaximumOfPortsAreRefused(t *testing.T) {
	e := newTestEndpoint(0)
	for i := range MaxGroups {
		learn(t, e, shareOf(model.Port(fmt.Sprintf("a/%d", i)), 1_000_000, 1), address(byte(i)))
	}
	if _, err := e.SetRelayedShare(shareOf("a/9", 1_000_000, 1), address(9)); err == nil {
		t.Error("a ninth port was taken")
	}
	expectGoverned(t, e, address(9), 0, false)
	if len(e.destination) != MaxGroups {
		t.Errorf("%d destinations, want those of the ports in force", len(e.destination))
	}
}

func TestADestinationThatLeavesItsPortsIsUncontrolled(t *testing.T) {
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

// A stale share must not draw a source upwards, as the controller's own does.
func TestStaleRelayedShareDoesNotPullUpwards(t *testing.T) {
	published, relayed := newTestEndpoint(0), newTestEndpoint(0)
	mustShare(t, published, shareOf("a/1", 16_000_000, 3), address(7))
	stale := shareOf("a/1", 16_000_000, 3)
	stale.Stale = true
	learn(t, relayed, stale, address(7))
	for _, e := range []*Endpoint{published, relayed} {
		e.Step(0, 1)
		e.Feedback(address(7), 10, 0, 15_000)
		e.Step(2_500_000, 1)
	}
	// R = 12.5 + 0.02 x 16; published: 1.1 - 12.5/16 counts as 0.04, so 0.3 x 0.04 x 16 more.
	expectGoverned(t, relayed, address(7), 12_820_000, true)
	expectGoverned(t, published, address(7), 13_012_000, false)
}
