// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

const (
	// defaultTau holds where nobody names a period, until a round-trip time is known.
	defaultTau = 2500 * time.Microsecond
	// tau = max(minTau, roundTripsPerTau RTT_base) (LAWS 1).
	minTau           = 500 * time.Microsecond
	roundTripsPerTau = 5
	// maxTau: marks that are answered later than that are answered too late for a data center's
	// queues, whatever the round-trip time to some far peer.
	maxTau = 20 * time.Millisecond
	// peerLoopsPerTau: feedback comes once per loop of the peer. The laws bridge a few steps
	// without any, so a loop must not turn more than twice as fast as the slowest peer's. Less
	// than once each: else two agents would keep each other slow.
	peerLoopsPerTau = 2
	// turnsPerTau keeps the agent at no more than a quarter of a processor.
	turnsPerTau = 4
	// tauTolerance: a new period must differ from the old by one part in so many.
	tauTolerance = 8
)

// period is tau, the host loop's: as a controller tells, else as configured, else by what was
// measured.
type period struct {
	told       time.Duration // 0: no controller does
	configured time.Duration // 0: derive it
	derived    time.Duration // 0: nothing measured yet
	turn       time.Duration // processor time that a turn of the engine costs
	work       work
}

// work is what the agent had done at the last look.
type work struct {
	turns     int
	calm      bool
	processor time.Duration
}

func (p *period) now() time.Duration {
	for _, tau := range []time.Duration{p.told, p.configured, p.derived} {
		if tau > 0 {
			return tau
		}
	}
	return defaultTau
}

// turned counts a turn of the engine.
func (p *period) turned() { p.work.turns++ }

// lookAtWork divides the processor time since the last look among the turns since then. Processor
// time, because on a busy machine a turn's own duration is mostly waiting. While it is calm turns are
// few, and what goes on beside them would count as theirs.
func (p *period) lookAtWork(processor time.Duration, isCalm bool) {
	if p.work.turns > 0 && p.work.processor > 0 && !isCalm && !p.work.calm {
		p.turn = (processor - p.work.processor) / time.Duration(p.work.turns)
	}
	p.work = work{processor: processor, calm: isCalm}
}

// processorTime is what the agent has used so far.
func processorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// derive takes what was measured: the largest RTT_base of active peers, and the longest period of
// their loops. Without any it keeps the period.
func (p *period) derive(s slowest) {
	if s.base == 0 {
		return
	}
	tau := max(minTau, roundTripsPerTau*s.base, s.loop/peerLoopsPerTau, turnsPerTau*p.turn)
	tau = min(tau, maxTau)
	if difference := max(tau, p.derived) - min(tau, p.derived); difference*tauTolerance > p.derived {
		p.derived = tau
	}
}
