// SPDX-License-Identifier: Apache-2.0

package peers

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
	// baseNanos is how far back RTT_base reaches (docs/agent.md: the least of 10 s).
	baseNanos = int64(10 * time.Second)
	// answerNanos is how long an answer is waited for before another echo is sent.
	answerNanos = int64(500 * time.Millisecond)
	// maxEchoes at once; to which peers is up to chance.
	maxEchoes = 256
	// samplesKept are some more than there are echoes in baseNanos.
	samplesKept = 12
)

// roundTrips are the measured times to the agents that feedback comes from, by pair: a pair's packets
// all take one path, those of two pairs to one host maybe not.
type roundTrips struct {
	sequence uint64
	peers    map[model.Pair]*peer
}

// peer is the agent at the other end of a pair.
type peer struct {
	path      shim.ReturnPath // towards it
	reported  int64           // when its feedback came last
	echoNanos int64           // when an echo was sent, by our clock; 0: no answer is awaited
	tau       time.Duration   // of its host loop
	samples   [samplesKept]sample
	measured  int
}

// sample is one measured round trip.
type sample struct {
	nanos int64 // when it was measured
	took  time.Duration
}

// active notes that feedback came, and reports whether the peer is a new one.
func (r *roundTrips) active(nowNanos int64, pair model.Pair, path shim.ReturnPath) bool {
	p := r.peers[pair]
	isNew := p == nil
	if isNew {
		p = &peer{}
		r.peers[pair] = p
	}
	p.path, p.reported = path, nowNanos
	return isNew
}

// answered takes a measurement. An answer to any but the last echo is too late to be of use.
func (r *roundTrips) answered(arrivedNanos int64, echo wire.Echo) {
	p := r.peers[echo.Pair]
	if p == nil || p.echoNanos == 0 || echo.SentNanos != p.echoNanos {
		return
	}
	p.echoNanos = 0
	took := time.Duration(arrivedNanos - echo.SentNanos - echo.HeldNanos)
	if took <= 0 {
		return // the other end claims to have held it for longer than it was away
	}
	p.tau = time.Duration(echo.LoopNanos)
	p.samples[p.measured%samplesKept] = sample{arrivedNanos, took}
	p.measured++
}

// base is RTT_base, 0 if it is not known.
func (p *peer) base(nowNanos int64) time.Duration {
	least := time.Duration(0)
	for _, s := range p.samples {
		if s.took > 0 && nowNanos-s.nanos < baseNanos && (least == 0 || s.took < least) {
			least = s.took
		}
	}
	return least
}

// paced is what the host loop has to wait for: the nearest active peer, since the marks of the others'
// packets are answered as slowly as they come, and the slowest loop.
func (r *roundTrips) paced(nowNanos int64) engine.RoundTrips {
	var paced engine.RoundTrips
	for _, p := range r.peers {
		base := p.base(nowNanos)
		if base == 0 || nowNanos-p.reported >= peerActiveNanos {
			continue
		}
		if paced.Base == 0 || base < paced.Base {
			paced.Base = base
		}
		paced.PeerTau = max(paced.PeerTau, p.tau)
	}
	return paced
}

// RoundTrip is the least RTT_base of active peers; 0: unknown.
func (p *Peers) RoundTrip(nowNanos int64) time.Duration { return p.trips.paced(nowNanos).Base }

// MeasureRoundTrips sends every active peer an echo, and reports what is known to the pacer; due once a
// second.
func (p *Peers) MeasureRoundTrips(nowNanos int64) {
	echoes := 0
	for pair, other := range p.trips.peers {
		switch age := nowNanos - other.reported; {
		case age > baseNanos:
			delete(p.trips.peers, pair)
		case age < peerActiveNanos && nowNanos-other.echoNanos > answerNanos && echoes < maxEchoes:
			echoes++
			p.sendEcho(nowNanos, pair)
		}
	}
	p.pacer.Measured(nowNanos, p.trips.paced(nowNanos))
}

// sendEcho sends the peer of a pair of ours an echo, if it is known.
func (p *Peers) sendEcho(nowNanos int64, pair model.Pair) {
	other := p.trips.peers[pair]
	if other == nil {
		return
	}
	to, some := p.contact(pair.Source, pair.Destination, other.path)
	if !some || !p.others.ready(nowNanos, to) {
		return
	}
	p.trips.sequence = wire.NextSequence(p.trips.sequence, p.steady.Nanos())
	other.echoNanos = clock.Nanos()
	p.sender.echo(&wire.Echo{
		Pair: pair, Sequence: p.trips.sequence,
		LoopNanos: p.pacer.Tau().Nanoseconds(), SentNanos: other.echoNanos,
	}, to.from, to.path)
}

// answerEcho answers another agent's echo, with how long that took.
func (p *Peers) answerEcho(arrivedNanos int64, from shim.ReturnPath, echo wire.Echo) {
	e := p.endpoints.Of(echo.Pair.Destination)
	if e == nil {
		return
	}
	echo.Answer, echo.LoopNanos = true, p.pacer.Tau().Nanoseconds()
	echo.HeldNanos = max(clock.Nanos()-arrivedNanos, 0)
	p.sender.echo(&echo, wire.MAC(e.MAC), from)
}
