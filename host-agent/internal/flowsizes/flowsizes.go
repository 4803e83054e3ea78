// SPDX-License-Identifier: Apache-2.0

// Package flowsizes reports how much flows send, for controllers that fit the thresholds of levels to it, and takes
// what they make of it.
package flowsizes

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// mostFlows bounds the large flows that are polled.
	mostFlows = 4096
	// leastPeriod is between two polls of them: each costs a system call for each flow.
	leastPeriod = 20 * time.Millisecond
	// flowPeriod for each of them more keeps polling to a tenth of a processor.
	flowPeriod = 10 * time.Microsecond
)

// Programs are the shim's, as far as sizes are concerned.
type Programs interface {
	ReportSizes(on bool)
	SetThresholds(bytes []uint64)
	// ReadSizes calls read with what reads flows of an endpoint.
	ReadSizes(endpoint int, read func(shim.SizeReader)) error
	EndedFlows(into *model.FlowSizeCounts) error
}

// observer takes what is reported to controllers.
type observer interface {
	WatchFlowSizes(on bool)
	ObserveFlowSizes(sizes model.FlowSizes)
}

// Host is what Sizes work with.
type Host struct {
	// Levels are the configured ones; nil: there are none, and nothing is done.
	Levels   *config.Levels
	Programs Programs
	Observer observer
	Faults   *faults.Log
	Log      *slog.Logger
	// Endpoints is how many share the table.
	Endpoints func() int
}

// Status is what is known of flows' sizes.
type Status struct {
	// Reported: a controller has requested them.
	Reported bool `json:"reported"`
	// LargeFlows are followed.
	LargeFlows int `json:"largeFlows"`
	// RefusedFlows were large, and their endpoint had as many as it may have, or they had a port 0.
	RefusedFlows uint64 `json:"refusedFlows"`
}

// Sizes are the sizes of a host's flows. They are for the engine's goroutine.
type Sizes struct {
	host   Host
	on     bool
	period time.Duration
	polled int64
	// flows are the large ones of each endpoint, with what was reported of them last, bytes.
	flows   map[int]map[shim.FlowKey]uint64
	count   int // of all of them
	refused uint64
	// counted are the programs' counts as of the last report; ended are flows that were followed.
	counted, ended model.FlowSizeCounts
	large          []model.LargeFlow // reused
	thresholds     []uint64          // a controller's, in force; nil: the configured ones
	misfit         []uint64          // a controller's that do not fit
}

// New makes one that reports nothing.
func New(host Host) *Sizes {
	return &Sizes{host: host, flows: map[int]map[shim.FlowKey]uint64{}}
}

// ApplySettings begins or ends the reports, and takes thresholds, as a controller decides.
func (s *Sizes) ApplySettings(settings model.HostSettings) {
	if s.host.Levels == nil {
		return
	}
	s.period = max(time.Duration(settings.ControlPeriodNanos), leastPeriod)
	s.applyThresholds(settings.LevelThresholdBytes)
	if settings.ReportFlowSizes == s.on {
		return
	}
	s.on = settings.ReportFlowSizes
	s.host.Programs.ReportSizes(s.on)
	s.host.Observer.WatchFlowSizes(s.on)
	clear(s.flows)
	s.count = 0
	s.ended = model.FlowSizeCounts{}
	s.host.Faults.Report("read flows' sizes", s.host.Programs.EndedFlows(&s.counted))
}

func (s *Sizes) applyThresholds(bytes []uint64) {
	if len(bytes) > 0 && len(bytes) != len(s.host.Levels.ThresholdBytes) {
		if !slices.Equal(bytes, s.misfit) {
			s.host.Log.Warn("a controller's level thresholds do not match the configured levels; using the configured ones",
				"thresholds", len(bytes), "configured", len(s.host.Levels.ThresholdBytes))
		}
		s.misfit, bytes = slices.Clone(bytes), nil
	} else {
		s.misfit = nil
	}
	if slices.Equal(bytes, s.thresholds) {
		return
	}
	if len(bytes) == 0 {
		s.thresholds = nil
		s.host.Programs.SetThresholds(s.host.Levels.Thresholds())
		return
	}
	s.thresholds = slices.Clone(bytes)
	s.host.Programs.SetThresholds(bytes)
}

// Thresholds are those that are in force, and whether they are a controller's.
func (s *Sizes) Thresholds() (bytes []uint64, decided bool) {
	if s.thresholds != nil {
		return s.thresholds, true
	}
	return s.host.Levels.Thresholds(), false
}

// Condition is what is wrong and lasts; empty where nothing is.
func (s *Sizes) Condition() string {
	if s.misfit == nil {
		return ""
	}
	return fmt.Sprintf("a controller sends %d level thresholds, but levels.thresholdBytes has %d: the configured ones are used. "+
		"Configure as many levels on all hosts", len(s.misfit), len(s.host.Levels.ThresholdBytes))
}

// Began takes a flow that has passed all thresholds. Each endpoint has an equal part of the table. One with a port 0
// would name many, and no controller takes it.
func (s *Sizes) Began(key shim.FlowKey) {
	if !s.on {
		return
	}
	if key.Flow().IsPattern() {
		s.refused++
		return
	}
	own := s.flows[key.Endpoint()]
	if _, known := own[key]; known {
		return
	}
	if len(own) >= mostFlows/max(s.host.Endpoints(), 1) || s.count >= mostFlows {
		s.refused++
		return
	}
	if own == nil {
		own = map[shim.FlowKey]uint64{}
		s.flows[key.Endpoint()] = own
	}
	own[key] = 0
	s.count++
}

// Turn reports what has been sent since the last report, if one is due.
func (s *Sizes) Turn(nowNanos int64) {
	if !s.on || nowNanos-s.polled < max(s.period, time.Duration(s.count)*flowPeriod).Nanoseconds() {
		return
	}
	s.polled = nowNanos
	s.large = s.large[:0]
	for endpoint, own := range s.flows {
		s.host.Faults.Report("read flows' sizes", s.host.Programs.ReadSizes(endpoint, func(reader shim.SizeReader) {
			for key, reported := range own {
				s.poll(nowNanos, reader, key, reported)
			}
		}))
		if len(own) == 0 {
			delete(s.flows, endpoint)
		}
	}
	var now model.FlowSizeCounts
	if err := s.host.Programs.EndedFlows(&now); err != nil {
		s.host.Faults.Report("read flows' sizes", err)
		return
	}
	ended := now
	ended.Since(&s.counted)
	ended.AddAll(&s.ended)
	s.counted, s.ended = now, model.FlowSizeCounts{}
	if len(s.large) > 0 || ended != (model.FlowSizeCounts{}) {
		s.host.Observer.ObserveFlowSizes(model.FlowSizes{Large: s.large, Ended: ended})
	}
}

// poll reads what a flow has sent since it was reported last. One that the programs have forgotten, or that has begun
// anew, ended with what was known of it.
func (s *Sizes) poll(nowNanos int64, reader shim.SizeReader, key shim.FlowKey, reported uint64) {
	flow, found := reader.SizeOf(key)
	sent, over := flow.SentBytes, flow.Ended || nowNanos-flow.LastNanos > s.host.Levels.Idle().Nanoseconds()
	if !found || sent < reported {
		sent, over = reported, true
	}
	own := s.flows[key.Endpoint()]
	switch {
	case over:
		delete(own, key)
		s.count--
		if sent == 0 {
			return // evicted before it was polled
		}
		s.ended.Add(sent)
	case sent == reported:
		return
	default:
		own[key] = sent
	}
	s.large = append(s.large, model.LargeFlow{Flow: key.Flow(), SentBytes: sent, Ended: over})
}

// Status reads what is known.
func (s *Sizes) Status() Status {
	return Status{Reported: s.on, LargeFlows: s.count, RefusedFlows: s.refused}
}
