// SPDX-License-Identifier: Apache-2.0

package law

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func gather(t *testing.T, e *Endpoint, to netip.Addr, marked bool) (joined bool) {
	t.Helper()
	if err := e.Gather(to, ceiling, marked); err != nil {
		t.Fatal(err)
	}
	return e.Regrouped()
}

// Two marks in a timer period of 500 us take 2 x 500 bit / 500 us, 2 Mbit/s, from the rate of all that the endpoint
// sends, to whomever.
func TestMarksOfOneDestinationLowerTheGroupsRate(t *testing.T) {
	e := NewEndpoint(func() model.Law { return New(model.HyGenIcc, Host{NICBitsPerSecond: ceiling}) },
		model.Bounds{CeilingBitsPerSecond: ceiling, Weight: 1})
	marked, other := address(1), address(2)
	if !gather(t, e, marked, false) || gather(t, e, marked, false) || !gather(t, e, other, false) {
		t.Error("a destination joins once")
	}
	const tick = int64(500_000)
	for now := tick; now <= 10*tick; now += tick {
		e.Sent(now, marked, 1500)
		e.Sent(now, other, 1500)
		e.Step(now, 0)
	}
	if i, governed := e.Governing(other); governed {
		t.Fatalf("group %d holds it before any mark", i)
	}
	gather(t, e, marked, true)
	e.Feedback(marked, 2, 2)
	e.Sent(11*tick, other, 1500)
	e.Step(11*tick, 0)
	for _, to := range []netip.Addr{marked, other} {
		i, governed := e.Governing(to)
		state, _ := e.Group(i)
		if !governed || state.Port != model.AnyPort || state.LimitBitsPerSecond != ceiling-2_000_000 {
			t.Errorf("%v: held %v, %+v; want %d", to, governed, state, ceiling-2_000_000)
		}
	}
}
