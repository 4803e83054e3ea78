// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// spoofingToldNanos is how often controllers are told that an endpoint spoofs.
const spoofingToldNanos = int64(10 * time.Second)

// spoofing is what controllers know of an endpoint's dropped packets.
type spoofing struct {
	told      uint64
	toldNanos int64
}

// watchSpoofing reports dropped packets: the first at once, then their number every
// spoofingToldNanos while there are more.
func (e *endpoint) watchSpoofing(nowNanos int64) {
	count := e.agent.shim.Endpoint(e.index).SpoofedPackets
	known := &e.spoofing
	if count == known.told || known.told > 0 && nowNanos-known.toldNanos < spoofingToldNanos {
		return
	}
	detail := fmt.Sprintf("%s: %d packets with a source address that is not its own dropped",
		e.Interface, count-known.told)
	known.told, known.toldNanos = count, nowNanos
	e.agent.log.Warn("spoofing", "detail", detail)
	e.agent.controllers.Report(model.Event{Kind: model.Spoofed, Detail: detail})
}
