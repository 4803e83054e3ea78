// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"math"
	"net/netip"
	"slices"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxRateBitsPerSecond = 100_000_000_000_000
	maxPeriodMicros      = 60_000_000
	maxNameLength        = 256
	maxAuthorityKeys     = 2
	pointLength          = 65 // of P-256, uncompressed
	signatureLength      = 64
	// maxHandshakeWaitMicros is far less than the time after which TCP repeats a SYN.
	maxHandshakeWaitMicros = 100_000
)

func sharesOf(message *pb.UnitShares) ([]model.UnitShare, error) {
	shares := make([]model.UnitShare, 0, len(message.GetShares()))
	for i, s := range message.GetShares() {
		at := fmt.Sprintf("shares[%d]", i)
		if err := name(at+".port", s.GetPort()); err != nil {
			return nil, err
		}
		share := model.UnitShare{
			Port:                   model.Port(s.GetPort()),
			UnitShareBitsPerSecond: s.GetUnitShareBitsPerSecond(),
			CapacityBitsPerSecond:  s.GetCapacityBitsPerSecond(),
			ActiveWeight:           s.GetActiveWeight(),
			Expired:                s.GetExpired(),
			LentPart:               s.GetLentPart(),
			EqualCost:              s.GetEqualCost(),
		}
		if !share.Expired {
			if err := rate(at+".unit_share_bits_per_second", share.UnitShareBitsPerSecond); err != nil {
				return nil, err
			}
			if err := rate(at+".capacity_bits_per_second", share.CapacityBitsPerSecond); err != nil {
				return nil, err
			}
			if !(share.ActiveWeight >= 0) || math.IsInf(share.ActiveWeight, 1) {
				return nil, fmt.Errorf("%s.active_weight: %v must be at least 0", at, share.ActiveWeight)
			}
			if !(share.LentPart >= 0) || math.IsInf(share.LentPart, 1) {
				return nil, fmt.Errorf("%s.lent_part: %v must be at least 0", at, share.LentPart)
			}
		}
		for j, e := range s.GetEndpoints() {
			within := fmt.Sprintf("%s.endpoints[%d]", at, j)
			if err := name(within+".interface", e.GetInterface()); err != nil {
				return nil, err
			}
			destinations, err := addresses(within+".destinations", e.GetDestinations())
			if err != nil {
				return nil, err
			}
			if e.GetFloorBitsPerSecond() > maxRateBitsPerSecond {
				return nil, fmt.Errorf("%s.floor_bits_per_second: %d must be at most %d bit/s", within,
					e.GetFloorBitsPerSecond(), uint64(maxRateBitsPerSecond))
			}
			if !(e.GetWeight() >= 0) || math.IsInf(e.GetWeight(), 1) {
				return nil, fmt.Errorf("%s.weight: %v must be at least 0", within, e.GetWeight())
			}
			if !(e.GetPairPart() >= 0) || math.IsInf(e.GetPairPart(), 1) {
				return nil, fmt.Errorf("%s.pair_part: %v must be at least 0", within, e.GetPairPart())
			}
			share.Endpoints = append(share.Endpoints, model.ControlledEndpoint{
				Interface: e.GetInterface(), Destinations: destinations,
				Terms: model.Terms{
					Floor:  model.Floor{Known: e.FloorBitsPerSecond != nil, BitsPerSecond: e.GetFloorBitsPerSecond()},
					Weight: e.GetWeight(), PairPart: e.GetPairPart(),
				},
			})
		}
		reached, err := addresses(at+".reached", s.GetReached())
		if err != nil {
			return nil, err
		}
		share.Reached = reached
		shares = append(shares, share)
	}
	return shares, nil
}

func noticesOf(message *pb.Notices) ([]model.Notice, error) {
	notices := make([]model.Notice, 0, len(message.GetNotices()))
	for i, n := range message.GetNotices() {
		at := fmt.Sprintf("notices[%d]", i)
		if err := name(at+".port", n.GetPort()); err != nil {
			return nil, err
		}
		if err := name(at+".interface", n.GetInterface()); err != nil {
			return nil, err
		}
		if !(n.GetMarks() >= 0) || math.IsInf(n.GetMarks(), 1) {
			return nil, fmt.Errorf("%s.marks: %v must be at least 0", at, n.GetMarks())
		}
		if !(n.GetPackets() >= 0) || math.IsInf(n.GetPackets(), 1) {
			return nil, fmt.Errorf("%s.packets: %v must be at least 0", at, n.GetPackets())
		}
		if n.GetPeriodNanos() > maxPeriodMicros*1000 {
			return nil, fmt.Errorf("%s.period_nanos: %d must be at most a minute", at, n.GetPeriodNanos())
		}
		if err := rate(at+".capacity_bits_per_second", n.GetCapacityBitsPerSecond()); err != nil {
			return nil, err
		}
		if n.GetShareBitsPerSecond() > maxRateBitsPerSecond {
			return nil, rate(at+".share_bits_per_second", n.GetShareBitsPerSecond())
		}
		destinations, err := addresses(at+".destinations", n.GetDestinations())
		if err != nil {
			return nil, err
		}
		notices = append(notices, model.Notice{
			Port: model.Port(n.GetPort()), Interface: n.GetInterface(), Marks: n.GetMarks(),
			PeriodNanos:           int64(n.GetPeriodNanos()),
			ShareBitsPerSecond:    n.GetShareBitsPerSecond(),
			CapacityBitsPerSecond: n.GetCapacityBitsPerSecond(),
			Destinations:          destinations,
			Packets:               n.GetPackets(),
		})
	}
	return notices, nil
}

func noticePort(n model.Notice) model.Port { return n.Port }

func noticeKeyOf(message *pb.NoticeKey) (model.NoticeKey, error) {
	return model.NoticeKey{ID: message.GetKeyId(), Key: message.GetKey()},
		length("notice_key.key", message.GetKey(), keyLength)
}

func policiesOf(message *pb.EndpointPolicies) ([]model.EndpointPolicy, error) {
	policies := make([]model.EndpointPolicy, 0, len(message.GetEndpoints()))
	seen := map[string]bool{}
	for i, p := range message.GetEndpoints() {
		at := fmt.Sprintf("endpoints[%d]", i)
		if err := name(at+".interface", p.GetInterface()); err != nil {
			return nil, err
		}
		if seen[p.GetInterface()] {
			return nil, fmt.Errorf("%s.interface: %q occurs twice", at, p.GetInterface())
		}
		seen[p.GetInterface()] = true
		if !(p.GetWeight() > 0) || math.IsInf(p.GetWeight(), 1) {
			return nil, fmt.Errorf("%s.weight: %v must be more than 0", at, p.GetWeight())
		}
		if max(p.GetGuaranteeBitsPerSecond(), p.GetCeilingBitsPerSecond()) > maxRateBitsPerSecond {
			return nil, fmt.Errorf("%s: guarantee %d, ceiling %d: must be at most %d bit/s", at,
				p.GetGuaranteeBitsPerSecond(), p.GetCeilingBitsPerSecond(), uint64(maxRateBitsPerSecond))
		}
		if p.GetReceiveCeilingBitsPerSecond() > maxRateBitsPerSecond {
			return nil, fmt.Errorf("%s.receive_ceiling_bits_per_second: %d must be at most %d bit/s", at,
				p.GetReceiveCeilingBitsPerSecond(), uint64(maxRateBitsPerSecond))
		}
		refused, err := addresses(at+".refused_ips", p.GetRefusedIps())
		if err != nil {
			return nil, err
		}
		slices.SortFunc(refused, netip.Addr.Compare)
		policies = append(policies, model.EndpointPolicy{
			Interface: p.GetInterface(), Tenant: p.GetTenant(), Weight: p.GetWeight(),
			GuaranteeBitsPerSecond: p.GetGuaranteeBitsPerSecond(),
			CeilingBitsPerSecond:   p.GetCeilingBitsPerSecond(),
			PreserveECN:            p.GetPreserveEcn(),

			ReceiveCeilingBitsPerSecond: p.GetReceiveCeilingBitsPerSecond(),
			RefusedIPs:                  refused,
		})
	}
	return policies, nil
}

func settingsOf(message *pb.HostSettings) (model.HostSettings, error) {
	settings := model.HostSettings{
		Enforcement:        message.GetEnforcement(),
		ControlPeriodNanos: int64(message.GetControlPeriodMicros()) * 1000,
		TauNanos:           int64(message.GetTauMicros()) * 1000,
		NoticesAlone:       message.GetNoticesAlone(),
		ReportFlows:        message.GetReportFlows(),
		HandshakeWaitNanos: int64(message.GetHandshakeWaitMicros()) * 1000,
		ReportLosses:       message.GetReportLosses(),
		SendLostFrames:     message.GetSendLostFrames(),
		SignConnections:    message.GetSignConnections(),
		ReportFlowSizes:    message.GetReportFlowSizes(),
		ReceiversMark:      message.GetReceiversMark(),
	}
	var err error
	if settings.LevelThresholdBytes, err = thresholdsOf(message.GetLevelThresholdBytes()); err != nil {
		return settings, err
	}
	if wait := message.GetHandshakeWaitMicros(); wait > maxHandshakeWaitMicros {
		return settings, fmt.Errorf("handshake_wait_micros: %d must be at most %d: every connection waits for it",
			wait, maxHandshakeWaitMicros)
	}
	switch message.GetLaw() {
	case pb.HostSettings_LAW_SLUICE:
		settings.Law = model.TwoTimeScale
	case pb.HostSettings_LAW_SDN_GCC:
		settings.Law = model.SdnGcc
	default:
		return settings, fmt.Errorf("law: %v is unknown; this agent has LAW_SLUICE and LAW_SDN_GCC", message.GetLaw())
	}
	switch message.GetNoticeTransport() {
	case pb.HostSettings_NOTICE_TRANSPORT_LINK:
		settings.NoticeTransport = model.NoticesByLink
	case pb.HostSettings_NOTICE_TRANSPORT_IN_BAND_V1:
		settings.NoticeTransport = model.NoticesInBandV1
	case pb.HostSettings_NOTICE_TRANSPORT_IN_BAND_SDN_GCC:
		settings.NoticeTransport = model.NoticesInBandSdnGcc
	default:
		return settings, fmt.Errorf("notice_transport: %v is unknown; this agent has NOTICE_TRANSPORT_LINK, _IN_BAND_V1 and _IN_BAND_SDN_GCC",
			message.GetNoticeTransport())
	}
	if message.GetControlPeriodMicros() == 0 || message.GetControlPeriodMicros() > maxPeriodMicros {
		return settings, fmt.Errorf("control_period_micros: %d must be from 1 to a minute", message.GetControlPeriodMicros())
	}
	if tau := message.GetTauMicros(); tau != 0 && (tau < 100 || tau > maxPeriodMicros) {
		return settings, fmt.Errorf("tau_micros: %d must be 0 or from 100 to a minute", tau)
	}
	return settings, nil
}

// authorityOf reads what the ring of keys checks further: whether they are points of the curve.
func authorityOf(message *pb.PeerAuthority) ([]model.AuthorityKey, error) {
	if count := len(message.GetKeys()); count == 0 || count > maxAuthorityKeys {
		return nil, fmt.Errorf("peer_authority.keys: %d; there must be 1 to %d", count, maxAuthorityKeys)
	}
	var keys []model.AuthorityKey
	for i, one := range message.GetKeys() {
		if err := length(fmt.Sprintf("peer_authority.keys[%d].public_key", i), one.GetPublicKey(), pointLength); err != nil {
			return nil, err
		}
		if len(keys) > 0 && keys[0].ID == one.GetKeyId() {
			return nil, fmt.Errorf("peer_authority.keys[%d].key_id: %d occurs twice", i, one.GetKeyId())
		}
		keys = append(keys, model.AuthorityKey{ID: one.GetKeyId(), PublicKey: one.GetPublicKey()})
	}
	return keys, nil
}

func certificatesOf(message *pb.PeerCertificates) (model.PeerCertificates, error) {
	given := model.PeerCertificates{}
	if err := length("peer_certificates.peer_public_key", message.GetPeerPublicKey(), keyLength); err != nil {
		return given, err
	}
	given.PublicKey = [keyLength]byte(message.GetPeerPublicKey())
	for i, one := range message.GetCertificates() {
		at := fmt.Sprintf("peer_certificates.certificates[%d]", i)
		ips, err := addresses(at+".ip", [][]byte{one.GetIp()})
		if err != nil {
			return given, err
		}
		if err := length(at+".signature", one.GetSignature(), signatureLength); err != nil {
			return given, err
		}
		given.Certificates = append(given.Certificates, model.PeerCertificate{
			IP: ips[0], AuthorityID: one.GetKeyId(), IssuedMillis: one.GetIssuedMillis(),
			Signature: [signatureLength]byte(one.GetSignature()),
		})
	}
	return given, nil
}

func length(field string, value []byte, want int) error {
	if len(value) != want {
		return fmt.Errorf("%s: %d bytes; it has %d", field, len(value), want)
	}
	return nil
}

func name(field, value string) error {
	if value == "" || len(value) > maxNameLength {
		return fmt.Errorf("%s: %q must have 1 to %d characters", field, value, maxNameLength)
	}
	return nil
}

func rate(field string, value uint64) error {
	if value == 0 || value > maxRateBitsPerSecond {
		return fmt.Errorf("%s: %d must be from 1 to %d bit/s", field, value, uint64(maxRateBitsPerSecond))
	}
	return nil
}

func addresses(field string, raw [][]byte) ([]netip.Addr, error) {
	var result []netip.Addr
	for i, bytes := range raw {
		address, ok := netip.AddrFromSlice(bytes)
		if !ok {
			return nil, fmt.Errorf("%s[%d]: %d bytes; an IP address has 4 or 16", field, i, len(bytes))
		}
		result = append(result, address.Unmap()) // addresses are compared
	}
	return result, nil
}
