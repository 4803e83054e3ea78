// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	// peerActiveNanos after its last feedback a peer does not count any more.
	peerActiveNanos = int64(2 * time.Second)
	// baseNanos is how long RTT_base is looked back for (LAWS 3: minimum over 10 s).
	baseNanos = int64(10 * time.Second)
	// answerNanos is how long an answer is waited for before another question is asked.
	answerNanos = int64(500 * time.Millisecond)
	// maxQuestions at once; which ones is up to chance.
	maxQuestions = 256
	// samplesKept are some more than there are questions in baseNanos.
	samplesKept = 12
)

// roundTrips are the measured times to the agents that feedback comes from, by pair: a pair's
// packets all take one way, those of two pairs to one host maybe not.
type roundTrips struct {
	sequence uint64
	peers    map[model.Pair]*peer
}

// peer is the agent at the other end of a pair.
type peer struct {
	way      shim.ReturnPath // towards it
	heard    int64
	asked    int64 // by our clock; 0: no question is open
	loop     time.Duration
	samples  [samplesKept]roundTrip
	measured int
}

type roundTrip struct {
	nanos int64 // when it was measured
	time  time.Duration
}

// heard notes that feedback came. It says whether this is news of a peer that nothing is known of.
func (r *roundTrips) heard(nowNanos int64, pair model.Pair, way shim.ReturnPath) bool {
	p := r.peers[pair]
	isNew := p == nil
	if isNew {
		p = &peer{}
		r.peers[pair] = p
	}
	p.way, p.heard = way, nowNanos
	return isNew
}

// answered takes a measurement. An answer to any but the last question is too late to be of use.
func (r *roundTrips) answered(arrivedNanos int64, echo wire.Echo) {
	p := r.peers[echo.Pair]
	if p == nil || p.asked == 0 || echo.SentNanos != p.asked {
		return
	}
	p.asked = 0
	took := time.Duration(arrivedNanos - echo.SentNanos - echo.HeldNanos)
	if took <= 0 {
		return // the other end claims to have held it for longer than it was away
	}
	p.loop = time.Duration(echo.LoopNanos)
	p.samples[p.measured%samplesKept] = roundTrip{arrivedNanos, took}
	p.measured++
}

// base is RTT_base, 0 if it is not known.
func (p *peer) base(nowNanos int64) time.Duration {
	least := time.Duration(0)
	for _, s := range p.samples {
		if s.time > 0 && nowNanos-s.nanos < baseNanos && (least == 0 || s.time < least) {
			least = s.time
		}
	}
	return least
}

// slowest are those of the slowest active peers.
func (r *roundTrips) slowest(nowNanos int64) engine.RoundTrips {
	var s engine.RoundTrips
	for _, p := range r.peers {
		if base := p.base(nowNanos); base > 0 && nowNanos-p.heard < peerActiveNanos {
			s.Base, s.PeerTau = max(s.Base, base), max(s.PeerTau, p.loop)
		}
	}
	return s
}

// measureRoundTrips asks every active peer, and sets tau by what is known; due once a second.
func (a *Agent) measureRoundTrips(nowNanos int64) {
	questions := 0
	for pair, p := range a.roundTrips.peers {
		switch age := nowNanos - p.heard; {
		case age > baseNanos:
			delete(a.roundTrips.peers, pair)
		case age < peerActiveNanos && nowNanos-p.asked > answerNanos && questions < maxQuestions:
			questions++
			a.askEcho(pair)
		}
	}
	a.pacer.Measured(nowNanos, a.roundTrips.slowest(nowNanos))
}

// askEcho asks the peer of a pair of ours.
func (a *Agent) askEcho(pair model.Pair) {
	e, p := a.endpoints.Of(pair.Source), a.roundTrips.peers[pair]
	if e == nil || p == nil {
		return
	}
	if a.roundTrips.sequence == 0 {
		a.roundTrips.sequence = wire.FirstSequence(a.steady.Nanos())
	}
	a.roundTrips.sequence++
	p.asked = clock.Nanos()
	a.feedback.sendEcho(&wire.Echo{
		Pair: pair, Sequence: a.roundTrips.sequence,
		LoopNanos: a.pacer.Tau().Nanoseconds(), SentNanos: p.asked,
	}, wire.MAC(e.MAC), p.way)
}

// answerEcho answers another agent's question, and tells how long that took.
func (a *Agent) answerEcho(arrivedNanos int64, from shim.ReturnPath, echo wire.Echo) {
	e := a.endpoints.Of(echo.Pair.Destination)
	if e == nil {
		return
	}
	echo.Answer, echo.LoopNanos = true, a.pacer.Tau().Nanoseconds()
	echo.HeldNanos = max(clock.Nanos()-arrivedNanos, 0)
	a.feedback.sendEcho(&echo, wire.MAC(e.MAC), from)
}
