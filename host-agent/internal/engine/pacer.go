// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync/atomic"
	"time"
)

// Pace is how long the engine pauses between two turns while no limit follows marks. What ends that
// causes a turn at once: a first mark, a share, a notice, feedback with marks.
type Pace struct {
	// Quiet is for a host on which nothing is limited by marks.
	Quiet time.Duration
	// Idle is for a host on which nothing passes: it must not cost anything.
	Idle time.Duration
}

// DefaultPace is what agents run with.
var DefaultPace = Pace{Quiet: 20 * time.Millisecond, Idle: 40 * time.Millisecond}

const (
	// quietNanos after the last group in force, or the last mark, a host is quiet. Programs report a
	// pair's first mark after 200 ms without any: it must be longer than that.
	quietNanos = int64(time.Second)
	// idleNanos without a packet a host is idle.
	idleNanos = int64(time.Second)
)

// Pacer decides when the engine turns next, by what the agent's parts report to it. For the engine's
// goroutine, except IsSlow.
type Pacer struct {
	pace Pace
	tau  tau
	// soon: something has come that should not wait for the next turn.
	soon     bool
	turnedAt int64
	packetAt int64 // when the last packet passed
	activeAt int64 // when a group was in force, or something marked, last
	slow     atomic.Bool
	paced    func(slow bool)
}

// NewPacer makes one; a configured tau of 0 is derived from what is measured.
func NewPacer(pace Pace, configuredTau time.Duration) *Pacer {
	return &Pacer{pace: pace, tau: tau{configured: configuredTau}}
}

// TurnSoon causes a turn that does not wait for the timer.
func (p *Pacer) TurnSoon() { p.soon = true }

// TurnSoonIfIdle causes one where the next may be far away: control begins.
func (p *Pacer) TurnSoonIfIdle(nowNanos int64) {
	if p.IsIdle(nowNanos) {
		p.soon = true
	}
}

// Active notes that a limit is in force or something was marked: the next turn is due after tau.
func (p *Pacer) Active(nowNanos int64) { p.activeAt = nowNanos }

// SinceActive is how long ago that was.
func (p *Pacer) SinceActive(nowNanos int64) time.Duration {
	return time.Duration(nowNanos - p.activeAt)
}

// Packet notes when a packet passed.
func (p *Pacer) Packet(nanos int64) { p.packetAt = max(p.packetAt, nanos) }

// IsIdle reports whether no limit is to follow marks, and no report of marks is due.
func (p *Pacer) IsIdle(nowNanos int64) bool { return nowNanos-p.activeAt > quietNanos }

// IsSlow reports whether the next turn is further away than tau. For any goroutine.
func (p *Pacer) IsSlow() bool { return p.slow.Load() }

// WhenPaced has a function called at the end of each turn. It is called before the engine runs.
func (p *Pacer) WhenPaced(paced func(slow bool)) { p.paced = paced }

// Tau is the host loop's period.
func (p *Pacer) Tau() time.Duration { return p.tau.period() }

// SetTau takes a controller's; 0: it leaves that to the agent.
func (p *Pacer) SetTau(period time.Duration) { p.tau.set = period }

// Measured fits tau to what was measured since the last call: processor time, and the round trips to
// the agents that feedback comes from.
func (p *Pacer) Measured(nowNanos int64, trips RoundTrips) {
	p.tau.measureWork(processorTime(), p.IsIdle(nowNanos))
	p.tau.derive(trips)
}

func (p *Pacer) beginTurn(nowNanos int64) {
	p.tau.countTurn()
	p.turnedAt, p.soon = nowNanos, false
}

// endTurn returns how long to pause until the next.
func (p *Pacer) endTurn(nowNanos int64) time.Duration {
	pause := p.pause(nowNanos)
	slow := pause > p.Tau()
	p.slow.Store(slow)
	if p.paced != nil {
		p.paced(slow)
	}
	return pause
}

func (p *Pacer) pause(nowNanos int64) time.Duration {
	switch {
	case !p.IsIdle(nowNanos):
		return p.Tau()
	case nowNanos-p.packetAt > idleNanos:
		return max(p.Tau(), p.pace.Idle)
	}
	return max(p.Tau(), p.pace.Quiet)
}
