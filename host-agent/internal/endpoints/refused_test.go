// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// refuses has the controller name what vm0 must not use.
func (l *learner) refuses(addresses ...netip.Addr) {
	l.t.Helper()
	l.endpoint.table.SetPolicies([]model.EndpointPolicy{
		{Interface: "vm0", Tenant: "default", Weight: 1, RefusedIPs: addresses},
	})
}

func (l *learner) refusedByStatus() []netip.Addr {
	l.t.Helper()
	return l.endpoint.Status().RefusedIPs
}

func TestALearnedAddressThatTheControllerRefusesIsNotUsed(t *testing.T) {
	l := newLearner(t)
	own, foreign := netip.MustParseAddr("10.9.0.1"), netip.MustParseAddr("10.9.0.2")
	start := clock.Nanos()
	l.announce(own)
	l.announce(foreign)
	l.endpoint.Turn(start)
	if got := l.endpoint.IPs; !slices.Equal(got, []netip.Addr{own, foreign}) {
		t.Fatalf("learned %v", got)
	}

	l.refuses(foreign)
	l.endpoint.Turn(start)
	if got := l.endpoint.IPs; !slices.Equal(got, []netip.Addr{own}) {
		t.Errorf("%v, want only %s after the refusal", got, own)
	}
	if got := l.refusedByStatus(); !slices.Equal(got, []netip.Addr{foreign}) {
		t.Errorf("status says that %v are refused, want %s", got, foreign)
	}
	known, changed := l.endpoint.table.Changes()
	if !changed || !slices.Equal(known[0].IPs, []netip.Addr{own}) || !slices.Equal(known[0].Learned, known[0].IPs) {
		t.Errorf("reported %+v, changed %v", known, changed)
	}

	// It is claimed in vain, also once the controller names it no longer: its claim is over.
	l.refuses()
	l.announce(foreign)
	l.endpoint.Turn(clock.Nanos())
	if got := l.endpoint.IPs; !slices.Equal(got, []netip.Addr{own}) {
		t.Errorf("%v, want only %s for a while", got, own)
	}
	l.endpoint.Turn(clock.Nanos() + refusalHoldNanos + int64(time.Second))
	l.announce(foreign)
	l.endpoint.Turn(clock.Nanos())
	if got := l.endpoint.IPs; !slices.Contains(got, foreign) {
		t.Errorf("%v, want %s again after a minute", got, foreign)
	}
	if got := l.refusedByStatus(); got == nil || len(got) != 0 {
		t.Errorf("status says that %#v are refused, want an empty list", got)
	}
}

func TestAConfiguredAddressIsRefusedAndRestored(t *testing.T) {
	l := newLearner(t)
	table := l.endpoint.table
	device := l.endpoint.superPackets.device
	own, foreign := netip.MustParseAddr("10.9.0.1"), netip.MustParseAddr("10.9.0.2")
	if _, err := table.Remove(l.endpoint.place); err != nil {
		t.Fatal(err)
	}
	configured := model.Endpoint{Interface: "vm0", MAC: l.vm.Attrs().HardwareAddr, IPs: []netip.Addr{own, foreign}}
	if err := table.Add([]Described{{device, configured}})["vm0"]; err != nil {
		t.Fatal(err)
	}
	l.endpoint = table.All()[0]
	count := func() int { return l.shim.AddressCount(l.endpoint.index) }

	l.refuses(foreign)
	if count() != 1 || !slices.Equal(l.endpoint.IPs, configured.IPs) {
		t.Errorf("%d addresses, %v: want one in use and both claimed", count(), l.endpoint.IPs)
	}
	l.refuses()
	if count() != 2 {
		t.Errorf("%d addresses, want both again", count())
	}

	l.refuses(own, foreign)
	if _, err := table.Remove(l.endpoint.place); err != nil {
		t.Fatal(err)
	}
	if err := table.Add([]Described{{device, configured}})["vm0"]; err != nil {
		t.Fatal(err)
	}
	l.endpoint = table.All()[0]
	if count() != 0 {
		t.Errorf("%d addresses of an endpoint that is made anew, want those of its policy: none", count())
	}
	l.refuses()
	if count() != 2 {
		t.Errorf("%d addresses in the end, want both", count())
	}
}
