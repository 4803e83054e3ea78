// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// unnamedPort stands for whatever port a paper notice is about: it does not say. Every endpoint has
// one rate for it, as the paper's shim has one per VM.
const unnamedPort model.Port = "unnamed/0"

// notices is how controllers' notices come to this host.
type notices struct {
	protocol uint8
	decoder  *wire.NoticeDecoder
	counters NoticeStatus
}

// NoticeStatus counts notices by the way that they came.
type NoticeStatus struct {
	// Transport is how they may come in band: link (not at all), in-band-v1, in-band-sdn-gcc.
	Transport string `json:"transport"`
	ByLink    uint64 `json:"byLink"`
	InBand    uint64 `json:"inBand"`
	// Refused came in band and were dropped.
	Refused RefusedNotices `json:"refused"`
	// LastRefusal is why.
	LastRefusal string `json:"lastRefusal,omitempty"`
}

// RefusedNotices by the reason why.
type RefusedNotices struct {
	Malformed           uint64 `json:"malformed"` // or of a wrong length, or contradicting itself
	UnexpectedTransport uint64 `json:"unexpectedTransport"`
	UnknownKey          uint64 `json:"unknownKey"`
	Forged              uint64 `json:"forged"`
	Replayed            uint64 `json:"replayed"`
	Stale               uint64 `json:"stale"`
	Foreign             uint64 `json:"foreign"` // for an address that no endpoint here has
}

var errForeign = errors.New("notice for an address that no endpoint of this host has")

func newNotices(protocol uint8) notices {
	return notices{protocol: protocol, decoder: wire.NewNoticeDecoder(protocol)}
}

// ApplyNotices takes notices that came by the link.
func (a *Agent) ApplyNotices(_ string, told []model.Notice) {
	nowNanos := clock.Nanos()
	a.inbox.PostNow(func() {
		a.notices.counters.ByLink += uint64(len(told))
		a.applyNotices(nowNanos, told)
	})
}

// ApplyNoticeKey takes the key with which a controller node signs its notices in band.
func (a *Agent) ApplyNoticeKey(node string, key model.NoticeKey) {
	a.inbox.Post(func() { a.faults.Report("take a notice key", a.notices.decoder.AddKey(node, key)) })
}

func (a *Agent) applyNotices(nowNanos int64, told []model.Notice) {
	// Marks that only notices tell of are as old as their period already.
	if a.settings.NoticesAlone {
		a.pacer.TurnSoon()
	}
	a.pacer.TurnSoonIfQuiet(nowNanos)
	for _, notice := range told {
		for _, e := range a.endpoints.All() {
			if e.Interface == notice.Interface {
				a.faults.Report("apply a notice", e.Control.Notify(nowNanos, notice))
			}
		}
	}
}

// receiveNotice takes a notice that came in band.
func (a *Agent) receiveNotice(arrivedNanos int64, packet []byte) {
	notice, err := a.notices.decoder.Decode(a.settings.NoticeTransport, packet)
	if err == nil && a.endpoints.Of(notice.To) == nil {
		err = errForeign
	}
	if err != nil {
		a.notices.counters.refuse(err)
		return
	}
	a.notices.counters.InBand++
	e := a.endpoints.Of(notice.To)
	told := notice.Content
	if notice.SdnGcc {
		told = a.fillIn(arrivedNanos, e, notice)
	}
	told.Interface = e.Interface
	a.applyNotices(arrivedNanos, []model.Notice{told})
}

func (s *NoticeStatus) refuse(err error) {
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

// fillIn gives a paper notice what the paper's shim goes by: its own T_i, the NIC's capacity, the
// endpoint's part of it among the active ones, and all that the endpoint sends.
func (a *Agent) fillIn(nowNanos int64, e *endpoints.Endpoint, notice wire.Notice) model.Notice {
	destinations := []netip.Addr{notice.From}
	active := map[*endpoints.Endpoint]bool{e: true}
	for pair := range a.shim.Pairs() {
		sender := a.endpoints.At(pair.Endpoint)
		if sender == nil || !pair.Outward || nowNanos-pair.LastSentNanos >= law.DefaultActiveNanos {
			continue
		}
		active[sender] = true
		if sender == e {
			destinations = append(destinations, a.record(pair.Slot).addresses.Destination)
		}
	}
	slices.SortFunc(destinations, netip.Addr.Compare)
	weights := 0.0
	for sender := range active {
		weights += sender.Weight()
	}
	capacity := a.config.Uplink.CapacityBitsPerSecond()
	share := uint64(float64(capacity) * e.Weight() / weights)
	return model.Notice{
		Port: unnamedPort, Marks: notice.Content.Marks, PeriodNanos: a.settings.ControlPeriodNanos,
		ShareBitsPerSecond: max(share, e.Guarantee(), 1), CapacityBitsPerSecond: capacity,
		Destinations: slices.Compact(destinations),
	}
}

func (a *Agent) noticeStatus() NoticeStatus {
	s := a.notices.counters
	s.Transport = transportName(a.settings.NoticeTransport)
	return s
}

func transportName(transport model.NoticeTransport) string {
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
