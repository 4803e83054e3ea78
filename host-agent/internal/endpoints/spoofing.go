// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// spoofingPauseNanos is between two reports that an endpoint spoofs.
const spoofingPauseNanos = int64(10 * time.Second)

// spoofing is what was reported of an endpoint's dropped packets.
type spoofing struct {
	reported uint64
	nanos    int64
}

// due is how many packets are to be reported: the first at once, then their number every
// spoofingPauseNanos while there are more; 0: none.
func (s *spoofing) due(nowNanos int64, count uint64) (packets uint64) {
	if count == s.reported || s.reported > 0 && nowNanos-s.nanos < spoofingPauseNanos {
		return 0
	}
	packets = count - s.reported
	s.reported, s.nanos = count, nowNanos
	return packets
}

func (e *Endpoint) reportSpoofing(nowNanos int64) {
	packets := e.spoofing.due(nowNanos, e.table.host.Shim.Endpoint(e.index).SpoofedPackets)
	if packets == 0 {
		return
	}
	e.table.host.Log.Warn("packets with a foreign source address dropped", "interface", e.Interface, "packets", packets)
	e.table.host.Events.Report(model.Event{Kind: model.Spoofed, Detail: fmt.Sprintf(
		"%s: %d packets with a source address that is not its own dropped", e.Interface, packets)})
}
