// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// refusalWindow is over what a pair's marked part is taken: long enough for several cuts and recoveries.
	refusalWindow = int64(100 * time.Millisecond)
	// leastRefusalMarks: fewer in a window are no congestion, however little was sent.
	leastRefusalMarks = 5
)

// refusal is whether new connections of a pair are refused: from a window in which a greater part than that of
// what was sent was marked, until one in which less than half of that was.
type refusal struct {
	on bool
	// Since when a window lasts, and what the counters were then.
	beganNanos  int64
	sent, marks uint64
}

// evaluate reports whether that has changed; sent and marks are totals, of packets.
func (r *refusal) evaluate(nowNanos int64, sent, marks uint64, above float64) (changed bool) {
	if r.beganNanos != 0 && nowNanos-r.beganNanos < refusalWindow {
		return false
	}
	on := false
	if r.beganNanos != 0 {
		fresh := marks - r.marks
		part := float64(fresh) / float64(max(sent-r.sent, 1))
		on = fresh >= leastRefusalMarks && (part > above || r.on && part > above/2)
	}
	changed = on != r.on
	*r = refusal{on: on, beganNanos: nowNanos, sent: sent, marks: marks}
	return changed
}

// RefuseConnectionsAbove has VMs begin no connection to where a greater part of what they send is marked; 0: to
// anywhere.
func (t *Tracker) RefuseConnectionsAbove(part float64) { t.refuseAbove = part }

// refuse keeps the programs up to date about a pair from here.
func (t *Tracker) refuse(nowNanos int64, pair shim.PairCounters, r *record) {
	e := t.endpoints.At(pair.Endpoint)
	if e == nil {
		return
	}
	returned := e.Control.ReturnedMarks(r.addresses.Destination)
	if r.refusal.evaluate(nowNanos, pair.SentPackets, returned, t.refuseAbove) {
		t.shim.RefuseConnections(pair.Slot, r.refusal.on)
	}
}
