// SPDX-License-Identifier: Apache-2.0

// Package faults reports failures that an agent survives, to its log and to the controllers.
package faults

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// pauseNanos is between two reports of the same failure: the engine turns hundreds of times a second,
// and what fails once fails again.
const pauseNanos = int64(10 * time.Second)

// Events takes events for the controllers.
type Events interface {
	Report(event model.Event)
}

// Log is for the engine's goroutine.
type Log struct {
	log      *slog.Logger
	events   Events
	reported map[string]int64 // when, by what failed
}

// New makes a log without any failure.
func New(log *slog.Logger, events Events) *Log {
	return &Log{log: log, events: events, reported: map[string]int64{}}
}

// Report reports that what was to be done failed, if it did.
func (l *Log) Report(what string, err error) {
	if err == nil {
		return
	}
	now := clock.Nanos()
	if last, before := l.reported[what]; before && now-last < pauseNanos {
		return
	}
	l.reported[what] = now
	l.log.Error("cannot "+what, "error", err)
	l.events.Report(model.Event{Kind: model.EnforcementFailed, Detail: fmt.Sprintf("cannot %s: %v", what, err)})
}
