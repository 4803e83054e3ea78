// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire/wiretest"
)

// certify has controllers certify the host's own address.
func (h *host) certify(authority *wiretest.Authority) {
	h.agent.decisions.ApplyPeerAuthority("node", []model.AuthorityKey{authority.Key()})
	h.agent.decisions.ApplyPeerCertificates("node", authority.Certify(h.agent.loop.keys.PublicKey(), ownIP))
}

// newCertifiedAgent stands in for another host's agent whose endpoint has an address.
func newCertifiedAgent(h *host, authority *wiretest.Authority, address netip.Addr) *farAgent {
	h.t.Helper()
	keys, err := wire.NewKeyring()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := keys.SetAuthority(1, []model.AuthorityKey{authority.Key()}); err != nil {
		h.t.Fatal(err)
	}
	keys.AddOwn(authority.Certify(keys.PublicKey(), address))
	far := newFarAgent(h)
	far.keys, far.address = keys, address
	far.encoder = wire.Encoder{Protocol: testProtocol, Keys: keys}
	far.decoder = wire.NewDecoder(testProtocol, keys, false)
	return far
}

// introduce sends the agent's certificate.
func (f *farAgent) introduce(request, answer uint64) {
	f.h.t.Helper()
	certificate, _ := f.keys.Own(f.address)
	f.send(f.encoder.EncodeIntroduction(f.buffer[:], &wire.Introduction{
		From: f.address, To: ownIP, Certificate: certificate, Request: request, Answer: answer,
	}, peerMAC, ownMAC))
}

// next waits for a message to the agent, and answers requests for its certificate.
func (f *farAgent) next(kind wire.Kind) wire.Message {
	f.h.t.Helper()
	for {
		message, err := f.decoder.DecodeFrame(0, f.capture.Next(eventually, testnet.IPProtocol(testProtocol)))
		if err != nil {
			f.h.t.Fatal(err)
		}
		if message.Kind == wire.KindCertificate {
			if err := f.keys.Accept(1, &message.Introduction); err != nil {
				f.h.t.Fatal(err)
			}
			f.introduce(0, message.Introduction.Request)
		}
		if message.Kind == kind {
			return message
		}
	}
}

// The first packet of another host's endpoint makes the two agents known to each other; then what arrived is
// reported, all of it, and the other's feedback is accepted.
func TestAgentsExchangeCertificatesBeforeFeedback(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	authority := wiretest.NewAuthority(t)
	h.certify(authority)
	far := newCertifiedAgent(h, authority, peerIP)
	far.sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	far.sender.Send(inward(peerIP, ownIP, testnet.CE))
	testnet.Until(t, "what arrived is reported", func() bool {
		feedback := far.next(wire.KindFeedback).Feedback
		return feedback.Packets == 2 && feedback.CEPackets == 1
	})
	far.feedBack(1, 10, 0)
	testnet.Until(t, "the other's feedback is accepted", func() bool { return h.status().Feedback.Accepted == 1 })
	s := h.status().Feedback
	if s.Peers != 1 || s.CertificatesAccepted != 1 || s.CertificatesRefused != 0 || s.Refused != 0 {
		t.Errorf("feedback %+v", s)
	}

	// A third host, certified as well, about the same pair.
	third := newCertifiedAgent(h, authority, otherIP)
	third.keys.AddOwn(authority.Certify(third.keys.PublicKey(), otherIP))
	ownCertificate, _ := h.ownCertificate()
	if err := third.keys.Accept(1, &wire.Introduction{From: ownIP, To: peerIP, Certificate: ownCertificate}); err != nil {
		t.Fatal(err)
	}
	third.feedBack(1<<62, 1000, 1000)
	testnet.Until(t, "a third host's is not", func() bool { return h.status().Feedback.Unknown >= 1 })
	if accepted := h.status().Feedback.Accepted; accepted != 1 {
		t.Errorf("%d messages accepted, want 1", accepted)
	}
	far.feedBack(2, 20, 0)
	testnet.Until(t, "the true receiver still is", func() bool { return h.status().Feedback.Accepted == 2 })
}

// ownCertificate is what the agent shows others.
func (h *host) ownCertificate() (certificate wire.Certificate, some bool) {
	h.t.Helper()
	done := make(chan struct{})
	h.agent.inbox.PostNow(func() {
		certificate, some = h.agent.loop.keys.Own(ownIP)
		close(done)
	})
	<-done
	return certificate, some
}

// Without a certificate of its own an agent sends nothing, and reports it.
func TestAnUncertifiedAgentSendsNoFeedback(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	authority := wiretest.NewAuthority(t)
	h.agent.decisions.ApplyPeerAuthority("node", []model.AuthorityKey{authority.Key()})
	far := newCertifiedAgent(h, authority, peerIP)
	far.sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	testnet.Until(t, "it has to introduce itself", func() bool { return h.status().Feedback.Uncertified > 0 })
	if s := h.status().Feedback; s.Sent != 0 {
		t.Errorf("feedback %+v", s)
	}
	h.certify(authority)
	testnet.Until(t, "once it is certified, what arrived is reported", func() bool {
		return far.next(wire.KindFeedback).Feedback.Packets == 1
	})
}
