// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// statisticsNanos is how often classes are read for the controllers.
const statisticsNanos = int64(100 * time.Millisecond)

// observedEndpoint are an endpoint's counters as the controllers know them.
type observedEndpoint struct {
	nanos     int64
	dropped   uint64
	spoofed   uint64
	forged    uint64
	sentBytes map[model.Port]uint64
}

// observe tells the link what happened since the last turn; the link adds up what can wait.
func (a *Agent) observe(nowNanos int64) {
	if a.standsAlone() {
		return
	}
	observation := model.Observation{IntervalNanos: nowNanos - a.observed, Pairs: a.observePairs()}
	for _, e := range a.endpoints {
		if sample, due := e.observe(nowNanos); due {
			observation.Endpoints = append(observation.Endpoints, sample)
		}
	}
	a.observed = nowNanos
	a.controllers.Observe(observation)
}

func (a *Agent) observePairs() []model.PairSample {
	a.samples = a.samples[:0]
	for pair := range a.shim.Pairs() {
		record := a.record(pair.Slot)
		known := &record.observed
		if pair.SentPackets == known.SentPackets && pair.ReceivedPackets == known.ReceivedPackets {
			continue
		}
		a.samples = append(a.samples, model.PairSample{
			Pair:            record.addresses,
			SentPackets:     pair.SentPackets - known.SentPackets,
			SentBytes:       pair.SentBytes - known.SentBytes,
			ReceivedPackets: pair.ReceivedPackets - known.ReceivedPackets,
			ReceivedBytes:   pair.ReceivedBytes - known.ReceivedBytes,
			CEPackets:       pair.CEPackets - known.CEPackets,
		})
		*known = pair
	}
	return a.samples
}

// observe is due every statisticsNanos: reading the classes costs messages to the kernel.
func (e *endpoint) observe(nowNanos int64) (sample model.EndpointSample, due bool) {
	known := &e.observed
	if nowNanos-known.nanos < statisticsNanos {
		return sample, false
	}
	known.nanos = nowNanos
	status, err := e.status()
	if err != nil {
		e.agent.faults.Report("read the counters of "+e.Interface, err)
		return sample, false
	}
	forged := status.ForgedCEPackets + status.ForgedReservedBits + status.ForgedControl
	sample = model.EndpointSample{
		Interface:         e.Interface,
		RateBitsPerSecond: status.RateBitsPerSecond,
		BacklogBytes:      status.BacklogBytes,
		DroppedPackets:    increment(known.dropped, status.DroppedPackets),
		SpoofedPackets:    increment(known.spoofed, status.SpoofedPackets),
		ForgedPackets:     increment(known.forged, forged),
	}
	known.dropped, known.spoofed, known.forged = status.DroppedPackets, status.SpoofedPackets, forged
	sentBytes := map[model.Port]uint64{}
	for _, g := range status.Groups {
		sentBytes[g.Port] = g.SentBytes
		sample.Groups = append(sample.Groups, model.GroupSample{
			Port: g.Port, RateBitsPerSecond: g.RateBitsPerSecond, CEShare: g.CEShare,
			SentBytes: increment(known.sentBytes[g.Port], g.SentBytes),
		})
	}
	known.sentBytes = sentBytes
	return sample, true
}

// increment is how far a counter has come; one that was made anew has come from 0.
func increment(from, to uint64) uint64 {
	if to < from {
		return to
	}
	return to - from
}
