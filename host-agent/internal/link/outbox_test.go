// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	millisecond = int64(time.Millisecond)
	testTau     = 2500 * time.Microsecond
)

var testSpacings = spacings{testTau, 2 * testTau}

func pairOf(n int) model.Pair {
	return model.Pair{Source: netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}),
		Destination: netip.AddrFrom4([4]byte{10, 0, 0, 5})}
}

func received(n int, packets, ce uint64) model.PairSample {
	return model.PairSample{Pair: pairOf(n), ReceivedPackets: packets, ReceivedBytes: packets * 1500, CEPackets: ce}
}

func observed(pairs ...model.PairSample) model.Observation {
	return model.Observation{IntervalNanos: int64(testTau), Pairs: pairs}
}

func TestPendingIncrementsAddUp(t *testing.T) {
	o := newOutbox()
	o.observe(0, observed(received(1, 99, 99))) // no session: not counted
	o.begin()
	endpoint := model.EndpointSample{Interface: "vm0", RateBitsPerSecond: 10, BacklogBytes: 5, DroppedPackets: 1,
		Groups: []model.GroupSample{{Port: "p/1", SentBytes: 100, CEShare: 0.5}}}
	o.observe(0, model.Observation{IntervalNanos: 10, Pairs: []model.PairSample{received(1, 5, 2), received(2, 1, 0)},
		Endpoints: []model.EndpointSample{endpoint}})
	endpoint.RateBitsPerSecond, endpoint.DroppedPackets = 20, 2
	endpoint.Groups[0].CEShare = 0.25
	o.observe(1, model.Observation{IntervalNanos: 11, Pairs: []model.PairSample{received(1, 7, 3), received(3, 0, 0)},
		Endpoints: []model.EndpointSample{endpoint}})
	_, got, _ := o.take(1, -int64(time.Second), testSpacings)
	if got == nil || got.IntervalNanos != 21 || len(got.Pairs) != 2 || got.Pairs[0] != received(1, 12, 5) {
		t.Fatalf("took %+v", got)
	}
	e := got.Endpoints[0]
	if len(got.Endpoints) != 1 || e.RateBitsPerSecond != 20 || e.DroppedPackets != 3 ||
		e.Groups[0] != (model.GroupSample{Port: "p/1", SentBytes: 200, CEShare: 0.25}) {
		t.Errorf("endpoint %+v", e)
	}
	if _, again, due := o.take(2, 1, testSpacings); again != nil || due != 0 {
		t.Errorf("took %+v twice", again)
	}
	o.end()
	o.observe(0, observed(received(1, 99, 99)))
	o.begin()
	if _, got, _ := o.take(1, -int64(time.Second), testSpacings); got != nil {
		t.Errorf("took %+v of the session before", got)
	}
}

func TestAnIdleHostSendsNothing(t *testing.T) {
	o := newOutbox()
	o.begin()
	idle := model.Observation{IntervalNanos: int64(time.Second), Endpoints: []model.EndpointSample{
		{Interface: "vm0", RateBitsPerSecond: 10, Groups: []model.GroupSample{{RateBitsPerSecond: 10}}},
	}}
	take := func() *model.Observation {
		_, got, _ := o.take(int64(time.Hour), 0, testSpacings)
		return got
	}
	o.observe(0, idle)
	if got := take(); got == nil || len(got.Endpoints) != 1 {
		t.Fatalf("the first state was not sent: %+v", got)
	}
	for range 100 {
		o.observe(0, idle)
		o.observe(0, observed())
	}
	if got := take(); got != nil {
		t.Errorf("sent again: %+v", got)
	}
	idle.Endpoints[0].Groups[0].RateBitsPerSecond = 20
	o.observe(0, idle)
	if got := take(); got == nil || got.IntervalNanos != int64(time.Second) {
		t.Errorf("a change was sent as %+v", got)
	}
	idle.IntervalNanos = int64(time.Hour)
	idle.Endpoints[0].DroppedPackets = 1
	o.observe(0, idle)
	if got := take(); got == nil || got.IntervalNanos != int64(time.Minute) {
		t.Errorf("drops were sent as %+v", got)
	}
}

func TestMarksAndNewPairsAreUrgent(t *testing.T) {
	o := newOutbox()
	o.begin()
	take := func(now, lastSent int64) (taken bool, due int64) {
		_, got, due := o.take(now, lastSent, testSpacings)
		return got != nil, due
	}
	o.observe(0, observed(received(1, 5, 0)))
	if taken, due := take(millisecond, 0); taken || due != int64(testTau) {
		t.Errorf("a new pair within tau: taken %v, due %d", taken, due)
	}
	if taken, _ := take(int64(testTau), 0); !taken {
		t.Error("a new pair waits longer than tau")
	}
	o.observe(3*millisecond, observed(received(1, 5, 0)))
	if taken, due := take(10*millisecond, 3*millisecond); taken || due != 53*millisecond {
		t.Errorf("more of the same: taken %v, due %d", taken, due)
	}
	o.observe(11*millisecond, observed(received(1, 5, 1)))
	if taken, _ := take(11*millisecond, 3*millisecond); !taken {
		t.Error("a mark waits longer than tau")
	}
	o.observe(12*millisecond, observed(received(1, 5, 1)))
	if taken, due := take(15*millisecond, 11*millisecond); taken || due != 16*millisecond {
		t.Errorf("another mark within the control period: taken %v, due %d", taken, due)
	}
	if taken, _ := take(16*millisecond, 11*millisecond); !taken {
		t.Error("another mark waits longer than the control period")
	}
	// A pair that was idle is new again.
	o.observe(200*millisecond, observed(received(1, 5, 0)))
	if taken, _ := take(203*millisecond, 200*millisecond); !taken {
		t.Error("a pair that becomes active again waits longer than tau")
	}
}

// That a pair waits, or does not any more, is reported at once, with packets or without, and once.
func TestWaitingIsUrgent(t *testing.T) {
	o := newOutbox()
	o.begin()
	sample := func(packets uint64, waits bool) model.PairSample {
		return model.PairSample{Pair: pairOf(1), SentPackets: packets, SentBytes: packets * 1500, Waits: waits}
	}
	take := func(now, lastSent int64, want ...model.PairSample) {
		t.Helper()
		var got []model.PairSample
		if _, taken, _ := o.take(now, lastSent, testSpacings); taken != nil {
			got = taken.Pairs
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %d ns: took %+v, want %+v", now, got, want)
		}
	}
	o.observe(0, observed(sample(1, false)))
	take(3*millisecond, 0, sample(1, false))
	o.observe(4*millisecond, observed(sample(0, true)))
	take(6*millisecond, 3*millisecond, sample(0, true))
	o.observe(7*millisecond, observed(sample(0, true)))
	take(int64(time.Second), 6*millisecond)
	o.observe(8*millisecond, observed(sample(2, true)))
	take(20*millisecond, 6*millisecond)
	o.observe(21*millisecond, observed(sample(3, false)))
	take(21*millisecond, 6*millisecond, sample(5, false))
	o.observe(22*millisecond, observed(sample(0, false)))
	take(int64(time.Second), 21*millisecond)

	o.observe(23*millisecond, observed(sample(0, true)))
	o.begin() // a new session does not know
	o.observe(24*millisecond, observed(sample(0, true)))
	take(int64(time.Second), 0, sample(0, true))
}

func TestPendingObservationsAreBounded(t *testing.T) {
	o := newOutbox()
	o.begin()
	for n := range maxWaitingPairs + 3 {
		o.observe(0, observed(received(n, 1, 0)))
	}
	o.observe(0, observed(received(0, 1, 0)))
	for n := range maxWaitingEvents + 2 {
		o.report(model.Event{Detail: fmt.Sprint(n)})
	}
	events, got, _ := o.take(0, -int64(time.Second), testSpacings)
	if len(got.Pairs) != maxWaitingPairs || got.Pairs[0].ReceivedPackets != 2 {
		t.Errorf("%d pairs wait", len(got.Pairs))
	}
	if len(events) != maxWaitingEvents || events[0].Detail != "2" || events[len(events)-1].Detail != "65" {
		t.Errorf("%d events wait, the first is %+v", len(events), events[0])
	}
	if e, s := o.dropped(); e != 2 || s != 3 {
		t.Errorf("counted %d events and %d samples, want 2 and 3", e, s)
	}
}

// Marks are never reported more often than what is urgent, before the first settings neither.
func TestMarksWaitForAPeriodUnderSluicesLawAlone(t *testing.T) {
	const tau, period = 500 * time.Microsecond, 5 * time.Millisecond
	client := &Client{config: Config{Tau: tau}, tau: tau}
	if got := client.leastSpacings(); got != (spacings{tau, tau}) {
		t.Errorf("before the first settings %+v", got)
	}
	client.settled(model.HostSettings{Law: model.TwoTimeScale, ControlPeriodNanos: period.Nanoseconds()})
	if got := client.leastSpacings(); got != (spacings{tau, period}) {
		t.Errorf("under Sluice's law %+v", got)
	}
	client.settled(model.HostSettings{Law: model.SdnGcc, ControlPeriodNanos: period.Nanoseconds()})
	if got := client.leastSpacings(); got != (spacings{tau, tau}) {
		t.Errorf("under SDN-GCC %+v", got)
	}
}
