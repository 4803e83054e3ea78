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
	exceeded map[exceededQuota]*excess
}

// exceededQuota is that of an endpoint that exceeds its quota of a table.
type exceededQuota struct {
	endpoint *endpoints.Endpoint
	table    string
}

// excess counts entries that were refused or evicted, and when that grew last.
type excess struct {
	count uint64
	nanos int64
}

// follow brings them up to date; the list is nil unless it has changed.
func (c *conditions) follow(nowNanos int64, held []string, all []*endpoints.Endpoint) (changed []string) {
	now := slices.Clone(held)
	former := c.exceeded
	c.exceeded = map[exceededQuota]*excess{}
	for _, e := range all {
		tables := e.Tables()
		for _, t := range []struct {
			name string
			use  shim.TableUse
		}{
			{"pairs that it sends to", tables.SentPairs}, {"pairs that it receives from", tables.ReceivedPairs},
			{"watched connections", tables.Connections},
		} {
			key := exceededQuota{e, t.name}
			p := former[key]
			if p == nil {
				p = &excess{nanos: nowNanos - lastingNanos}
			}
			c.exceeded[key] = p
			if count := t.use.Refused + t.use.Evicted; count != p.count {
				p.count, p.nanos = count, nowNanos
			}
			if nowNanos-p.nanos < lastingNanos {
				now = append(now, fmt.Sprintf("%s exceeds its quota of %[3]d %[2]s: its oldest ones are evicted. "+
					"sluice-agent status --json has the counts (tables); check what its VM scans",
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
	held := l.notEnforced()
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
