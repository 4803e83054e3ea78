// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"log/slog"
	"net/netip"
	"slices"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

var (
	firstPeer, secondPeer = netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("10.0.0.6")
	testBounds            = model.Bounds{CeilingBitsPerSecond: 50_000_000, Weight: 1}
)

const (
	testPort  = model.Port("of:0000000000000001/5")
	otherPort = model.Port("of:0000000000000002/7")
)

// failures fails the test with whatever a part reports.
type failures struct{ t *testing.T }

func (f failures) Report(event model.Event) { f.t.Error(event.Detail) }

func newTestControl(t *testing.T, kind model.LawKind) *Control {
	return newControl(kind, testBounds, faults.New(slog.New(slog.DiscardHandler), failures{t}))
}

func shareOf(port model.Port) model.UnitShare {
	return model.UnitShare{
		Port: port, UnitShareBitsPerSecond: 10_000_000, CapacityBitsPerSecond: 40_000_000, ActiveWeight: 4,
	}
}

func expectBehind(t *testing.T, c *Control, what string, port model.Port, destinations ...netip.Addr) {
	t.Helper()
	if got := c.ports[port].destinations; !slices.Equal(got, destinations) {
		t.Errorf("%s: %v behind %s, want %v", what, got, port, destinations)
	}
}

func relay(t *testing.T, c *Control, port model.Port, destination netip.Addr) {
	t.Helper()
	if err := c.SetRelayedShare(shareOf(port), destination); err != nil {
		t.Fatal(err)
	}
}

func publish(t *testing.T, c *Control, port model.Port, destinations ...netip.Addr) {
	t.Helper()
	if err := c.setShare(shareOf(port), model.ControlledEndpoint{Destinations: destinations}); err != nil {
		t.Fatal(err)
	}
}

func TestARelayedPortEndsWithItsLastDestination(t *testing.T) {
	c := newTestControl(t, model.TwoTimeScale)
	relay(t, c, testPort, firstPeer)
	c.regrouped = false
	c.Forget(secondPeer)
	expectBehind(t, c, "another destination was forgotten", testPort, firstPeer)
	if c.regrouped {
		t.Error("destinations are to be assigned anew, although none changed")
	}
	relay(t, c, testPort, secondPeer)
	c.Forget(firstPeer)
	expectBehind(t, c, "the first was forgotten", testPort, secondPeer)
	c.Forget(secondPeer)
	if len(c.ports) != 0 || !c.regrouped {
		t.Errorf("%d ports after the only destination was forgotten", len(c.ports))
	}
	if _, governed := c.laws.Governing(secondPeer); governed {
		t.Error("it still obeys the port")
	}
}

func TestWhatAControllerPublishesReplacesWhatWasRelayed(t *testing.T) {
	c := newTestControl(t, model.TwoTimeScale)
	relay(t, c, otherPort, firstPeer)
	relay(t, c, testPort, secondPeer)
	publish(t, c, testPort, firstPeer)
	expectBehind(t, c, "published", testPort, firstPeer)
	expectBehind(t, c, "not published", otherPort)
	relay(t, c, testPort, secondPeer)
	expectBehind(t, c, "joined", testPort, firstPeer, secondPeer)
	c.Forget(secondPeer)
	expectBehind(t, c, "left again", testPort, firstPeer)
}

func TestSdnGccTakesNoShares(t *testing.T) {
	c := newTestControl(t, model.SdnGcc)
	relay(t, c, testPort, firstPeer)
	if len(c.ports) != 0 {
		t.Errorf("%v", c.ports)
	}
}

func TestAResetKeepsSharesAndForgetsNotices(t *testing.T) {
	c := newTestControl(t, model.SdnGcc)
	if err := c.Notify(1, model.Notice{Port: otherPort, Marks: 1, PeriodNanos: 1e6, Destinations: []netip.Addr{firstPeer}}); err != nil {
		t.Fatal(err)
	}
	publish(t, c, testPort, firstPeer)
	c.reset(model.TwoTimeScale, testBounds)
	relay(t, c, testPort, secondPeer)
	c.reset(model.TwoTimeScale, testBounds)
	expectBehind(t, c, "published and joined", testPort, firstPeer, secondPeer)
	expectBehind(t, c, "from a notice", otherPort)
	for _, destination := range []netip.Addr{firstPeer, secondPeer} {
		if _, governed := c.laws.Governing(destination); !governed {
			t.Errorf("%s obeys no port", destination)
		}
	}
}
