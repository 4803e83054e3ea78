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

// windowForgottenNanos is how long a silent pair's replay window is kept.
const windowForgottenNanos = int64(6 * time.Hour)

// maxReceived are the bases of feedback kept for all endpoints together.
const maxReceived = 65_536

// Status counts in-band messages.
type Status struct {
	Sent     uint64 `json:"sent"`
	Unsent   uint64 `json:"unsent"` // no key yet, or the device refused
	Accepted uint64 `json:"accepted"`
	Refused  uint64 `json:"refused"` // malformed, unsigned, forged, replayed
	// EvictedWindows had to make room for newer ones of the same endpoint: what was sent before for them can be
	// replayed once.
	EvictedWindows uint64 `json:"evictedWindows"`
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
	decoder  *wire.Decoder
	received *quota.Table[netip.Addr, netip.Addr, received] // by the endpoint's address, and the peer's
	trips    roundTrips
	shares   shareTable
	status   Status
}

// Open makes the socket that sends frames towards the network. An agent that stands alone gets no keys, so
// its messages go unsigned.
func Open(protocol uint8, standsAlone bool, table *endpoints.Table, pacer *engine.Pacer, faults *faults.Log) (*Peers, error) {
	socket, err := rawframe.Open()
	if err != nil {
		return nil, fmt.Errorf("feedback socket: %w", err)
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	keys := &wire.Keyring{}
	p := &Peers{
		endpoints: table, pacer: pacer, faults: faults,
		steady:   clock.NewSteady(time.Now(), clock.Nanos),
		instance: binary.NativeEndian.Uint32(random[:]),
		keys:     keys,
		decoder:  wire.NewDecoder(protocol, keys, standsAlone),
		received: quota.New[netip.Addr, netip.Addr, received](maxReceived),
		trips:    roundTrips{peers: map[model.Pair]*peer{}},
	}
	p.sender = sender{
		socket: socket, encoder: wire.Encoder{Protocol: protocol, Keys: keys, AllowUnsigned: standsAlone},
		status: &p.status,
	}
	return p, nil
}

// Close ends sending.
func (p *Peers) Close() error { return p.sender.socket.Close() }

// AddKey takes a key that signs messages.
func (p *Peers) AddKey(key model.PeerKey) { p.faults.Report("take a peer key", p.keys.Add(key)) }

// Receive takes a message of another agent.
func (p *Peers) Receive(arrivedNanos int64, from shim.ReturnPath, packet []byte) {
	message, err := p.decoder.Decode(arrivedNanos, packet)
	if err != nil {
		p.status.Refused++
		p.status.LastRefusal = err.Error()
		return
	}
	p.status.Accepted++
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

// ForgetIdle frees what is kept of pairs without messages.
func (p *Peers) ForgetIdle(nowNanos int64) {
	p.decoder.Forget(nowNanos - windowForgottenNanos)
	p.received.Forget(nowNanos - windowForgottenNanos)
}

// Status reads the counters.
func (p *Peers) Status() Status {
	status := p.status
	status.EvictedWindows = p.decoder.Evicted()
	return status
}
