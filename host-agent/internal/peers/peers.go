// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/quota"
	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// windowForgottenNanos is how long a silent pair's replay window and its peer are kept.
const windowForgottenNanos = int64(6 * time.Hour)

// maxReceived are the bases of feedback kept for all endpoints together.
const maxReceived = 65_536

// Status counts in-band messages.
type Status struct {
	Sent     uint64 `json:"sent"`
	Unsent   uint64 `json:"unsent"` // no key yet, or the device refused
	Accepted uint64 `json:"accepted"`
	Refused  uint64 `json:"refused"` // malformed, unsigned, forged, replayed; wrong certificates
	// Unknown came from addresses whose certificate is not known, or under another key: it was requested.
	Unknown uint64 `json:"unknown"`
	// Agents are addresses of other hosts that have one: what goes there leaves as ECT, and is reported.
	Agents int `json:"agents"`
	// Peers are addresses of others whose certificate is known; Waiting are those to which a request is pending.
	Peers   int `json:"peers"`
	Waiting int `json:"waiting"`
	// Certificates* count those that were requested, and that were checked: right or not.
	CertificatesAsked    uint64 `json:"certificatesAsked"`
	CertificatesAccepted uint64 `json:"certificatesAccepted"`
	CertificatesRefused  uint64 `json:"certificatesRefused"`
	// Uncertified is how often an address of this host had to be introduced that no controller has certified.
	Uncertified uint64 `json:"uncertified"`
	// Postponed is requests, answers and checks beyond the budget of a second.
	Postponed uint64 `json:"postponed"`
	// EvictedPeers had to make room for others of the same endpoint; they are requested again when needed.
	EvictedPeers uint64 `json:"evictedPeers"`
	// EvictedWindows had to make room for newer ones of the same endpoint.
	EvictedWindows uint64 `json:"evictedWindows"`
	// Relayed came by controllers.
	Relayed uint64 `json:"relayed"`
	// LastRefusal is why.
	LastRefusal string `json:"lastRefusal,omitempty"`
}

// Peers are the other hosts' agents.
type Peers struct {
	endpoints *endpoints.Table
	pacer     *engine.Pacer
	faults    *faults.Log
	// steady numbers messages.
	steady   clock.Steady
	instance uint32
	keys     *wire.Keyring
	sender   sender
	others   introductions
	decoder  *wire.Decoder
	received *quota.Table[netip.Addr, netip.Addr, received] // by the endpoint's address, and the peer's
	trips    roundTrips
	shares   shareTable
	status   Status
	agents   agents
	programs programs
}

// programs declare ECT towards hosts that have an agent.
type programs interface {
	SetHasAgent(address netip.Addr, has bool) error
}

// Open makes the socket that sends frames towards the network. An agent that stands alone gets no
// certificates, so its messages go unsigned.
func Open(
	protocol uint8, standsAlone bool, keys *wire.Keyring, table *endpoints.Table, programs programs, pacer *engine.Pacer,
	faults *faults.Log,
) (*Peers, error) {
	socket, err := rawframe.Open()
	if err != nil {
		return nil, fmt.Errorf("feedback socket: %w", err)
	}
	p := &Peers{
		endpoints: table, programs: programs, pacer: pacer, faults: faults, agents: agents{},
		steady:   clock.NewSteady(time.Now(), clock.Nanos),
		instance: uint32(random()),
		keys:     keys,
		decoder:  wire.NewDecoder(protocol, keys, standsAlone),
		received: quota.New[netip.Addr, netip.Addr, received](maxReceived),
		trips:    roundTrips{peers: map[model.Pair]*peer{}},
	}
	p.sender = sender{
		socket: socket, encoder: wire.Encoder{Protocol: protocol, Keys: keys, AllowUnsigned: standsAlone},
		status: &p.status,
	}
	p.others = newIntroductions(keys, &p.sender, &p.status, random)
	p.others.hasAgent = func(address netip.Addr) bool { _, has := p.agents[address]; return has }
	return p, nil
}

// random is an unpredictable number, not 0.
func random() uint64 {
	var bytes [8]byte
	_, _ = rand.Read(bytes[:]) // it never fails
	return max(binary.NativeEndian.Uint64(bytes[:]), 1)
}

// Close ends sending.
func (p *Peers) Close() error { return p.sender.socket.Close() }

// SetAuthority takes the keys by which agents are certified.
func (p *Peers) SetAuthority(nowNanos int64, keys []model.AuthorityKey) {
	p.faults.Report("take the keys of the authority over agents", p.keys.SetAuthority(nowNanos, keys))
}

// AddCertificates takes certificates of this host's addresses.
func (p *Peers) AddCertificates(given model.PeerCertificates) { p.keys.AddOwn(given) }

// contact is the way from an address here to another; false where the address belongs to no endpoint, or its MAC is not
// known yet.
func (p *Peers) contact(own, other netip.Addr, path shim.ReturnPath) (contact, bool) {
	e := p.endpoints.Of(own)
	if e == nil || len(e.MAC) == 0 {
		return contact{}, false
	}
	return contact{own: own, other: other, from: wire.MAC(e.MAC), path: path}, true
}

// isPartner reports whether an endpoint here sends to an address.
func (p *Peers) isPartner(own, other netip.Addr) bool {
	e := p.endpoints.Of(own)
	return e != nil && e.Control.HasSent(other)
}

// Receive takes a message of another agent.
func (p *Peers) Receive(arrivedNanos int64, from shim.ReturnPath, packet []byte) {
	message, err := p.decoder.Decode(arrivedNanos, packet)
	switch {
	case errors.Is(err, wire.ErrUnknownPeer), errors.Is(err, wire.ErrUnknownKey):
		p.status.Unknown++
		p.requestedBy(arrivedNanos, from, packet)
		return
	case err != nil:
		p.status.Refused++
		p.status.LastRefusal = err.Error()
		return
	case message.Kind == wire.KindCertificate:
		p.introduced(arrivedNanos, from, &message.Introduction)
		return
	}
	p.status.Accepted++
	if other, _, ok := p.decoder.Parties(packet); ok {
		p.foundAgent(arrivedNanos, other)
	}
	switch {
	case message.Kind == wire.KindFeedback:
		p.receiveFeedback(arrivedNanos, from, message.Feedback)
	case message.Kind == wire.KindShare:
		p.receiveShare(message.Share)
	case message.Echo.Answer:
		p.trips.answered(arrivedNanos, message.Echo)
	default:
		p.answerEcho(arrivedNanos, from, message.Echo)
	}
}

func (p *Peers) requestedBy(arrivedNanos int64, from shim.ReturnPath, packet []byte) {
	other, own, _ := p.decoder.Parties(packet)
	if to, some := p.contact(own, other, from); some {
		p.others.prompted(arrivedNanos, to, p.isPartner(own, other), 0)
	}
}

func (p *Peers) introduced(arrivedNanos int64, from shim.ReturnPath, introduction *wire.Introduction) {
	own, other := introduction.To, introduction.From
	if to, some := p.contact(own, other, from); some {
		p.others.received(arrivedNanos, to, p.isPartner(own, other), introduction)
		if p.keys.CertificateState(arrivedNanos, own, other) != wire.Unknown {
			p.foundAgent(arrivedNanos, other)
		}
	}
}

// ForgetIdle frees what is kept of pairs without messages.
func (p *Peers) ForgetIdle(nowNanos int64) {
	p.decoder.Forget(nowNanos - windowForgottenNanos)
	p.received.Forget(nowNanos - windowForgottenNanos)
	p.keys.Forget(nowNanos - windowForgottenNanos)
	p.others.forgetIdle(nowNanos)
	p.forgetAgents(nowNanos - agentForgottenNanos)
}

// Status reads the counters.
func (p *Peers) Status() Status {
	status := p.status
	status.EvictedWindows = p.decoder.Evicted()
	status.EvictedPeers = p.keys.Evicted()
	status.Peers = p.keys.Peers()
	status.Waiting = p.others.partners.attempts.Len()
	status.Agents = len(p.agents)
	return status
}
