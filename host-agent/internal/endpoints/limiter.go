// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// limiter is what holds limits: classes, or buckets in the shim that drop. With buckets the classes
// are there as well, but only share the uplink's capacity out.
type limiter struct {
	polices  bool
	capacity uint64 // of the uplink
	mtu      int
}

func newLimiter(host *Host) limiter {
	return limiter{
		polices:  host.Config.Limiter == config.LimiterPolice,
		capacity: host.Config.Uplink.CapacityBitsPerSecond(), mtu: host.UplinkMTU,
	}
}

// classRate is what the class behind a limit may carry.
func (l limiter) classRate(limitBitsPerSecond uint64) uint64 {
	if l.polices {
		return l.capacity
	}
	return limitBitsPerSecond
}

func (l limiter) bucket(limitBitsPerSecond, largestFrame uint64) htb.Police {
	return htb.PoliceOf(limitBitsPerSecond, l.mtu, largestFrame)
}
