// SPDX-License-Identifier: Apache-2.0

package flowsizes

import (
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// bench has programs, a controller and a clock in hand.
type bench struct {
	*Sizes
	t          *testing.T
	now        int64
	endpoints  int
	reports    bool
	thresholds []uint64
	flows      map[shim.FlowKey]shim.SizedFlow
	counts     model.FlowSizeCounts
	watched    bool
	observed   []model.FlowSizes
	log        strings.Builder
}

func (b *bench) ReportSizes(on bool)                         { b.reports = on }
func (b *bench) SetThresholds(bytes []uint64)                { b.thresholds = bytes }
func (b *bench) EndedFlows(into *model.FlowSizeCounts) error { *into = b.counts; return nil }
func (b *bench) WatchFlowSizes(on bool)                      { b.watched = on }

func (b *bench) ReadSizes(endpoint int, read func(shim.SizeReader)) error {
	read(b)
	return nil
}

func (b *bench) SizeOf(key shim.FlowKey) (shim.SizedFlow, bool) {
	flow, found := b.flows[key]
	return flow, found
}

func (b *bench) ObserveFlowSizes(sizes model.FlowSizes) {
	sizes.Large = slices.Clone(sizes.Large)
	b.observed = append(b.observed, sizes)
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, endpoints: 1, flows: map[shim.FlowKey]shim.SizedFlow{}}
	b.Sizes = New(Host{
		Levels:   &config.Levels{ThresholdBytes: []int64{1000, 2000}, DSCP: []int{16, 8, 0}, IdleMillis: 500},
		Programs: b, Observer: b, Faults: faults.New(slog.New(slog.DiscardHandler), nil),
		Log: slog.New(slog.NewTextHandler(&b.log, nil)), Endpoints: func() int { return b.endpoints },
	})
	return b
}

var wanted = model.HostSettings{ReportFlowSizes: true, ControlPeriodNanos: (5 * time.Millisecond).Nanoseconds()}

func flow(port uint16) model.FlowID {
	return model.FlowID{
		Source: netip.MustParseAddr("10.0.0.1"), SourcePort: port,
		Destination: netip.MustParseAddr("10.0.0.5"), DestinationPort: 80,
	}
}

func key(endpoint int, port uint16) shim.FlowKey { return shim.FlowKeyOf(endpoint, 6, flow(port)) }

// sends has a flow have sent so much, just now.
func (b *bench) sends(k shim.FlowKey, bytes uint64, ended bool) {
	b.flows[k] = shim.SizedFlow{SentBytes: bytes, LastNanos: b.now, Ended: ended}
}

// turns lets a period pass and returns what was reported.
func (b *bench) turns(after time.Duration) []model.FlowSizes {
	b.now += after.Nanoseconds()
	b.observed = nil
	b.Turn(b.now)
	return b.observed
}

func (b *bench) expect(what string, got []model.FlowSizes, ended []uint64, large ...model.LargeFlow) {
	b.t.Helper()
	want := model.FlowSizes{Large: large}
	for _, bytes := range ended {
		want.Ended.Add(bytes)
	}
	if len(got) != 1 || !slices.Equal(got[0].Large, large) || got[0].Ended != want.Ended {
		b.t.Errorf("%s: %+v, want once %+v", what, got, want)
	}
}

func TestALargeFlowIsReportedWhileItSends(t *testing.T) {
	b := newBench(t)
	b.ApplySettings(wanted)
	if !b.reports || !b.watched {
		t.Fatal("nobody received it")
	}
	b.turns(time.Second)
	k := key(1, 5000)
	b.sends(k, 2500, false)
	b.Began(k)
	b.Began(k)
	if early := b.turns(time.Millisecond); len(early) > 0 {
		t.Errorf("%+v before its time", early)
	}
	b.expect("it sends", b.turns(leastPeriod), nil, model.LargeFlow{Flow: flow(5000), SentBytes: 2500})
	if again := b.turns(leastPeriod); len(again) > 0 {
		t.Errorf("%+v, and it has sent nothing", again)
	}
	b.sends(k, 9000, false)
	b.expect("it sends on", b.turns(leastPeriod), nil, model.LargeFlow{Flow: flow(5000), SentBytes: 9000})
	if s := b.Status(); s != (Status{Reported: true, LargeFlows: 1}) {
		t.Errorf("%+v", s)
	}
}

func TestALargeFlowEnds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench, k shim.FlowKey)
		after  time.Duration
		sent   uint64
	}{
		"by a FIN":     {func(b *bench, k shim.FlowKey) { b.sends(k, 7000, true) }, leastPeriod, 7000},
		"by silence":   {func(b *bench, k shim.FlowKey) { b.sends(k, 7000, false) }, 501 * time.Millisecond, 7000},
		"forgotten":    {func(b *bench, k shim.FlowKey) { delete(b.flows, k) }, leastPeriod, 2500},
		"begins anew":  {func(b *bench, k shim.FlowKey) { b.sends(k, 100, false) }, leastPeriod, 2500},
		"sent no more": {func(b *bench, k shim.FlowKey) { b.sends(k, 2500, true) }, leastPeriod, 2500},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ApplySettings(wanted)
			k := key(1, 5000)
			b.sends(k, 2500, false)
			b.Began(k)
			b.turns(leastPeriod)
			c.change(b, k)
			b.expect("its end", b.turns(c.after), []uint64{c.sent}, model.LargeFlow{Flow: flow(5000), SentBytes: c.sent, Ended: true})
			if s := b.Status(); s.LargeFlows != 0 {
				t.Errorf("%d flows are still followed", s.LargeFlows)
			}
			if again := b.turns(time.Second); len(again) > 0 {
				t.Errorf("%+v after its end", again)
			}
		})
	}
}

func TestSizesOfSmallFlowsAreSummed(t *testing.T) {
	b := newBench(t)
	b.counts.Add(1 << 30) // before reports are on
	b.ApplySettings(wanted)
	b.counts.Add(100)
	b.counts.Add(100)
	b.expect("two", b.turns(leastPeriod), []uint64{100, 100})
	b.counts.Add(900)
	b.expect("one more", b.turns(leastPeriod), []uint64{900})
}

// One endpoint does not take the others' part of the table.
func TestEndpointsHaveEqualQuotasOfLargeFlows(t *testing.T) {
	b := newBench(t)
	b.endpoints = 4
	b.ApplySettings(wanted)
	for port := range uint16(mostFlows) {
		b.Began(key(1, 1+port))
	}
	if s := b.Status(); s.LargeFlows != mostFlows/4 || s.RefusedFlows != mostFlows*3/4 {
		t.Errorf("%+v", s)
	}
	for endpoint := 2; endpoint <= 6; endpoint++ {
		for port := range uint16(mostFlows / 4) {
			b.Began(key(endpoint, 1+port))
		}
	}
	if s := b.Status(); s.LargeFlows != mostFlows {
		t.Errorf("%+v, want %d at most", s, mostFlows)
	}
	// With so many flows there is more time between two polls.
	if reported := b.turns(leastPeriod); len(reported) > 0 {
		t.Error("all were polled after the least period")
	}
	b.turns(mostFlows * flowPeriod)
	if s := b.Status(); s.LargeFlows != 0 {
		t.Errorf("%+v: the programs know none of them", s)
	}
}

// A controller refuses a whole report for it.
func TestAFlowWithPort0IsNotReported(t *testing.T) {
	b := newBench(t)
	b.ApplySettings(wanted)
	b.sends(key(1, 0), 2500, false)
	b.Began(key(1, 0))
	if reported := b.turns(time.Second); len(reported) > 0 || b.Status().RefusedFlows != 1 {
		t.Errorf("%+v, %+v", reported, b.Status())
	}
}

func TestSizeReportsEndWithTheirSetting(t *testing.T) {
	b := newBench(t)
	b.ApplySettings(wanted)
	b.Began(key(1, 5000))
	b.ApplySettings(model.HostSettings{})
	b.Began(key(1, 5001))
	b.counts.Add(100)
	if reported := b.turns(time.Second); b.reports || b.watched || len(reported) > 0 || b.Status() != (Status{}) {
		t.Errorf("%+v, %+v", reported, b.Status())
	}
	b.ApplySettings(wanted)
	if reported := b.turns(time.Second); len(reported) > 0 {
		t.Errorf("%+v: what ended meanwhile is nobody's", reported)
	}
}

func TestThresholdsHoldUntilWithdrawn(t *testing.T) {
	b := newBench(t)
	for _, step := range []struct {
		name           string
		decided, holds []uint64
		condition      bool
	}{
		{"none", nil, nil, false},
		{"two", []uint64{5, 6}, []uint64{5, 6}, false},
		{"the same", []uint64{5, 6}, []uint64{5, 6}, false},
		{"one", []uint64{7}, []uint64{1000, 2000}, true},
		{"one again", []uint64{7}, []uint64{1000, 2000}, true},
		{"others", []uint64{7, 8}, []uint64{7, 8}, false},
		{"taken back", nil, []uint64{1000, 2000}, false},
	} {
		b.ApplySettings(model.HostSettings{LevelThresholdBytes: step.decided})
		if !slices.Equal(b.thresholds, step.holds) {
			t.Errorf("%s: %v in force, want %v", step.name, b.thresholds, step.holds)
		}
		shown, decided := b.Thresholds()
		if step.holds != nil && !slices.Equal(shown, step.holds) || decided != (slices.Equal(step.holds, step.decided) && step.holds != nil) {
			t.Errorf("%s: shown %v, decided %v", step.name, shown, decided)
		}
		if condition := b.Condition() != ""; condition != step.condition {
			t.Errorf("%s: condition %q", step.name, b.Condition())
		}
	}
	if lines := strings.Count(b.log.String(), "\n"); lines != 1 {
		t.Errorf("%d lines in the log, want 1:\n%s", lines, b.log.String())
	}
}

func TestWithoutLevelsNothingIsDone(t *testing.T) {
	b := newBench(t)
	b.host.Levels = nil
	settings := wanted
	settings.LevelThresholdBytes = []uint64{1}
	b.ApplySettings(settings)
	b.Began(key(1, 5000))
	b.Turn(time.Hour.Nanoseconds())
	if b.reports || b.watched || b.thresholds != nil || b.Condition() != "" || b.Status() != (Status{}) {
		t.Errorf("%+v", b)
	}
}
