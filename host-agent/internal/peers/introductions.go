// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/quota"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	// firstPauseNanos is between the first two requests for a peer's certificate, and doubles up to slowPauseNanos: the
	// answer may have to pass the full queue that is to be reported. From there on it grows eightfold to
	// lastPauseNanos: the host may have no agent, and one that begins there requests by itself.
	firstPauseNanos = int64(20 * time.Millisecond)
	slowPauseNanos  = int64(160 * time.Millisecond)
	lastPauseNanos  = int64(time.Minute)
	// refusedPauseNanos is before the next one where the certificate was wrong.
	refusedPauseNanos = int64(time.Second)
	// refreshPauseNanos is between them while the current certificate is still valid.
	refreshPauseNanos = int64(10 * time.Second)
	// promptPauseNanos is the least time between two requests caused by a peer's messages.
	promptPauseNanos = int64(10 * time.Millisecond)
	// retryPauseNanos is before another try where nothing could be sent.
	retryPauseNanos = int64(20 * time.Millisecond)
	// attemptForgottenNanos is how long a peer may answer after the last request.
	attemptForgottenNanos = 5 * lastPauseNanos
	// maxAttempts of all endpoints together.
	maxAttempts = 16_384
)

// What may be done a second, and at once: to check a certificate takes some 0.1 ms, in which nothing else is
// done. Unrelated addresses have a smaller budget, so that they cannot delay partners.
const (
	requestsPerSecond, requestsAtOnce = 400, 16
	checksPerSecond, checksAtOnce     = 400, 16
	unrelatedPart                     = 2 // unrelated addresses have one part of so many of that
	answersPerSecond                  = 800
	answersAtOnce                     = 32
)

// introductions exchange certificates between this agent and others. What a peer sends unsolicited changes
// nothing except that its certificate is requested: only who receives packets of an address can answer.
type introductions struct {
	keys   *wire.Keyring
	sender *sender
	status *Status
	// nonce makes an unpredictable number, not 0.
	nonce func() uint64
	// partners are addresses to which our endpoints send or about which they report; unrelated all others.
	partners, unrelated requests
	// answers to peers whose certificate is current.
	answers budget
	// hasAgent: a message came from an address.
	hasAgent func(netip.Addr) bool
}

// requests are pending requests for certificates.
type requests struct {
	attempts *quota.Table[netip.Addr, netip.Addr, attempt] // by the address here
	sends    budget
	checks   budget
}

// attempt is a pending request to one peer.
type attempt struct {
	nonce uint64 // that its answer must repeat; 0: it has been used
	// dueNanos is when the request is repeated, after pauseNanos; promptNanos when the peer's messages may cause that.
	dueNanos, pauseNanos, promptNanos int64
}

func newRequests(part float64) requests {
	return requests{
		attempts: quota.New[netip.Addr, netip.Addr, attempt](maxAttempts),
		sends:    newBudget(requestsPerSecond/part, requestsAtOnce/part),
		checks:   newBudget(checksPerSecond/part, checksAtOnce/part),
	}
}

func newIntroductions(keys *wire.Keyring, sender *sender, status *Status, nonce func() uint64) introductions {
	return introductions{
		keys: keys, sender: sender, status: status, nonce: nonce,
		partners: newRequests(1), unrelated: newRequests(unrelatedPart),
		answers: newBudget(answersPerSecond, answersAtOnce),
	}
}

// contact is two addresses, and the way from the one here to the other.
type contact struct {
	own, other netip.Addr
	from       wire.MAC
	path       shim.ReturnPath
}

// ready reports whether messages for a peer can be signed, or need not be; if they cannot, its certificate is
// requested. Where they need not be they are requests themselves: a host that has never answered gets few.
func (i *introductions) ready(nowNanos int64, to contact) bool {
	if i.keys.Empty() {
		return i.hasAgent(to.other) || i.tries(nowNanos, to)
	}
	switch i.keys.CertificateState(nowNanos, to.own, to.other) {
	case wire.Known:
		return true
	case wire.Ageing:
		i.request(nowNanos, to, refreshPauseNanos, refreshPauseNanos)
		return true
	default:
		i.request(nowNanos, to, firstPauseNanos, lastPauseNanos)
		return false
	}
}

// request requests a partner's certificate, if that is due.
func (i *introductions) request(nowNanos int64, to contact, firstPause, lastPause int64) {
	under := i.partners.begin(nowNanos, to)
	if nowNanos < under.dueNanos {
		return
	}
	if !i.send(nowNanos, &i.partners, under, to, 0) {
		under.dueNanos = nowNanos + retryPauseNanos
		return
	}
	under.wait(nowNanos, firstPause, lastPause)
}

// tries reports whether a message to an unknown peer is due; the encoder knows whether it may go unsigned.
func (i *introductions) tries(nowNanos int64, to contact) bool {
	under := i.partners.begin(nowNanos, to)
	if nowNanos < under.dueNanos {
		return false
	}
	under.wait(nowNanos, firstPauseNanos, lastPauseNanos)
	return true
}

func (a *attempt) wait(nowNanos, firstPause, lastPause int64) {
	growth := int64(2)
	if a.pauseNanos >= slowPauseNanos {
		growth = 8
	}
	a.pauseNanos = min(max(growth*a.pauseNanos, firstPause), lastPause)
	a.dueNanos = nowNanos + a.pauseNanos
}

// prompted answers a message of an unknown peer, or under an unknown key, with a request for its certificate.
func (i *introductions) prompted(nowNanos int64, to contact, isPartner bool, answer uint64) {
	if i.keys.Empty() {
		return
	}
	of := &i.unrelated
	if isPartner || i.partners.attempts.Find(to.own, to.other) != nil {
		of = &i.partners
	}
	if under := of.begin(nowNanos, to); nowNanos >= under.promptNanos && i.send(nowNanos, of, under, to, answer) {
		under.promptNanos = nowNanos + promptPauseNanos
	}
}

// begin returns the pending request to a peer, a new one if there is none.
func (a *requests) begin(nowNanos int64, to contact) *attempt {
	under := a.attempts.Find(to.own, to.other)
	if under == nil {
		under = a.attempts.Add(to.own, to.other, nowNanos, attempt{})
	}
	a.attempts.Use(to.own, to.other, nowNanos)
	return under
}

// send sends a peer our certificate and requests its own.
func (i *introductions) send(nowNanos int64, of *requests, under *attempt, to contact, answer uint64) bool {
	certificate, some := i.keys.Own(to.own)
	if !some {
		i.status.Uncertified++
		return false
	}
	if !of.sends.take(nowNanos) {
		i.status.Postponed++
		return false
	}
	if under.nonce == 0 {
		under.nonce = i.nonce()
	}
	i.sender.introduction(&wire.Introduction{
		From: to.own, To: to.other, Certificate: certificate, Request: under.nonce, Answer: answer,
	}, to.from, to.path)
	i.status.CertificatesAsked++
	return true
}

// received takes an introduction. The contact is that of its receiver.
func (i *introductions) received(nowNanos int64, to contact, isPartner bool, introduction *wire.Introduction) {
	of, under := i.pending(to, introduction.Answer)
	switch {
	case i.keys.Empty():
		i.refuse(wire.ErrNoKey)
		return
	case i.keys.Has(introduction): // perhaps somebody repeats it: nothing changes but that it is answered
	case under == nil:
		i.prompted(nowNanos, to, isPartner, introduction.Request)
		return
	case !of.checks.take(nowNanos):
		i.status.Postponed++
		return
	default:
		if err := i.keys.Accept(nowNanos, introduction); err != nil {
			under.nonce = 0
			under.dueNanos, under.promptNanos = nowNanos+refusedPauseNanos, nowNanos+refusedPauseNanos
			i.refuse(err)
			return
		}
		i.status.CertificatesAccepted++
	}
	if under != nil {
		i.settle(nowNanos, to)
	}
	if introduction.Request != 0 {
		i.answer(nowNanos, to, introduction.Request)
	}
}

// pending is the request that an answer belongs to, by its number; nil: there is none.
func (i *introductions) pending(to contact, answer uint64) (*requests, *attempt) {
	for _, of := range []*requests{&i.partners, &i.unrelated} {
		if under := of.attempts.Find(to.own, to.other); under != nil && answer != 0 && under.nonce == answer {
			return of, under
		}
	}
	return nil, nil
}

// settle ends the requests to a peer whose certificate is current. One whose certificate expires soon, and
// that has no newer one, is requested again later.
func (i *introductions) settle(nowNanos int64, to contact) {
	i.unrelated.attempts.Delete(to.own, to.other)
	under := i.partners.attempts.Find(to.own, to.other)
	if under != nil && i.keys.CertificateState(nowNanos, to.own, to.other) == wire.Ageing {
		*under = attempt{dueNanos: nowNanos + refreshPauseNanos}
		return
	}
	i.partners.attempts.Delete(to.own, to.other)
}

// answer sends a peer whose certificate is current our own.
func (i *introductions) answer(nowNanos int64, to contact, requested uint64) {
	certificate, some := i.keys.Own(to.own)
	switch {
	case !some:
		i.status.Uncertified++
	case !i.answers.take(nowNanos):
		i.status.Postponed++
	default:
		i.sender.introduction(&wire.Introduction{
			From: to.own, To: to.other, Certificate: certificate, Answer: requested,
		}, to.from, to.path)
	}
}

func (i *introductions) refuse(reason error) {
	i.status.CertificatesRefused++
	i.status.LastRefusal = reason.Error()
}

// forgetIdle drops requests that were not answered.
func (i *introductions) forgetIdle(nowNanos int64) {
	i.partners.attempts.Forget(nowNanos - attemptForgottenNanos)
	i.unrelated.attempts.Forget(nowNanos - attemptForgottenNanos)
}
