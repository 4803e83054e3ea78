// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// silentNanos without a packet a connection counts as ended. If it goes on, it is one whose handshake was
// not seen.
const silentNanos = int64(5 * time.Minute)

// records are what is kept of watched connections.
type records struct {
	bySlot []*record            // nil where there is none
	live   map[model.FlowID]int // the slots of those that have not ended
}

func newRecords() records {
	return records{bySlot: make([]*record, shim.MaxConnections), live: map[model.FlowID]int{}}
}

func (r records) clear() {
	clear(r.bySlot)
	clear(r.live)
}

// record is what is kept of a connection between two polls.
type record struct {
	flow        model.FlowID
	incarnation uint32
	reported    model.FlowUpdate
	last        int64 // the last packet's time when progress was reported last
	endedNanos  int64 // 0: it has not
	hole        *hole // that its endpoint is to send again
	repeated    int64 // when duplicates were sent last
	// isZero: the grant is 0: a segment is to go once in a while.
	isZero bool
}

// isIdle reports whether there is nothing to do for a connection on which no packet has come since.
func (r *record) isIdle(nowNanos, lastNanos int64) bool {
	return r != nil && r.last == lastNanos && r.endedNanos == 0 && r.hole == nil && !r.isZero &&
		nowNanos-lastNanos < silentNanos
}
