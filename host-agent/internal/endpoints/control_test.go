// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
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
	return newControl(kind, func() law.Host { return law.Host{} }, testBounds, faults.New(slog.New(slog.DiscardHandler), failures{t}))
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

func TestPublishedSharesReplaceRelayedOnes(t *testing.T) {
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

func TestSdnGccIgnoresShares(t *testing.T) {
	c := newTestControl(t, model.SdnGcc)
	relay(t, c, testPort, firstPeer)
	if len(c.ports) != 0 {
		t.Errorf("%v", c.ports)
	}
}

func TestAResetKeepsSharesAndDropsNotices(t *testing.T) {
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

func expectBeyond(t *testing.T, c *Control, what string, ports ...model.Port) {
	t.Helper()
	if got := c.portsBeyond(); !slices.Equal(got, ports) {
		t.Errorf("%s: %v beyond control, want %v", what, got, ports)
	}
}

// What is behind a ninth congested port is limited by nobody: it must be distinguished from what needs no limit.
func TestAPortBeyondTheMaximumIsKeptUntilAGroupIsFree(t *testing.T) {
	port := func(i int) model.Port { return model.Port(fmt.Sprintf("of:000000000000000a/%d", i)) }
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}) }
	c := newTestControl(t, model.TwoTimeScale)
	for i := range law.MaxGroups {
		publish(t, c, port(i), address(i))
	}
	expectBeyond(t, c, "eight ports")
	ninth, tenth := port(8), port(9)
	c.regrouped = false
	share := func() error {
		return c.setShare(shareOf(ninth), model.ControlledEndpoint{Destinations: []netip.Addr{address(8)}})
	}
	if err := share(); !errors.Is(err, law.ErrTooManyPorts) || !c.regrouped {
		t.Errorf("%v, regrouped %v: want it refused, and its destination assigned anew", err, c.regrouped)
	}
	if err := c.SetRelayedShare(shareOf(tenth), address(9)); !errors.Is(err, law.ErrTooManyPorts) {
		t.Errorf("%v: want it refused", err)
	}
	expectBeyond(t, c, "ten ports", ninth, tenth)
	if !c.isBeyond(address(8)) || !c.isBeyond(address(9)) || c.isBeyond(address(7)) || c.isBeyond(address(20)) {
		t.Error("want what is behind the ninth and the tenth alone")
	}
	c.Forget(address(9))
	expectBeyond(t, c, "nobody relays the tenth any more", ninth)
	c.release(port(3))
	if err := share(); err != nil {
		t.Errorf("%v although there is room", err)
	}
	expectBeyond(t, c, "there is room")
	if _, governed := c.laws.Governing(address(8)); !governed || c.isBeyond(address(8)) {
		t.Error("its destination is not governed")
	}
}

func TestAPortBeyondTheMaximumWithNoticesAloneExpires(t *testing.T) {
	const start = int64(5_000_000_000)
	c := newTestControl(t, model.SdnGcc)
	notify := func(i int) error {
		return c.Notify(start, model.Notice{
			Port: model.Port(fmt.Sprintf("of:000000000000000a/%d", i)), Marks: 1, Packets: 10,
			Destinations: []netip.Addr{netip.AddrFrom4([4]byte{10, 1, 0, byte(i)})},
		})
	}
	for i := range law.MaxGroups {
		if err := notify(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := notify(8); !errors.Is(err, law.ErrTooManyPorts) {
		t.Fatal(err)
	}
	c.expireBeyond(start + beyondNanos - 1)
	expectBeyond(t, c, "soon after the notice", "of:000000000000000a/8")
	c.expireBeyond(start + beyondNanos)
	expectBeyond(t, c, "later")
}
