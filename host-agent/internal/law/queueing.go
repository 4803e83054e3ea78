// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math/bits"
	"time"
)

// A port's queue may breathe up to K = clamp(C x thresholdNanos, leastThreshold, mostThreshold) packets
// before it marks.
const (
	thresholdNanos = 2_000_000
	leastThreshold = 4
	mostThreshold  = 20
)

// thresholdTime is how long the queue of a port is where it begins to mark; 0 where its capacity is
// not known.
func thresholdTime(capacityBitsPerSecond float64) time.Duration {
	if capacityBitsPerSecond <= 0 {
		return 0
	}
	perNano := capacityBitsPerSecond / packetBits / 1e9
	return time.Duration(clamp(perNano*thresholdNanos, leastThreshold, mostThreshold) / perNano)
}

// queueing is how long packets to a destination stand in the queues of congested ports: as long as
// the thresholds, and where marks are reported later than by receivers, for up to that delay more.
func (e *Endpoint) queueing(d *destination) time.Duration {
	sum, delay := time.Duration(0), int64(0)
	for rest := d.groups; rest != 0; rest &= rest - 1 {
		if g := &e.groups[bits.TrailingZeros8(rest)]; !g.idle {
			sum += thresholdTime(float64(g.share.CapacityBitsPerSecond))
			delay = max(delay, g.law.SignalDelayNanos())
		}
	}
	return sum + time.Duration(delay)
}
