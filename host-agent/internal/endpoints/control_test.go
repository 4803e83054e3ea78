// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
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
	testShare             = model.UnitShare{
		Port: "of:0000000000000001/5", UnitShareBitsPerSecond: 10_000_000, CapacityBitsPerSecond: 40_000_000, ActiveWeight: 4,
	}
)

// failures fails the test with whatever a part reports.
type failures struct{ t *testing.T }

func (f failures) Report(event model.Event) { f.t.Error(event.Detail) }

func newTestControl(t *testing.T, kind model.LawKind) *Control {
	return newControl(kind, func() law.Host { return law.Host{} }, testBounds, faults.New(slog.New(slog.DiscardHandler), failures{t}))
}

func expectControlled(t *testing.T, c *Control, what string, ports ...model.Port) {
	t.Helper()
	var got []model.Port
	for group := range model.MaxGroups {
		if state, used := c.Group(group); used {
			got = append(got, state.Port)
		}
	}
	if !slices.Equal(got, ports) {
		t.Errorf("%s: controlled for %v, want %v", what, got, ports)
	}
}

func relay(t *testing.T, c *Control, destination netip.Addr) {
	t.Helper()
	if err := c.SetRelayedShare(testShare, destination); err != nil {
		t.Fatal(err)
	}
}

func TestSdnGccIgnoresShares(t *testing.T) {
	c := newTestControl(t, model.SdnGcc)
	relay(t, c, firstPeer)
	expectControlled(t, c, "relayed")
}

func TestAResetKeepsSharesAndDropsNotices(t *testing.T) {
	c := newTestControl(t, model.SdnGcc)
	notice := model.Notice{Port: "of:0000000000000002/7", Marks: 1, PeriodNanos: 1e6, Destinations: []netip.Addr{firstPeer}}
	if err := c.Notify(1, notice); err != nil {
		t.Fatal(err)
	}
	if err := c.SetShare(testShare, []netip.Addr{firstPeer}, model.Terms{}); err != nil {
		t.Fatal(err)
	}
	expectControlled(t, c, "a notice and a share", notice.Port, testShare.Port)
	c.reset(model.TwoTimeScale, testBounds)
	relay(t, c, secondPeer)
	c.reset(model.TwoTimeScale, testBounds)
	expectControlled(t, c, "reset", testShare.Port)
	for _, destination := range []netip.Addr{firstPeer, secondPeer} {
		if _, governed := c.Governing(destination); !governed {
			t.Errorf("%s obeys no port", destination)
		}
	}
}
