// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

const (
	// defaultTau holds unless a period is set, until a round-trip time is known.
	defaultTau = 2500 * time.Microsecond
	// tau = max(minTau, roundTripsPerTau RTT_base), RTT_base to the nearest peer: what crosses longer ways
	// is answered with gains of its own.
	minTau           = 500 * time.Microsecond
	roundTripsPerTau = 5
	// maxTau: marks that are answered later than that are answered too late for a data center's
	// queues, whatever the round-trip time to some far peer.
	maxTau = 20 * time.Millisecond
	// peerTausPerTau: feedback comes once per loop of the peer. The laws bridge a few steps
	// without any, so a loop must not turn more than twice as fast as the slowest peer's. Less
	// than once each: else two agents would keep each other slow.
	peerTausPerTau = 2
	// turnsPerTau keeps the agent at no more than a quarter of a processor.
	turnsPerTau = 4
	// tauTolerance: a new period must differ from the old by one part in so many.
	tauTolerance = 8
)

// tau is the host loop's period: as a controller sets it, else as configured, else by what was measured.
type tau struct {
	set        time.Duration // 0: no controller does
	configured time.Duration // 0: derive it
	derived    time.Duration // 0: nothing measured yet
	turn       time.Duration // processor time that a turn of the engine costs
	work       work
}

// work is what the agent had done at the last measurement.
type work struct {
	turns     int
	quiet     bool
	processor time.Duration
}

// RoundTrips is what the loop has to wait for: the least RTT_base of active peers, and the longest
// period of their loops. Zero if nothing is known.
type RoundTrips struct{ Base, PeerTau time.Duration }

func (t *tau) period() time.Duration {
	for _, period := range []time.Duration{t.set, t.configured, t.derived} {
		if period > 0 {
			return period
		}
	}
	return defaultTau
}

func (t *tau) countTurn() { t.work.turns++ }

// measureWork divides the processor time since the last measurement among the turns since then.
// Processor time, because on a busy machine a turn's own duration is mostly waiting. While the host is
// quiet turns are few, and what goes on beside them would count as theirs.
func (t *tau) measureWork(processor time.Duration, isQuiet bool) {
	if t.work.turns > 0 && t.work.processor > 0 && !isQuiet && !t.work.quiet {
		t.turn = (processor - t.work.processor) / time.Duration(t.work.turns)
	}
	t.work = work{processor: processor, quiet: isQuiet}
}

// processorTime is what the agent has used so far.
func processorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// derive takes what was measured; without any round trip it keeps the period.
func (t *tau) derive(trips RoundTrips) {
	if trips.Base == 0 {
		return
	}
	period := max(minTau, roundTripsPerTau*trips.Base, trips.PeerTau/peerTausPerTau, turnsPerTau*t.turn)
	period = min(period, maxTau)
	if difference := max(period, t.derived) - min(period, t.derived); difference*tauTolerance > t.derived {
		t.derived = period
	}
}
