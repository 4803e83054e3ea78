// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// samplePauseNanos is between two samples: reading the classes costs messages to the kernel.
const samplePauseNanos = int64(100 * time.Millisecond)

// sampled are an endpoint's counters as of its last sample.
type sampled struct {
	nanos     int64
	dropped   uint64
	spoofed   uint64
	forged    uint64
	rogue     uint64
	residual  uint64
	sentBytes map[model.Port]uint64
}

// Sample is what happened to an endpoint since the last one, for the controllers; due every
// samplePauseNanos.
func (e *Endpoint) Sample(nowNanos int64) (sample model.EndpointSample, due bool) {
	last := &e.sampled
	if nowNanos-last.nanos < samplePauseNanos {
		return sample, false
	}
	last.nanos = nowNanos
	status := e.Status()
	forged := status.ForgedCEPackets + status.ForgedReservedBits + status.ForgedControl
	sample = model.EndpointSample{
		Interface:         e.Interface,
		RateBitsPerSecond: status.RateBitsPerSecond,
		BacklogBytes:      status.BacklogBytes,
		DroppedPackets:    increment(last.dropped, status.DroppedPackets),
		SpoofedPackets:    increment(last.spoofed, status.SpoofedPackets),
		ForgedPackets:     increment(last.forged, forged),
		RoguePackets:      increment(last.rogue, status.RoguePackets),

		ResidualDroppedPackets: increment(last.residual, status.Residual.DroppedPackets),
	}
	last.dropped, last.spoofed, last.forged = status.DroppedPackets, status.SpoofedPackets, forged
	last.rogue, last.residual = status.RoguePackets, status.Residual.DroppedPackets
	sentBytes := map[model.Port]uint64{}
	for _, g := range status.Groups {
		if g.Held {
			continue // the port is unknown
		}
		sentBytes[g.Port] = g.SentBytes
		sample.Groups = append(sample.Groups, model.GroupSample{
			Port: g.Port, RateBitsPerSecond: g.RateBitsPerSecond, CEShare: g.CEShare,
			SentBytes: increment(last.sentBytes[g.Port], g.SentBytes),
		})
	}
	last.sentBytes = sentBytes
	return sample, true
}

// increment is how far a counter has come; one that was made anew has come from 0.
func increment(from, to uint64) uint64 {
	if to < from {
		return to
	}
	return to - from
}
