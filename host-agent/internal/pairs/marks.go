// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// unreachableNanos is how long marks go in messages before a request to a controller that had no path is repeated.
const unreachableNanos = int64(time.Second)

// MarkLink passes marks on to other hosts.
type MarkLink interface {
	// ReturnMarks reports whether a controller relays them; of no marks, whether one would.
	ReturnMarks([]model.Feedback) bool
}

// returner sends marks back that found no packet to go with.
type returner struct {
	shim  *shim.Shim
	peers *peers.Peers
	// link is nil where marks go in messages of our own.
	link MarkLink
	// isRelaying: in this turn a controller relays marks.
	isRelaying bool
	// relayed are those of this turn that are to go by the link.
	relayed []model.Feedback
}

// begin is for a turn.
func (m *returner) begin() { m.isRelaying = m.link != nil && m.link.ReturnMarks(nil) }

// collect takes a pair's marks along; before the first, a base to count from.
func (m *returner) collect(nowNanos int64, pair shim.PairCounters, r *record) {
	byLink := m.isRelaying && nowNanos >= r.unreachable
	if !r.sent.HasBegun() {
		m.report(nowNanos, pair, r, byLink)
		if byLink {
			return // the newest totals alone wait there: the base goes first
		}
	}
	if pair.WaitingMarks > 0 && r.sent.HasBegun() {
		r.sent.Add(m.shim.TakeMarks(pair.Slot))
		r.owed = true
	}
	if r.owed {
		r.owed = !m.report(nowNanos, pair, r, byLink)
	}
}

// report reports whether the totals were sent.
func (m *returner) report(nowNanos int64, pair shim.PairCounters, r *record, byLink bool) bool {
	if !byLink {
		return m.peers.ReportMarks(nowNanos, pair, r.addresses, &r.sent)
	}
	m.relayed = append(m.relayed, m.peers.MarksToRelay(nowNanos, pair, r.addresses, &r.sent))
	return true
}

// send sends what was collected in a turn for the link.
func (m *returner) send() {
	if len(m.relayed) > 0 {
		m.link.ReturnMarks(m.relayed)
		m.relayed = m.relayed[:0]
	}
}
