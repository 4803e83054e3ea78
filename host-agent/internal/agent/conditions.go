// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// lastingNanos after it was seen last a condition is over.
	lastingNanos = int64(time.Minute)
	// maxConditions are reported at once; of more endpoints in trouble these are enough.
	maxConditions = 32
)

// conditions are what is wrong on the host and lasts, for operators.
type conditions struct {
	reported []string
	pressed  map[pressed]*pressure
}

// pressed is an endpoint that wants more of a table than its part.
type pressed struct {
	endpoint *endpoints.Endpoint
	table    string
}

// pressure is what it was refused, or had to give up, so far, and when that grew last.
type pressure struct {
	count uint64
	nanos int64
}

// follow brings them up to date; the list is nil unless it has changed.
func (c *conditions) follow(nowNanos int64, held []string, all []*endpoints.Endpoint) (changed []string) {
	now := slices.Clone(held)
	former := c.pressed
	c.pressed = map[pressed]*pressure{}
	for _, e := range all {
		tables := e.Tables()
		for _, t := range []struct {
			name string
			use  shim.TableUse
		}{
			{"pairs that it sends to", tables.SentPairs}, {"pairs that it receives from", tables.ReceivedPairs},
			{"watched connections", tables.Connections},
		} {
			key := pressed{e, t.name}
			p := former[key]
			if p == nil {
				p = &pressure{nanos: nowNanos - lastingNanos}
			}
			c.pressed[key] = p
			if count := t.use.Refused + t.use.Evicted; count != p.count {
				p.count, p.nanos = count, nowNanos
			}
			if nowNanos-p.nanos < lastingNanos {
				now = append(now, fmt.Sprintf("%s wants more %s than its part of %d: its own oldest ones make room. "+
					"sluice-agent status --json has the counts (tables); ask its tenant what it scans for",
					e.Interface, t.name, t.use.Most))
			}
		}
	}
	if len(now) > maxConditions {
		now = append(now[:maxConditions-1], fmt.Sprintf("and %d more", len(now)-maxConditions+1))
	}
	if slices.Equal(now, c.reported) {
		return nil
	}
	c.reported = now
	return append([]string{}, now...)
}

// reportConditions reports what lasts; due once a second.
func (l *hostLoop) reportConditions(nowNanos int64) {
	var held []string
	for _, missing := range l.missing() {
		if missing.Held {
			held = append(held, missing.Interface+": "+missing.Reason)
		}
	}
	if condition := l.sizes.Condition(); condition != "" {
		held = append(held, condition)
	}
	if changed := l.conditions.follow(nowNanos, held, l.endpoints.All()); changed != nil {
		l.controllers.Report(model.Event{Kind: model.ConditionsChanged, Conditions: changed})
	}
}
