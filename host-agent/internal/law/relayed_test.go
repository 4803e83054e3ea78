// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"net/netip"
	"slices"
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
	expectGoverned(t, e, address(7), 16_000_000, true)
	expectGoverned(t, e, address(8), 0, false)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(8))
	expectGoverned(t, e, address(7), 16_000_000, true)
	expectGoverned(t, e, address(8), 16_000_000, true)
}

func TestControllersShareHoldsOverARelayedOne(t *testing.T) {
	e := newTestEndpoint(0)
	published := shareOf("a/1", 16_000_000, 3)
	mustShare(t, e, published, address(7))
	learn(t, e, shareOf("a/1", 1_000_000, 49), address(8))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 16_000_000, false)
	expectGoverned(t, e, address(8), 16_000_000, false) // it joins
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
	// The limit goes on from where it stood until the next step.
	expectGoverned(t, e, address(7), 16_000_000, false)
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
	expectGoverned(t, e, address(7), 2_000_000, true)
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	e.Step(second+tau, 0)
	expectGoverned(t, e, address(7), 16_000_000, false) // and by a/1 alone
	if d := e.destination[address(7)]; d.groups != 1<<e.find("a/1") || d.joined != 0 {
		t.Errorf("behind %b, of that joined %b", d.groups, d.joined)
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
	if d := e.destination[address(7)]; d.groups != 1<<e.find("a/1") || d.joined != 0 {
		t.Errorf("behind %b, of that joined %b, when the controller is back", d.groups, d.joined)
	}
	if d := e.destination[address(8)]; d.groups != 1<<e.find("b/1") || d.joined != d.groups {
		t.Errorf("another is behind %b, of that joined %b", d.groups, d.joined)
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
	for i := range model.MaxGroups {
		learn(t, e, shareOf(model.Port(fmt.Sprintf("a/%d", i)), 1_000_000, 1), address(byte(i)))
	}
	if _, err := e.SetRelayedShare(shareOf("a/9", 1_000_000, 1), address(9)); err == nil {
		t.Error("a ninth port was taken")
	}
	expectGoverned(t, e, address(9), 0, false)
	if len(e.destination) != model.MaxGroups {
		t.Errorf("%d destinations, want those of the ports in force", len(e.destination))
	}
}

func TestAForgottenDestinationIsUncontrolled(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(7))
	learn(t, e, shareOf("b/1", 25_000_000, 1), address(7))
	learn(t, e, shareOf("b/1", 25_000_000, 1), address(9))
	e.Step(0, 0)
	expectGoverned(t, e, address(7), 16_000_000, true)
	e.Forget(address(7))
	e.Forget(address(7))
	e.Forget(address(8))
	expectGoverned(t, e, address(7), 0, false)
	expectGoverned(t, e, address(9), 25_000_000, true)
	if len(e.destination) != 1 {
		t.Errorf("%d destinations are remembered", len(e.destination))
	}
}

func expectBehind(t *testing.T, e *Endpoint, what string, port model.Port, destinations ...netip.Addr) {
	t.Helper()
	var got []netip.Addr
	if i := e.find(port); i >= 0 {
		for address, d := range e.destination {
			if d.groups&(1<<i) != 0 {
				got = append(got, address)
			}
		}
	}
	slices.SortFunc(got, netip.Addr.Compare)
	if !slices.Equal(got, destinations) {
		t.Errorf("%s: %v behind %s, want %v", what, got, port, destinations)
	}
}

func TestARelayedPortEndsWithItsLastDestination(t *testing.T) {
	e := newTestEndpoint(0)
	share := shareOf("a/1", 16_000_000, 3)
	learn(t, e, share, address(5))
	e.Regrouped()
	e.Forget(address(6))
	expectBehind(t, e, "another destination was forgotten", "a/1", address(5))
	if e.Regrouped() {
		t.Error("destinations are to be assigned anew, although none changed")
	}
	learn(t, e, share, address(6))
	e.Forget(address(5))
	expectBehind(t, e, "the first was forgotten", "a/1", address(6))
	e.Forget(address(6))
	if e.find("a/1") >= 0 || !e.Regrouped() {
		t.Error("the port is controlled after the only destination was forgotten")
	}
	expectGoverned(t, e, address(6), 0, false)
}

func TestPublishedSharesReplaceRelayedOnes(t *testing.T) {
	e := newTestEndpoint(0)
	learn(t, e, shareOf("b/1", 16_000_000, 3), address(5))
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(6))
	mustShare(t, e, shareOf("a/1", 16_000_000, 3), address(5))
	expectBehind(t, e, "published", "a/1", address(5))
	expectBehind(t, e, "not published", "b/1")
	if e.find("b/1") >= 0 {
		t.Error("a port that no destination's agent names any more is controlled")
	}
	learn(t, e, shareOf("a/1", 16_000_000, 3), address(6))
	expectBehind(t, e, "joined", "a/1", address(5), address(6))
	e.Forget(address(6))
	expectBehind(t, e, "left again", "a/1", address(5))
}

func TestDestinationsAreAssignedAnewWhereTheirPortsChange(t *testing.T) {
	e := newTestEndpoint(0)
	share := shareOf("a/1", 16_000_000, 3)
	for _, step := range []struct {
		what         string
		destinations []netip.Addr
		want         bool
	}{
		{"the first share", []netip.Addr{address(5), address(6)}, true},
		{"the same again", []netip.Addr{address(5), address(6)}, false},
		{"one more", []netip.Addr{address(5), address(6), address(7)}, true},
		{"one for another", []netip.Addr{address(5), address(6), address(8)}, true},
		{"one less", []netip.Addr{address(5), address(8)}, true},
	} {
		mustShare(t, e, share, step.destinations...)
		expectBehind(t, e, step.what, "a/1", step.destinations...)
		if got := e.Regrouped(); got != step.want {
			t.Errorf("%s: assigned anew %v, want %v", step.what, got, step.want)
		}
	}
	e.Remove("a/1")
	if !e.Regrouped() {
		t.Error("the port's end leaves destinations where they are")
	}
}
