// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// usualSegmentBytes are of Ethernet (RFC 6691).
const usualSegmentBytes = 1460

// windows has connections' windows follow what controllers grant.
type windows struct {
	host       *Host
	records    records
	handshakes *handshakes
	injector   *injector
	grants     grantTable
	expected   map[model.FlowID]bool // grants that the shim has for connections to come
}

// apply takes a node's grants, all of them before any takes effect: one may take the place of another, as a
// connection's own does of the pattern's that it began with.
func (w *windows) apply(node string, grants []model.WindowGrant) {
	now := clock.Nanos()
	for _, grant := range grants {
		w.host.Faults.Report("apply a window grant", w.grants.put(now, node, grant))
	}
	for _, grant := range grants {
		w.update(now, grant.Flow)
	}
}

// void drops what a node has granted.
func (w *windows) void(node string) {
	now := clock.Nanos()
	for _, flow := range w.grants.void(node) {
		w.update(now, flow)
	}
}

func (w *windows) begin(nowNanos int64, c shim.Connection) {
	w.grants.begin(c.Flow, c.OpenedNanos)
	w.update(nowNanos, c.Flow)
}

func (w *windows) end(nowNanos int64, flow model.FlowID) {
	w.grants.end(flow)
	w.update(nowNanos, flow)
}

// liftUnused ends grants for exact flows that did not come.
func (w *windows) liftUnused(nowNanos int64) {
	for _, flow := range w.grants.unused(nowNanos, w.records.live) {
		w.end(nowNanos, flow)
	}
}

func (w *windows) liftAll(nowNanos int64) {
	for flow := range w.grants {
		w.end(nowNanos, flow)
	}
}

// update brings up to date what a flow, or all that fit a pattern, may have in transit.
func (w *windows) update(nowNanos int64, key model.FlowID) {
	slot, live := w.records.live[key]
	bytes, expected := w.grants.expected(key)
	if expected && !live {
		w.expected[key] = true
		w.host.Faults.Report("apply a window grant", w.host.Shim.ExpectGrant(key, bytes))
	} else if w.expected[key] {
		delete(w.expected, key)
		w.host.Faults.Report("apply a window grant", w.host.Shim.ForgetGrant(key))
	}
	if live {
		w.set(nowNanos, slot)
	}
	if !key.IsPattern() {
		return
	}
	for flow, slot := range w.records.live {
		if fits(flow, key) {
			w.set(nowNanos, slot)
		}
	}
}

// fits reports whether an exact flow fits a pattern.
func fits(flow, pattern model.FlowID) bool {
	return flow.Source == pattern.Source && flow.Destination == pattern.Destination &&
		(pattern.SourcePort == 0 || pattern.SourcePort == flow.SourcePort) &&
		(pattern.DestinationPort == 0 || pattern.DestinationPort == flow.DestinationPort)
}

// set has a connection's window follow the grants.
func (w *windows) set(nowNanos int64, slot int) {
	c, found := w.host.Shim.Connection(slot)
	if !found {
		return
	}
	grant, answered := w.grants.resolve(c.Flow, c.OpenedNanos)
	if grant != c.Grant {
		w.host.Shim.SetGrant(slot, grant, nowNanos)
		if r := w.records.bySlot[slot]; r != nil {
			r.isZero = grant.Granted && grant.Bytes == 0
		}
		if c.Granted && (!grant.Granted || grant.Bytes > c.Bytes) {
			w.announce(c)
		}
	}
	if answered && !c.Answered {
		w.host.Shim.SetAnswered(slot)
		w.handshakes.release(slot, c.Incarnation)
	}
}

// reopen lets a segment of a connection go whose grant has been 0 for as long as that holds.
func (w *windows) reopen(nowNanos int64, c shim.Connection, r *record) {
	if r.isZero && w.host.Shim.ZeroOver(c.Slot, nowNanos) {
		w.announce(c)
	}
}

// announce sends an endpoint a window that has become wider, if it may be waiting for that: it would not
// probe before its persist timer goes off.
func (w *windows) announce(c shim.Connection) {
	if c.State != model.FlowEstablished || c.RoomBytes >= int32(max(c.SegmentBytes, usualSegmentBytes)) {
		return
	}
	if e := w.host.Endpoints.At(c.Endpoint); e != nil {
		if last, known := w.host.Shim.Acknowledgement(c.Slot); known {
			w.host.Faults.Report("send a window update", w.injector.windowUpdate(e.Ifindex(), last))
		}
	}
}
