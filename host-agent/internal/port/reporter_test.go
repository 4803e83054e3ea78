// SPDX-License-Identifier: Apache-2.0

package port

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const ms = int64(time.Millisecond)

// fakeQueue is a queue as the watch sees it.
type fakeQueue struct {
	packets uint64
	sample  model.PortQueueSample
	err     error
	reads   int
}

func (q *fakeQueue) arrived() uint64 { return q.packets }

func (q *fakeQueue) totals() (model.PortQueueSample, error) {
	q.reads++
	return q.sample, q.err
}

func TestWatchReportsIncrements(t *testing.T) {
	q := &fakeQueue{}
	w := watch{}
	observe := func(at int64) model.PortObservation {
		t.Helper()
		o, err := w.read(at, q)
		if !errors.Is(err, q.err) {
			t.Fatal(err)
		}
		return o
	}
	expect := func(what string, got model.PortObservation, interval int64, want model.PortQueueSample) {
		t.Helper()
		if len(got.Ports) != 1 || got.IntervalNanos != interval || !reflect.DeepEqual(got.Ports[0], want) {
			t.Errorf("%s: %+v, want %+v over %d ns", what, got, want, interval)
		}
	}
	if o := observe(5 * ms); len(o.Ports) != 0 || q.reads != 0 {
		t.Errorf("a queue without traffic is reported: %+v, read %d times", o, q.reads)
	}
	q.packets = 50
	q.sample = model.PortQueueSample{SentPackets: 40, SentBytes: 60000, MarkedPackets: 2, OverThresholdPackets: 3,
		DroppedPackets: 1, BacklogPackets: 9, BacklogBytes: 13500, BufferPackets: 100, MarkThresholdPackets: 20}
	expect("first packets", observe(10*ms), 10*ms, q.sample)

	q.sample.SentPackets, q.sample.SentBytes, q.sample.BacklogPackets, q.sample.BacklogBytes = 49, 73500, 0, 0
	expect("what was queued leaves", observe(15*ms), 5*ms,
		model.PortQueueSample{SentPackets: 9, SentBytes: 13500, BufferPackets: 100, MarkThresholdPackets: 20})
	if o := observe(20 * ms); len(o.Ports) != 0 {
		t.Errorf("nothing has happened, reported %+v", o)
	}

	expect("a second later", observe(1015*ms), 1000*ms,
		model.PortQueueSample{BufferPackets: 100, MarkThresholdPackets: 20})

	q.packets, q.err = 60, errors.New("gone")
	if o := observe(1020 * ms); len(o.Ports) != 0 {
		t.Errorf("a queue that cannot be read is reported: %+v", o)
	}
	q.err = nil
	q.sample = model.PortQueueSample{SentPackets: 5, SentBytes: 7500, MarkedPackets: 3, OverThresholdPackets: 4}
	expect("counters that began anew", observe(1025*ms), 10*ms,
		model.PortQueueSample{SentPackets: 5, SentBytes: 7500, MarkedPackets: 1, OverThresholdPackets: 1})
}

func TestWatchReportsIncrementsOfLevelsAndBackgroundQueues(t *testing.T) {
	q := &fakeQueue{packets: 1}
	w := watch{}
	expect := func(what string, at int64, want model.PortQueueSample) {
		t.Helper()
		q.packets++
		if o, err := w.read(at*ms, q); err != nil || !reflect.DeepEqual(o.Ports[0], want) {
			t.Errorf("%s: %+v, %v, want %+v", what, o, err, want)
		}
	}
	sample := func(last uint64, background ...model.BackgroundQueueSample) model.PortQueueSample {
		return model.PortQueueSample{BufferPackets: 100, Background: background, Levels: []model.LevelQueueSample{
			{}, {SentPackets: last, SentBytes: 1000 * last, DroppedPackets: last / 2, BacklogPackets: 7},
		}}
	}
	queue := func(downstream model.Port, sent uint64) model.BackgroundQueueSample {
		return model.BackgroundQueueSample{Downstream: downstream, SentBytes: sent, DroppedPackets: sent / 2, BacklogPackets: 3, CapBitsPerSecond: 8}
	}
	q.sample = sample(10, queue(downA, 100))
	expect("first", 5, sample(10, queue(downA, 100)))
	q.sample = sample(16, queue(downA, 120), queue(downB, 50))
	expect("then", 10, sample(6, queue(downA, 20), queue(downB, 50)))
	q.sample = sample(18, queue(downB, 54))
	expect("one is gone", 15, sample(2, queue(downB, 4)))
	q.sample = sample(20, queue(downA, 8), queue(downB, 6))
	expect("it came back, and the other began anew", 20, sample(2, queue(downA, 8), queue(downB, 6)))
	q.sample = sample(4)
	expect("all began anew", 25, sample(4))
}

func TestWithoutControllersNothingIsReported(t *testing.T) {
	r, err := NewReporter(config.Port{}, "test", nil, slog.New(slog.DiscardHandler))
	if r != nil || err != nil {
		t.Errorf("%v, %v; want neither", r, err)
	}
	if s := r.Status(); len(s.Controllers) != 0 || s.Link != nil {
		t.Errorf("status of no link: %+v", s)
	}
}

// recordedReports stands for the link, and keeps what is reported.
type recordedReports struct {
	mu       sync.Mutex
	messages int
	total    model.PortQueueSample
	shortest int64
	losses   []model.Loss
}

func (h *recordedReports) ObserveQueues(o model.PortObservation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, sample := range o.Ports {
		h.messages++
		h.total.Add(sample)
		if h.shortest == 0 || o.IntervalNanos < h.shortest {
			h.shortest = o.IntervalNanos
		}
	}
}

func (h *recordedReports) sums() (int, model.PortQueueSample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.messages, h.total
}

// shortestInterval is the shortest between two messages.
func (h *recordedReports) shortestInterval() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Duration(h.shortest)
}

func (h *recordedReports) ReportLosses(losses []model.Loss) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.losses = append(h.losses, losses...)
}

func (h *recordedReports) lost() []model.Loss {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.losses)
}

func (h *recordedReports) Controllers() []model.ControllerStatus { return nil }
func (h *recordedReports) Counters() link.Counters               { return link.Counters{} }
func (h *recordedReports) Certificates() link.Certificates       { return link.Certificates{} }
func (h *recordedReports) Run(ctx context.Context)               { <-ctx.Done() }

func (w *wire) report(link controllers) *Reporter {
	w.t.Helper()
	r := &Reporter{link: link, log: slog.New(slog.DiscardHandler)}
	r.period.Store(defaultPeriod.Nanoseconds())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	r.attach(w.port)
	go func() {
		defer close(done)
		r.run(ctx, w.port)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-done
	})
	return r
}

// What controllers get adds up to what passed, with and without marking.
func TestReportsAddUpToTheQueuesCounters(t *testing.T) {
	for name, threshold := range map[string]int{"marking": testThreshold, "not marking": 0} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, func(p *config.Port) {
				p.MarkThresholdPackets, p.BufferPackets = threshold, 100
				if threshold == 0 {
					p.ThresholdPackets = testThreshold
				}
			})
			link := &recordedReports{}
			w.report(link)
			began := time.Now()
			w.burst(30, testnet.ECT0)
			s := w.burst(30, testnet.NotECT)
			testnet.Until(t, "all is reported", func() bool {
				_, total := link.sums()
				return total.SentPackets == 60 && total.BacklogPackets == 0
			})
			messages, total := link.sums()
			elapsed := time.Since(began)
			if total.SentBytes != 60_000 || total.MarkedPackets != s.MarkedPackets || total.DroppedPackets != 0 ||
				total.OverThresholdPackets != s.OverThresholdPackets {
				t.Errorf("reported %+v, the port reports %+v", total, s)
			}
			// Of each burst of 30 all but the first six, and those that left meanwhile, found more than 5.
			if total.OverThresholdPackets < 2*15 || total.OverThresholdPackets > 2*24 {
				t.Errorf("%d packets over the threshold", total.OverThresholdPackets)
			}
			if marks := total.MarkedPackets > 0; marks != (threshold > 0) || total.MarkedPackets > total.OverThresholdPackets/2+9 {
				t.Errorf("%d marked, %d over the threshold", total.MarkedPackets, total.OverThresholdPackets)
			}
			// 60 packets of 4 ms: a message every 5 ms while the queue holds any, no more. On a busy machine
			// most come later, but not all.
			if most := int(elapsed/defaultPeriod) + 2; messages > most {
				t.Errorf("%d messages in %v, want %d at most", messages, elapsed, most)
			}
			for attempt := 0; link.shortestInterval() > 2*defaultPeriod; attempt++ {
				if attempt == 5 {
					t.Fatalf("no two messages within %v", 2*defaultPeriod)
				}
				w.burst(30, testnet.ECT0)
			}
		})
	}
}

func TestTheControllerSetsTheReportPeriod(t *testing.T) {
	w := newWire(t, func(p *config.Port) { p.BufferPackets = 100 })
	link := &recordedReports{}
	r := w.report(link)
	(&listener{r}).ApplySettings("node", model.HostSettings{ControlPeriodNanos: 60 * ms})
	testnet.Until(t, "the new pace holds", func() bool { return r.period.Load() == 60*ms })
	began := time.Now()
	w.burst(50, testnet.ECT0) // 200 ms
	testnet.Until(t, "all is reported", func() bool {
		_, total := link.sums()
		return total.SentPackets == 50
	})
	messages, _ := link.sums()
	elapsed := time.Since(began)
	if most := int(elapsed.Nanoseconds()/(60*ms)) + 2; messages > most {
		t.Errorf("%d messages in %v, want %d at most, one in 60 ms", messages, elapsed, most)
	}
}
