// SPDX-License-Identifier: Apache-2.0

// Package notices takes controllers' congestion notices, by the agent link or in band, to the endpoints
// that they are about.
package notices

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// UnnamedPort stands for whatever port a notice of SDN-GCC's format is about: it names none. Every
// endpoint has one rate for it, as SDN-GCC's shim has one per VM.
const UnnamedPort model.Port = "unnamed/0"

// Notices is for the engine's goroutine.
type Notices struct {
	endpoints *endpoints.Table
	pairs     *pairs.Tracker
	pacer     *engine.Pacer
	faults    *faults.Log
	// capacity of the uplink, in bit/s.
	capacity uint64
	settings model.HostSettings
	decoder  *wire.NoticeDecoder
	counters Status
}

// Status counts notices by how they came.
type Status struct {
	// Transport is how they may come in band: link (not at all), in-band-v1, in-band-sdn-gcc.
	Transport string `json:"transport"`
	ByLink    uint64 `json:"byLink"`
	InBand    uint64 `json:"inBand"`
	// Refused came in band and were dropped.
	Refused Refused `json:"refused"`
	// LastRefusal is why.
	LastRefusal string `json:"lastRefusal,omitempty"`
}

// Refused notices by the reason why.
type Refused struct {
	Malformed           uint64 `json:"malformed"` // or of a wrong length, or contradicting itself
	UnexpectedTransport uint64 `json:"unexpectedTransport"`
	UnknownKey          uint64 `json:"unknownKey"`
	Forged              uint64 `json:"forged"`
	Replayed            uint64 `json:"replayed"`
	Stale               uint64 `json:"stale"`
	Foreign             uint64 `json:"foreign"` // for an address that no endpoint here has
}

var errForeign = errors.New("notice for an address that no endpoint of this host has")

// New makes what takes notices of an IP protocol number.
func New(protocol uint8, capacityBitsPerSecond uint64, table *endpoints.Table, tracker *pairs.Tracker,
	pacer *engine.Pacer, faults *faults.Log) *Notices {
	return &Notices{
		endpoints: table, pairs: tracker, pacer: pacer, faults: faults,
		capacity: capacityBitsPerSecond, decoder: wire.NewNoticeDecoder(protocol),
	}
}

// ApplySettings takes how notices come.
func (n *Notices) ApplySettings(settings model.HostSettings) { n.settings = settings }

// AddKey takes the key with which a controller node signs its notices in band.
func (n *Notices) AddKey(node string, key model.NoticeKey) {
	n.faults.Report("take a notice key", n.decoder.AddKey(node, key))
}

// ForgetKey voids what a node signs.
func (n *Notices) ForgetKey(node string) { n.decoder.Forget(node) }

// Apply takes notices that came by the link.
func (n *Notices) Apply(nowNanos int64, notices []model.Notice) {
	n.counters.ByLink += uint64(len(notices))
	n.apply(nowNanos, notices...)
}

func (n *Notices) apply(nowNanos int64, notices ...model.Notice) {
	if n.settings.NoticesAlone {
		n.pacer.TurnSoon() // marks that only notices report are as old as their period already
	}
	n.pacer.TurnSoonIfIdle(nowNanos)
	for _, notice := range notices {
		for _, e := range n.endpoints.All() {
			if e.Interface == notice.Interface {
				n.faults.Report("apply a notice", e.Control.Notify(nowNanos, notice))
			}
		}
	}
}

// Receive takes a notice that came in band.
func (n *Notices) Receive(arrivedNanos int64, packet []byte) {
	received, err := n.decoder.Decode(n.settings.NoticeTransport, packet)
	e := n.endpoints.Of(received.To)
	if err == nil && e == nil {
		err = errForeign
	}
	if err != nil {
		n.counters.refuse(err)
		return
	}
	n.counters.InBand++
	notice := received.Content
	if received.SdnGcc {
		notice = n.complete(arrivedNanos, e, received)
	}
	notice.Interface = e.Interface
	n.apply(arrivedNanos, notice)
}

func (s *Status) refuse(err error) {
	s.LastRefusal = err.Error()
	switch err {
	case wire.ErrTransport:
		s.Refused.UnexpectedTransport++
	case wire.ErrUnknownKey:
		s.Refused.UnknownKey++
	case wire.ErrForged:
		s.Refused.Forged++
	case wire.ErrReplayed:
		s.Refused.Replayed++
	case wire.ErrStale:
		s.Refused.Stale++
	case errForeign:
		s.Refused.Foreign++
	default:
		s.Refused.Malformed++
	}
}

// complete gives a notice of SDN-GCC's format what that system's shim goes by: its own T_i, the NIC's
// capacity, the endpoint's part of it among the active ones, and all that the endpoint sends.
func (n *Notices) complete(nowNanos int64, e *endpoints.Endpoint, received wire.Notice) model.Notice {
	destinations := []netip.Addr{received.From}
	active := map[*endpoints.Endpoint]bool{e: true}
	for sender, destination := range n.pairs.Senders(nowNanos, law.DefaultActiveNanos) {
		active[sender] = true
		if sender == e {
			destinations = append(destinations, destination)
		}
	}
	slices.SortFunc(destinations, netip.Addr.Compare)
	weights := 0.0
	for sender := range active {
		weights += sender.Bounds().Weight
	}
	own := e.Bounds()
	share := uint64(float64(n.capacity) * own.Weight / weights)
	return model.Notice{
		Port: UnnamedPort, Marks: received.Content.Marks, PeriodNanos: n.settings.ControlPeriodNanos,
		ShareBitsPerSecond: max(share, own.GuaranteeBitsPerSecond, 1), CapacityBitsPerSecond: n.capacity,
		Destinations: slices.Compact(destinations),
	}
}

// Status reads the counters.
func (n *Notices) Status() Status {
	s := n.counters
	s.Transport = TransportName(n.settings.NoticeTransport)
	return s
}

// TransportName is how a transport appears in the status.
func TransportName(transport model.NoticeTransport) string {
	switch transport {
	case model.NoticesByLink:
		return "link"
	case model.NoticesInBandV1:
		return "in-band-v1"
	case model.NoticesInBandSdnGcc:
		return "in-band-sdn-gcc"
	}
	return fmt.Sprintf("unknown (%d)", transport)
}
