// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// usualPeriod is T_i until a controller sets it.
	usualPeriod = int64(5 * time.Millisecond)
	// maxPollNanos is the longest time between two polls for what no program reports: a grant of 0 that
	// is over.
	maxPollNanos = int64(10 * time.Millisecond)
	// endedNanos after its end a connection's slot is freed: what it still sends is not another's.
	endedNanos = int64(2 * time.Second)
	// housekeepingNanos is how often slots are freed.
	housekeepingNanos = int64(time.Second)
	// balanceNanos is between two checks of which endpoints have more connections than their quota.
	balanceNanos = int64(100 * time.Millisecond)
)

// tracker reports connections to controllers.
type tracker struct {
	host       *Host
	records    records
	windows    *windows
	losses     *losses
	period     int64              // between two reports of progress
	updates    []model.FlowUpdate // reused by every report
	polledAt   int64
	reportedAt int64 // progress
	freedAt    int64
	balancedAt int64
}

func (t *tracker) setPeriod(controlPeriodNanos int64) {
	t.period = controlPeriodNanos
	if t.period == 0 {
		t.period = usualPeriod
	}
}

// turn reports what has changed; progress every period.
func (t *tracker) turn(nowNanos int64) {
	if nowNanos-t.polledAt < min(t.period, maxPollNanos) {
		return // programs report beginnings and ends
	}
	t.polledAt = nowNanos
	progress := nowNanos-t.reportedAt >= t.period
	if progress {
		t.reportedAt = nowNanos
	}
	for slot, last := range t.host.Shim.ConnectionSlots() {
		if t.records.bySlot[slot].isIdle(nowNanos, last) {
			continue
		}
		if c, found := t.host.Shim.Connection(slot); found {
			t.poll(nowNanos, c, progress)
		}
		if r := t.records.bySlot[slot]; r != nil && progress {
			r.last = last
		}
	}
	t.report()
	if nowNanos-t.balancedAt >= balanceNanos {
		t.balancedAt = nowNanos
		t.host.Faults.Report("evict connections", t.host.Shim.EvictConnections(nowNanos))
	}
	if nowNanos-t.freedAt > housekeepingNanos {
		t.freedAt = nowNanos
		t.host.Faults.Report("recycle connections", t.host.Shim.RecycleConnections(nowNanos))
		t.forgetRemoved(nowNanos)
		t.windows.liftUnused(nowNanos)
	}
}

// changed takes the shim's event about a connection.
func (t *tracker) changed(slot int) {
	now := clock.Nanos()
	if t.host.Pacer.SinceActive(now) > t.host.Pacer.Tau() {
		t.host.Pacer.Active(now) // its progress is reported from now on
		t.host.Pacer.TurnSoon()
	}
	if c, found := t.host.Shim.Connection(slot); found {
		t.poll(now, c, false)
		t.report()
	}
}

// poll notes what has changed of a connection, to be reported.
func (t *tracker) poll(nowNanos int64, c shim.Connection, progress bool) {
	r := t.records.bySlot[c.Slot]
	if r == nil || r.incarnation != c.Incarnation || r.flow != c.Flow {
		if r != nil && r.endedNanos == 0 {
			t.end(nowNanos, r) // its end was missed
		}
		r = t.begin(nowNanos, c)
	}
	switch {
	case r.endedNanos != 0:
		if nowNanos-r.endedNanos > endedNanos {
			t.forget(nowNanos, c.Slot)
		}
		return
	case c.State == model.FlowClosed:
		r.reported = c.FlowUpdate
		t.end(nowNanos, r)
		return
	case nowNanos-c.LastNanos > silentNanos:
		t.end(nowNanos, r)
		t.forget(nowNanos, c.Slot)
		return
	}
	if c.State != r.reported.State || progress && c.FlowUpdate != r.reported {
		t.host.Pacer.Active(nowNanos)
		r.reported = c.FlowUpdate
		t.updates = append(t.updates, r.reported)
	}
	t.losses.answer(nowNanos, c)
	t.windows.reopen(nowNanos, c, r)
}

func (t *tracker) begin(nowNanos int64, c shim.Connection) *record {
	r := &record{flow: c.Flow, incarnation: c.Incarnation, isZero: c.Granted && c.Bytes == 0}
	t.records.bySlot[c.Slot], t.records.live[c.Flow] = r, c.Slot
	t.windows.begin(nowNanos, c)
	return r
}

// end notes that a connection has ended, as it was reported last.
func (t *tracker) end(nowNanos int64, r *record) {
	r.endedNanos = nowNanos
	r.reported.Flow, r.reported.State = r.flow, model.FlowClosed
	t.updates = append(t.updates, r.reported)
	delete(t.records.live, r.flow)
	t.windows.end(nowNanos, r.flow)
}

func (t *tracker) forget(nowNanos int64, slot int) {
	t.records.bySlot[slot] = nil
	t.host.Faults.Report("forget a connection", t.host.Shim.RetireConnection(slot, nowNanos))
}

// forgetRemoved ends connections whose endpoint has gone.
func (t *tracker) forgetRemoved(nowNanos int64) {
	for slot, r := range t.records.bySlot {
		if r == nil {
			continue
		}
		if _, found := t.host.Shim.Connection(slot); found {
			continue
		}
		if r.endedNanos == 0 {
			t.end(nowNanos, r)
		}
		t.records.bySlot[slot] = nil
	}
}

func (t *tracker) report() {
	if len(t.updates) > 0 {
		t.host.Controllers.ObserveFlows(t.updates)
	}
	t.updates = t.updates[:0]
}
