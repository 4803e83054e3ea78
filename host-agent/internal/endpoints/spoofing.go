// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// violationPauseNanos is between two reports of an endpoint's dropped packets of one kind.
const violationPauseNanos = int64(10 * time.Second)

// violations are what was reported of an endpoint's packets that port security dropped.
type violations struct {
	reported uint64
	nanos    int64
}

// due is how many packets are to be reported: the first at once, then their number every
// violationPauseNanos while there are more; 0: none.
func (o *violations) due(nowNanos int64, count uint64) (packets uint64) {
	if count == o.reported || o.reported > 0 && nowNanos-o.nanos < violationPauseNanos {
		return 0
	}
	packets = count - o.reported
	o.reported, o.nanos = count, nowNanos
	return packets
}

func (e *Endpoint) reportViolations(nowNanos int64) {
	counters := e.table.host.Shim.Endpoint(e.index)
	e.reportViolation(e.spoofed.due(nowNanos, counters.SpoofedPackets), "with an address or a MAC that is not its own")
	e.reportViolation(e.rogue.due(nowNanos, counters.RoguePackets), "that only a router, a DHCP server or a switch sends")
}

func (e *Endpoint) reportViolation(packets uint64, what string) {
	if packets == 0 {
		return
	}
	e.table.host.Log.Warn("packets "+what+" dropped", "interface", e.Interface, "packets", packets,
		"remedy", "portSecurity."+e.Interface+" allows them where that is its job")
	e.table.host.Events.Report(model.Event{Kind: model.Spoofed, Detail: fmt.Sprintf(
		"%s: %d packets %s dropped", e.Interface, packets, what)})
}
