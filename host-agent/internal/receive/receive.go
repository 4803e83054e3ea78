// SPDX-License-Identifier: Apache-2.0

// Package receive limits what arrives: a receive ceiling is a phantom queue in the shim, which marks for the
// sending agents what exceeds it, and for controllers a port of its own.
package receive

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// quietNanos is between two reports of queues that nothing exceeds.
	quietNanos = int64(100 * time.Millisecond)
	// markedNanos after the last packet over the threshold reports come every control period.
	markedNanos = int64(time.Second)
	// defaultPeriodNanos is T_i until a controller sets it.
	defaultPeriodNanos = int64(5 * time.Millisecond)
)

// observer takes what queues counted, to report it to controllers.
type observer interface {
	ObserveQueues(model.PortObservation)
}

// Reporter reports the phantom queues of a host. It is for the engine's goroutine.
type Reporter struct {
	host, uplink string
	shim         *shim.Shim
	endpoints    *endpoints.Table
	observer     observer
	periodNanos  int64
	// reported are the counters as controllers have them; next takes those of the present report.
	reported, next map[model.Port]shim.PhantomCounters
	reportedNanos  int64
	markedNanos    int64                   // when a queue was seen to have been over its threshold
	samples        []model.PortQueueSample // reused
}

// NewReporter makes one that has reported nothing, of a host and its uplink.
func NewReporter(host, uplink string, s *shim.Shim, table *endpoints.Table, observer observer) *Reporter {
	return &Reporter{
		host: host, uplink: uplink, shim: s, endpoints: table, observer: observer,
		periodNanos: defaultPeriodNanos, markedNanos: -markedNanos,
		reported: map[model.Port]shim.PhantomCounters{}, next: map[model.Port]shim.PhantomCounters{},
	}
}

// SetPeriod takes T_i.
func (r *Reporter) SetPeriod(nanos int64) { r.periodNanos = nanos }

// Turn reports what has arrived since the last report, if one is due.
func (r *Reporter) Turn(nowNanos int64) {
	pause := quietNanos
	if nowNanos-r.markedNanos < markedNanos || r.isOver(nowNanos) {
		pause = r.periodNanos
	}
	if nowNanos-r.reportedNanos < pause {
		return
	}
	r.samples = r.samples[:0]
	r.queues(nowNanos, r.sample)
	r.reported, r.next = r.next, r.reported
	clear(r.next) // interfaces that are gone are forgotten with it
	if len(r.samples) > 0 {
		r.observer.ObserveQueues(model.PortObservation{
			IntervalNanos: nowNanos - r.reportedNanos, Ports: r.samples,
		})
	}
	r.reportedNanos = nowNanos
}

// isOver reports whether a queue has been over its threshold since the last report.
func (r *Reporter) isOver(nowNanos int64) bool {
	over := false
	r.queues(nowNanos, func(port model.Port, now shim.PhantomCounters) {
		over = over || now.OverThresholdPackets != r.reported[port].OverThresholdPackets
	})
	if over {
		r.markedNanos = nowNanos
	}
	return over
}

func (r *Reporter) queues(nowNanos int64, each func(model.Port, shim.PhantomCounters)) {
	each(model.ReceivePort(r.host, r.uplink), r.shim.UplinkPhantom(nowNanos))
	for _, e := range r.endpoints.All() {
		each(model.ReceivePort(r.host, e.Interface), e.Phantom(nowNanos))
	}
}

func (r *Reporter) sample(port model.Port, now shim.PhantomCounters) {
	before := r.reported[port]
	if now.ArrivedPackets < before.ArrivedPackets {
		before = shim.PhantomCounters{} // the interface was made anew
	}
	r.next[port] = now
	if now.ArrivedPackets == before.ArrivedPackets {
		return
	}
	r.samples = append(r.samples, model.PortQueueSample{
		Port:                 port,
		SentPackets:          now.ArrivedPackets - before.ArrivedPackets,
		SentBytes:            now.ArrivedBytes - before.ArrivedBytes,
		OverThresholdPackets: now.OverThresholdPackets - before.OverThresholdPackets,
		BacklogPackets:       now.BacklogBytes / shim.FrameBytes,
		BacklogBytes:         now.BacklogBytes,
	})
}
