// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"net/netip"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// validator takes all decisions, and checks that the laws can use what it receives.
type validator struct{ t *testing.T }

func (j *validator) require(holds bool, format string, args ...any) {
	j.t.Helper()
	if !holds {
		j.t.Errorf(format, args...)
	}
}

func finite(value, least float64) bool { return value >= least && !math.IsInf(value, 1) }

func (j *validator) addresses(addresses []netip.Addr) {
	for _, a := range addresses {
		j.require(a.IsValid() && !a.Is4In6() && a.Zone() == "", "address %v", a)
	}
}

func (j *validator) rate(name string, value uint64) {
	j.require(value >= 1 && value <= maxRateBitsPerSecond, "%s %d", name, value)
}

func (j *validator) ApplyPolicies(_ string, policies []model.EndpointPolicy) {
	seen := map[string]bool{}
	for _, p := range policies {
		j.require(p.Interface != "" && !seen[p.Interface], "interface %q", p.Interface)
		seen[p.Interface] = true
		j.require(p.Weight > 0 && finite(p.Weight, 0), "weight %v", p.Weight)
		j.require(p.GuaranteeBitsPerSecond <= maxRateBitsPerSecond && p.CeilingBitsPerSecond <= maxRateBitsPerSecond,
			"guarantee %d, ceiling %d", p.GuaranteeBitsPerSecond, p.CeilingBitsPerSecond)
	}
}

func (j *validator) ApplyUnitShares(_ string, shares []model.UnitShare) {
	for _, s := range shares {
		j.require(s.Port != "" && len(s.Port) <= maxNameLength, "port %q", s.Port)
		if !s.Expired {
			j.rate("unit share", s.UnitShareBitsPerSecond)
			j.rate("capacity", s.CapacityBitsPerSecond)
			j.require(finite(s.ActiveWeight, 0), "active weight %v", s.ActiveWeight)
			j.require(finite(s.LentPart, 0), "lent part %v", s.LentPart)
		}
		j.addresses(s.Reached)
		for _, e := range s.Endpoints {
			j.require(e.Interface != "", "interface %q", e.Interface)
			j.require(e.Terms.Floor.BitsPerSecond <= maxRateBitsPerSecond, "floor %d", e.Terms.Floor.BitsPerSecond)
			j.require(finite(e.Terms.PairPart, 0), "pair part %v", e.Terms.PairPart)
			j.addresses(e.Destinations)
		}
	}
}

func (j *validator) ApplyNotices(_ string, notices []model.Notice) {
	for _, n := range notices {
		j.require(n.Port != "" && n.Interface != "", "port %q, interface %q", n.Port, n.Interface)
		j.require(finite(n.Marks, 0) && finite(n.Packets, 0), "marks %v of %v", n.Marks, n.Packets)
		j.require(n.PeriodNanos >= 0 && n.PeriodNanos <= maxPeriodMicros*1000, "period %d", n.PeriodNanos)
		j.rate("capacity", n.CapacityBitsPerSecond)
		j.require(n.ShareBitsPerSecond <= maxRateBitsPerSecond, "share %d", n.ShareBitsPerSecond)
		j.addresses(n.Destinations)
	}
}

func (j *validator) ApplySettings(_ string, s model.HostSettings) {
	j.require(s.Law == model.TwoTimeScale || s.Law == model.SdnGcc, "law %v", s.Law)
	j.require(s.ControlPeriodNanos > 0 && s.ControlPeriodNanos <= maxPeriodMicros*1000, "period %d", s.ControlPeriodNanos)
	j.require(s.TauNanos == 0 || s.TauNanos >= 100_000 && s.TauNanos <= maxPeriodMicros*1000, "tau %d", s.TauNanos)
	for i, threshold := range s.LevelThresholdBytes {
		j.require(threshold >= 1 && threshold <= maxThresholdBytes && (i == 0 || threshold > s.LevelThresholdBytes[i-1]),
			"thresholds %d", s.LevelThresholdBytes)
	}
}

func (j *validator) ApplyNoticeKey(_ string, key model.NoticeKey) { j.key(key.Key) }
func (j *validator) ApplyPeerAuthority(_ string, keys []model.AuthorityKey) {
	j.require(len(keys) > 0 && len(keys) <= 2, "%d keys of the authority", len(keys))
	for _, one := range keys {
		j.require(len(one.PublicKey) == pointLength, "a key of %d bytes", len(one.PublicKey))
	}
}
func (j *validator) ApplyPeerCertificates(_ string, given model.PeerCertificates) {
	for _, one := range given.Certificates {
		j.addresses([]netip.Addr{one.IP})
	}
}
func (j *validator) LeaseExpired(string) {}
func (j *validator) VoidGrants(string)   {}

func (j *validator) ApplyTCPHints(_ string, hints model.TCPHints) {
	for _, hint := range hints.Hints {
		for _, prefix := range hint.Destinations {
			j.require(prefix.IsValid() && prefix == prefix.Masked() && !prefix.Addr().Is4In6(), "destination %v", prefix)
		}
	}
}

func (j *validator) marks(marks []model.Feedback) {
	for _, one := range marks {
		j.addresses([]netip.Addr{one.Pair.Source, one.Pair.Destination})
	}
}

func (j *validator) ApplyReturnedMarks(_ string, marks []model.Feedback)    { j.marks(marks) }
func (j *validator) ApplyUndeliveredMarks(_ string, marks []model.Feedback) { j.marks(marks) }

func (j *validator) ApplyLossAnswers(_ string, answers []model.LossAnswer) {
	for _, a := range answers {
		j.require(!a.Flow.IsPattern() && a.PayloadBytes > 0, "loss answer %+v", a)
	}
}

func (j *validator) ApplyResends(_ string, resends []model.Resend) {
	for _, r := range resends {
		j.require(r.Port != "" && r.Kept != 0, "resend %+v", r)
	}
}

func (j *validator) ApplyBackgroundQueues(queues model.BackgroundQueues) {
	j.require(queues.Port != "" && len(queues.Queues) <= model.MaxBackgroundQueues, "%d queues of %q", len(queues.Queues), queues.Port)
	waits := map[netip.Addr]bool{}
	downstreams := map[model.Port]bool{}
	for _, q := range queues.Queues {
		j.require(q.Downstream != "" && !downstreams[q.Downstream], "downstream %q", q.Downstream)
		downstreams[q.Downstream] = true
		j.addresses(q.Destinations)
		for _, destination := range q.Destinations {
			j.require(!waits[destination], "%v waits in two queues", destination)
			waits[destination] = true
		}
	}
	j.require(len(waits) <= model.MaxBackgroundDestinations, "%d destinations", len(waits))
}

func (j *validator) ApplyRateCaps(caps []model.RateCap) {
	for _, c := range caps {
		j.require(c.Port != "" && c.Downstream != "" && c.BitsPerSecond <= maxRateBitsPerSecond, "cap %+v", c)
		j.require(c.HoldNanos <= maxCapHold.Nanoseconds() && (c.HoldNanos > 0 || c.HoldNanos == 0 && c.BitsPerSecond == 0), "cap %+v", c)
	}
}

func (j *validator) ApplyMarkingThresholds(ports []model.PortThresholds) {
	for _, p := range ports {
		j.require(p.Port != "" && len(p.Packets) > 0 && len(p.Packets) <= maxThresholdQueues && !slices.Contains(p.Packets, 0), "thresholds %+v", p)
		j.require(p.HoldNanos > 0 && p.HoldNanos <= maxCapHold.Nanoseconds(), "thresholds %+v", p)
	}
}

func (j *validator) ApplyGrants(_ string, grants []model.WindowGrant) {
	for _, g := range grants {
		j.addresses([]netip.Addr{g.Flow.Source, g.Flow.Destination})
		j.require(g.Flow.Source.Is4() == g.Flow.Destination.Is4(), "flow %v", g.Flow)
	}
}

func (j *validator) key(key []byte) { j.require(len(key) == keyLength, "key of %d bytes", len(key)) }

// FuzzReceive gives a controller's message to the table, twice: the second time it is stale and must
// change nothing. Then the lease ends.
func FuzzReceive(f *testing.F) {
	policies := message("n1", 1, 1)
	policies.Body = &pb.ControllerMessage_Policies{Policies: &pb.EndpointPolicies{Endpoints: []*pb.EndpointPolicy{
		{Interface: "vm0", Tenant: "t1", Weight: 2, GuaranteeBitsPerSecond: 1, CeilingBitsPerSecond: 2},
	}}}
	mapped := share("of:0000000000000001/5", 9)
	mapped.Endpoints[0].Destinations = [][]byte{netip.MustParseAddr("::ffff:10.0.0.5").AsSlice()}
	notNumber := share("of:0000000000000001/5", 9)
	notNumber.ActiveWeight = math.NaN()
	leveled, falling := settings("n1", 1, 1), settings("n1", 1, 1)
	leveled.GetSettings().ReportFlowSizes, leveled.GetSettings().LevelThresholdBytes = true, []uint64{16_384, 1_000_000}
	falling.GetSettings().LevelThresholdBytes = []uint64{1_000_000, 16_384, 0}
	for _, seed := range []*pb.ControllerMessage{
		leveled, falling, policies, authorityMessage(1, pointLength), certificatesMessage(4, signatureLength), settings("n1", 1, 1), notice("n1", 1, 1, "p1", "p2"), message("n1", 1, 1),
		backgroundQueues("n1", 1, 1, "d/1", "10.0.0.1", "fd00::1", "", "d/2", "10.0.0.2"),
		backgroundQueues("n1", 1, 1, "d/1", "10.0.0.1", "::ffff:10.0.0.1"),
		rateCaps("n1", 1, 1, rateCap("d/1", 8_000_000), rateCap("d/2", 0)),
		grants("n1", 1, 1, 2920), resends(1, &pb.Resend{Port: "p/1", Kept: 9}),
		lossAnswers(1, &pb.LossAnswer{Flow: flowIDOf(testFlow(7)), PayloadBytes: 9}), shares("n1", 1, 1, share("of:0000000000000001/5", 12)), shares("n1", 1, 1, mapped), shares("n1", 1, 1, notNumber),
	} {
		bytes, err := proto.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m pb.ControllerMessage
		if proto.Unmarshal(data, &m) != nil {
			return // gRPC ends the stream
		}
		b := newDecisionTable(&validator{t}, testLease)
		if _, err := b.receive(1, &m); err != nil {
			if err.Error() == "" {
				t.Error("refused without a reason")
			}
			return
		}
		again := &recorder{}
		b.decisions = again
		if _, err := b.receive(2, &m); err != nil {
			t.Errorf("accepted, then refused: %v", err)
		}
		if len(again.lines) > 0 {
			t.Errorf("applied twice: %q", again.lines)
		}
	})
}
