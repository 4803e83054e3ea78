// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/netip"
	"slices"
)

// What a port may have at most.
const (
	MaxBackgroundQueues       = 64
	MaxBackgroundDestinations = 16384
)

// BackgroundQueues are those of a port with levels: the full set.
type BackgroundQueues struct {
	Port   Port
	Queues []BackgroundQueue
}

// BackgroundQueue holds what is of the last level and goes to one of the destinations.
type BackgroundQueue struct {
	// Downstream is the port by which the next switch sends it on.
	Downstream   Port
	Destinations []netip.Addr // none is of two queues
}

// RateCap holds a background queue to a rate for a while.
type RateCap struct {
	Port          Port
	Downstream    Port
	BitsPerSecond uint64 // 0: it ends now
	HoldNanos     int64  // from reception
}

// QueueDecisions are those about the background queues of an agent's switch ports.
type QueueDecisions interface {
	// ApplyBackgroundQueues: in place of the former set. An empty one: there are none, or whoever set them is gone.
	ApplyBackgroundQueues(queues BackgroundQueues)
	ApplyRateCaps(caps []RateCap)
}

// ThresholdDecisions are those about when the queues of an agent's switch ports mark.
type ThresholdDecisions interface {
	// ApplyMarkingThresholds: each port's in place of those before.
	ApplyMarkingThresholds(ports []PortThresholds)
}

// PortThresholds are from how many packets on a port's queues mark for a while.
type PortThresholds struct {
	Port      Port
	Packets   []uint32 // of each level, or of the one queue
	HoldNanos int64    // from reception
}

// LevelQueueSample is one level's increments and state; of the last level with its background queues.
type LevelQueueSample struct {
	SentPackets    uint64
	SentBytes      uint64
	DroppedPackets uint64
	BacklogPackets uint64
}

// BackgroundQueueSample is one background queue's increments and state.
type BackgroundQueueSample struct {
	Downstream       Port
	SentBytes        uint64
	DroppedPackets   uint64
	BacklogPackets   uint64
	CapBitsPerSecond uint64 // in force; 0: none
}

// addLevels makes the samples of two in a row; of the same queue, so there are as many.
func addLevels(before, next []LevelQueueSample) []LevelQueueSample {
	sum := slices.Clone(next)
	for i := range min(len(before), len(next)) {
		sum[i].SentPackets += before[i].SentPackets
		sum[i].SentBytes += before[i].SentBytes
		sum[i].DroppedPackets += before[i].DroppedPackets
	}
	return sum
}

// addBackground likewise. A queue that has gone since is still reported, empty.
func addBackground(before, next []BackgroundQueueSample) []BackgroundQueueSample {
	sum := slices.Clone(next)
	for _, earlier := range before {
		at := slices.IndexFunc(sum, func(s BackgroundQueueSample) bool { return s.Downstream == earlier.Downstream })
		if at < 0 {
			earlier.BacklogPackets, earlier.CapBitsPerSecond = 0, 0
			sum = append(sum, earlier)
			continue
		}
		sum[at].SentBytes += earlier.SentBytes
		sum[at].DroppedPackets += earlier.DroppedPackets
	}
	return sum
}
