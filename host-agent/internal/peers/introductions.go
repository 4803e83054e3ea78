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
	// firstPauseNanos is between the first two messages that ask a peer for its certificate, and grows to
	// lastPauseNanos. It is short, for the answer may have to pass the full queue that is to be reported.
	firstPauseNanos = int64(20 * time.Millisecond)
	lastPauseNanos  = int64(time.Second)
	// refreshPauseNanos is between them where the one that is known is still valid.
	refreshPauseNanos = int64(10 * time.Second)
	// promptPauseNanos is the least time between two that a peer's own messages have caused.
	promptPauseNanos = int64(10 * time.Millisecond)
	// retryPauseNanos is before another try where nothing could be sent.
	retryPauseNanos = int64(20 * time.Millisecond)
	// attemptForgottenNanos is how long a peer that is not asked any more may answer.
	attemptForgottenNanos = int64(30 * time.Second)
	// maxAttempts of all endpoints together.
	maxAttempts = 16_384
)

// What may be done a second, and at once: to check a certificate takes some 0.1 ms, in which nothing else is
// done. For strangers it is less: whoever they are, they must not keep us from those with whom we have to do.
const (
	asksPerSecond, asksAtOnce     = 400, 16
	checksPerSecond, checksAtOnce = 400, 16
	strangersPart                 = 2 // strangers have one part of so many of that
	answersPerSecond              = 800
	answersAtOnce                 = 32
)

// introductions are how this agent and others come to know each other's certificates. Nothing that a peer sends
// unasked changes anything but that it is asked: only who receives what is sent to an address can answer.
type introductions struct {
	keys   *wire.Keyring
	sender *sender
	status *Status
	// nonce makes a number that nobody can foresee, not 0.
	nonce func() uint64
	// partners are addresses to which our endpoints send or about which they report; strangers all others.
	partners, strangers asking
	// answers to peers whom we know already.
	answers budget
}

// asking is whom we ask for a certificate.
type asking struct {
	attempts *quota.Table[netip.Addr, netip.Addr, attempt] // by the address here
	asks     budget
	checks   budget
}

// attempt is what is under way with one peer.
type attempt struct {
	nonce uint64 // that its answer must repeat; 0: it has been used
	// dueNanos is when it is asked again, after pauseNanos; promptNanos when its own messages may cause that.
	dueNanos, pauseNanos, promptNanos int64
}

func newAsking(part float64) asking {
	return asking{
		attempts: quota.New[netip.Addr, netip.Addr, attempt](maxAttempts),
		asks:     newBudget(asksPerSecond/part, asksAtOnce/part),
		checks:   newBudget(checksPerSecond/part, checksAtOnce/part),
	}
}

func newIntroductions(keys *wire.Keyring, sender *sender, status *Status, nonce func() uint64) introductions {
	return introductions{
		keys: keys, sender: sender, status: status, nonce: nonce,
		partners: newAsking(1), strangers: newAsking(strangersPart),
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
// asked for.
func (i *introductions) ready(nowNanos int64, to contact) bool {
	if i.keys.Empty() {
		return true // the encoder knows whether messages go unsigned
	}
	switch i.keys.Standing(nowNanos, to.own, to.other) {
	case wire.Known:
		return true
	case wire.Ageing:
		i.ask(nowNanos, to, refreshPauseNanos, refreshPauseNanos)
		return true
	default:
		i.ask(nowNanos, to, firstPauseNanos, lastPauseNanos)
		return false
	}
}

// ask asks a partner, if it is time.
func (i *introductions) ask(nowNanos int64, to contact, firstPause, lastPause int64) {
	under := i.partners.begin(nowNanos, to)
	if nowNanos < under.dueNanos {
		return
	}
	if !i.send(nowNanos, &i.partners, under, to, 0) {
		under.dueNanos = nowNanos + retryPauseNanos
		return
	}
	under.pauseNanos = min(max(2*under.pauseNanos, firstPause), lastPause)
	under.dueNanos = nowNanos + under.pauseNanos
}

// prompted answers what somebody sent whom we do not know, or not by that key, by asking for its certificate.
func (i *introductions) prompted(nowNanos int64, to contact, isPartner bool, answer uint64) {
	if i.keys.Empty() {
		return
	}
	of := &i.strangers
	if isPartner || i.partners.attempts.Find(to.own, to.other) != nil {
		of = &i.partners
	}
	if under := of.begin(nowNanos, to); nowNanos >= under.promptNanos && i.send(nowNanos, of, under, to, answer) {
		under.promptNanos = nowNanos + promptPauseNanos
	}
}

// begin is what is under way with a peer, from now on if there is nothing yet.
func (a *asking) begin(nowNanos int64, to contact) *attempt {
	under := a.attempts.Find(to.own, to.other)
	if under == nil {
		under = a.attempts.Add(to.own, to.other, nowNanos, attempt{})
	}
	a.attempts.Use(to.own, to.other, nowNanos)
	return under
}

// send introduces us to a peer and asks for its certificate.
func (i *introductions) send(nowNanos int64, of *asking, under *attempt, to contact, answer uint64) bool {
	certificate, some := i.keys.Own(to.own)
	if !some {
		i.status.Uncertified++
		return false
	}
	if !of.asks.take(nowNanos) {
		i.status.Postponed++
		return false
	}
	if under.nonce == 0 {
		under.nonce = i.nonce()
	}
	i.sender.introduction(&wire.Introduction{
		From: to.own, To: to.other, Certificate: certificate, Ask: under.nonce, Answer: answer,
	}, to.from, to.path)
	i.status.CertificatesAsked++
	return true
}

// received takes an introduction. The contact is that of its receiver.
func (i *introductions) received(nowNanos int64, to contact, isPartner bool, introduction *wire.Introduction) {
	of, under := i.underWay(to, introduction.Answer)
	switch {
	case i.keys.Empty():
		i.refuse(wire.ErrNoKey)
		return
	case i.keys.Has(introduction): // perhaps somebody repeats it: nothing changes but that it is answered
	case under == nil:
		i.prompted(nowNanos, to, isPartner, introduction.Ask)
		return
	case !of.checks.take(nowNanos):
		i.status.Postponed++
		return
	default:
		if err := i.keys.Accept(nowNanos, introduction); err != nil {
			under.nonce = 0
			under.dueNanos, under.promptNanos = nowNanos+lastPauseNanos, nowNanos+lastPauseNanos
			i.refuse(err)
			return
		}
		i.status.CertificatesAccepted++
	}
	if under != nil {
		i.settle(nowNanos, to)
	}
	if introduction.Ask != 0 {
		i.answer(nowNanos, to, introduction.Ask)
	}
}

// underWay is the attempt that somebody answers with the number that we sent; nil: there is none.
func (i *introductions) underWay(to contact, answer uint64) (*asking, *attempt) {
	for _, of := range []*asking{&i.partners, &i.strangers} {
		if under := of.attempts.Find(to.own, to.other); under != nil && answer != 0 && under.nonce == answer {
			return of, under
		}
	}
	return nil, nil
}

// settle ends the attempts with a peer that we know now. One whose certificate will not be valid for long, and
// that has no newer one, is asked again later.
func (i *introductions) settle(nowNanos int64, to contact) {
	i.strangers.attempts.Delete(to.own, to.other)
	under := i.partners.attempts.Find(to.own, to.other)
	if under != nil && i.keys.Standing(nowNanos, to.own, to.other) == wire.Ageing {
		*under = attempt{dueNanos: nowNanos + refreshPauseNanos}
		return
	}
	i.partners.attempts.Delete(to.own, to.other)
}

// answer gives a peer whom we know our certificate.
func (i *introductions) answer(nowNanos int64, to contact, asked uint64) {
	certificate, some := i.keys.Own(to.own)
	switch {
	case !some:
		i.status.Uncertified++
	case !i.answers.take(nowNanos):
		i.status.Postponed++
	default:
		i.sender.introduction(&wire.Introduction{
			From: to.own, To: to.other, Certificate: certificate, Answer: asked,
		}, to.from, to.path)
	}
}

func (i *introductions) refuse(reason error) {
	i.status.CertificatesRefused++
	i.status.LastRefusal = reason.Error()
}

// forgetIdle drops attempts that nothing has come of.
func (i *introductions) forgetIdle(nowNanos int64) {
	i.partners.attempts.Forget(nowNanos - attemptForgottenNanos)
	i.strangers.attempts.Forget(nowNanos - attemptForgottenNanos)
}
