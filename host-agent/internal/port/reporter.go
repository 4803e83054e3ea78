// SPDX-License-Identifier: Apache-2.0

package port

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// defaultPeriod is T_i until a controller sets it.
	defaultPeriod = 5 * time.Millisecond
	minPeriod     = 500 * time.Microsecond
	// maxSilence: a controller gets a report so often at least, traffic or not.
	maxSilence = time.Second
	// lease holds for messages that name none. What ends with it are the session and background queues.
	lease = 5 * time.Second
	// failureNanos is how often the same failure is logged.
	failureNanos = int64(10 * time.Second)
)

// controllers are the agent link as the reporter uses it.
type controllers interface {
	ObserveQueues(model.PortObservation)
	ReportLosses([]model.Loss)
	Controllers() []model.ControllerStatus
	Counters() link.Counters
	Certificates() link.Certificates
	Run(ctx context.Context)
}

// Reporter reports to controllers what a port's queue did: every T_i while anything passes.
type Reporter struct {
	link   controllers
	log    *slog.Logger
	period atomic.Int64 // ns
	port   *Port        // while it runs
}

// NewReporter prepares the agent link; a certificate that does not fit is found here, before anything
// is changed. Without controllers there are no reports: nil.
func NewReporter(settings config.Port, version string, features []model.Feature, log *slog.Logger) (*Reporter, error) {
	if len(settings.Controllers) == 0 {
		return nil, nil
	}
	r := &Reporter{log: log}
	r.period.Store(defaultPeriod.Nanoseconds())
	client, err := link.New(link.Config{
		Controllers: settings.Controllers,
		TLS:         settings.TLS,
		Lease:       lease,
		Tau:         defaultPeriod,
		Log:         log,
		Clock:       clock.Nanos,
	}, model.Hello{
		Host: settings.Host, AgentVersion: version, Features: features,
		SwitchPorts: []model.Port{model.Port(settings.Port)},
	}, &listener{reporter: r})
	if err != nil {
		return nil, err
	}
	r.link = client
	return r, nil
}

// Run reports until ctx ends.
func (r *Reporter) Run(ctx context.Context, p *Port) {
	r.attach(p)
	r.run(ctx, p)
}

// attach takes the port, before controllers' decisions come.
func (r *Reporter) attach(p *Port) {
	r.port = p
	p.losses.log = r.log
	if p.background != nil {
		p.background.log = r.log
	}
}

func (r *Reporter) run(ctx context.Context, p *Port) {
	var others sync.WaitGroup
	others.Go(func() { r.link.Run(ctx) })
	others.Go(func() { p.losses.send(ctx.Done()) })
	if p.background != nil {
		others.Go(func() { p.background.run(ctx.Done()) })
	}
	go p.losses.read(r.link.ReportLosses) // until the port is closed
	r.watch(ctx, p)
	others.Wait()
	p.SetReportLosses(false)
}

func (r *Reporter) watch(ctx context.Context, p *Port) {
	period := time.Duration(r.period.Load())
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	watch := watch{seen: clock.Nanos()}
	logged := int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := clock.Nanos()
		observation, err := watch.read(now, p)
		if err != nil && now-logged >= failureNanos {
			logged = now
			r.log.Error("cannot read the queue", "port", p.config.Port, "error", err)
		}
		r.link.ObserveQueues(observation)
		if next := time.Duration(r.period.Load()); next != period {
			period = next
			ticker.Reset(period)
		}
	}
}

// counted is a queue that is read.
type counted interface {
	totals() (model.PortQueueSample, error)
	arrived() uint64
}

// watch is what was seen of a queue last.
type watch struct {
	arrived uint64
	totals  model.PortQueueSample
	seen    int64 // when increments were reported last
}

// read returns what has happened since increments were reported last; no ports where there is nothing to
// report. An empty queue that nothing came to is not even read.
func (w *watch) read(nowNanos int64, queue counted) (model.PortObservation, error) {
	arrived := queue.arrived()
	silent := nowNanos-w.seen >= maxSilence.Nanoseconds()
	if arrived == w.arrived && w.totals.BacklogPackets == 0 && !silent {
		return model.PortObservation{}, nil
	}
	totals, err := queue.totals()
	if err != nil {
		return model.PortObservation{}, err
	}
	before := w.totals
	w.arrived, w.totals = arrived, totals
	sample := model.PortQueueSample{
		Port:                 totals.Port,
		SentPackets:          increment(before.SentPackets, totals.SentPackets),
		SentBytes:            increment(before.SentBytes, totals.SentBytes),
		MarkedPackets:        increment(before.MarkedPackets, totals.MarkedPackets),
		OverThresholdPackets: increment(before.OverThresholdPackets, totals.OverThresholdPackets),
		DroppedPackets:       increment(before.DroppedPackets, totals.DroppedPackets),
		BacklogPackets:       totals.BacklogPackets,
		BacklogBytes:         totals.BacklogBytes,
		BufferPackets:        totals.BufferPackets,
		MarkThresholdPackets: totals.MarkThresholdPackets,
		Levels:               levelIncrements(before.Levels, totals.Levels),
		Background:           backgroundIncrements(before.Background, totals.Background),
	}
	interval := nowNanos - w.seen
	w.seen = nowNanos
	return model.PortObservation{IntervalNanos: interval, Ports: []model.PortQueueSample{sample}}, nil
}

func levelIncrements(before, now []model.LevelQueueSample) []model.LevelQueueSample {
	increments := slices.Clone(now)
	for i := range min(len(before), len(now)) {
		increments[i].SentPackets = increment(before[i].SentPackets, now[i].SentPackets)
		increments[i].SentBytes = increment(before[i].SentBytes, now[i].SentBytes)
		increments[i].DroppedPackets = increment(before[i].DroppedPackets, now[i].DroppedPackets)
	}
	return increments
}

// backgroundIncrements likewise; a queue that was not there before has begun at 0.
func backgroundIncrements(before, now []model.BackgroundQueueSample) []model.BackgroundQueueSample {
	increments := slices.Clone(now)
	for i := range increments {
		q := &increments[i]
		for _, earlier := range before {
			if earlier.Downstream == q.Downstream {
				q.SentBytes = increment(earlier.SentBytes, q.SentBytes)
				q.DroppedPackets = increment(earlier.DroppedPackets, q.DroppedPackets)
			}
		}
	}
	return increments
}

// increment of a counter; one that is lower than before has begun anew.
func increment(before, now uint64) uint64 {
	if now < before {
		return now
	}
	return now - before
}

// LinkStatus is what `sluice-agent status` shows of a port's agent link.
type LinkStatus struct {
	Controllers  []model.ControllerStatus `json:"controllers,omitempty"`
	Link         *link.Counters           `json:"link,omitempty"`
	Certificates *link.Certificates       `json:"certificates,omitempty"`
}

// Status of the link; empty where there is none.
func (r *Reporter) Status() LinkStatus {
	if r == nil {
		return LinkStatus{}
	}
	counters, certificates := r.link.Counters(), r.link.Certificates()
	return LinkStatus{Controllers: r.link.Controllers(), Link: &counters, Certificates: &certificates}
}

// listener takes what controllers decide for a port agent: the period, what becomes of lost packets, background queues
// and their caps.
type listener struct {
	reporter *Reporter
}

func (l *listener) ApplySettings(_ string, settings model.HostSettings) {
	period := max(time.Duration(settings.ControlPeriodNanos), minPeriod)
	l.reporter.period.Store(min(period, maxSilence).Nanoseconds())
	p := l.reporter.port
	p.losses.sendsFrames.Store(settings.SendLostFrames)
	if !p.SetReportLosses(settings.ReportLosses) && settings.ReportLosses {
		l.reporter.log.Warn("this kernel does not let BPF programs read the queue: lost packets are not reported", "port", p.config.Port)
	}
}

func (l *listener) ApplyResends(_ string, resends []model.Resend) {
	l.reporter.port.losses.resend(resends)
}

func (l *listener) ApplyBackgroundQueues(queues model.BackgroundQueues) {
	p := l.reporter.port
	err := errors.New("this port has no levels: configure the section levels")
	if p.background != nil {
		err = p.background.set(queues)
	}
	if err != nil && len(queues.Queues) > 0 {
		l.reporter.log.Warn("refused a controller's background queues", "port", p.config.Port, "error", err)
	}
}

func (l *listener) ApplyRateCaps(caps []model.RateCap) {
	if b := l.reporter.port.background; b != nil {
		b.inbox.put(queueDecision{caps: caps, receivedNanos: clock.Nanos()})
	}
}

var _ interface {
	model.SettingDecisions
	model.ResendDecisions
	model.QueueDecisions
	model.ThresholdDecisions
} = (*listener)(nil)
