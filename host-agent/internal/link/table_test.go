// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// recorder takes all decisions, and records its calls, from any goroutine.
type recorder struct {
	mu    sync.Mutex
	lines []string
	// voided are the nodes whose grants were, in order.
	voided []string
}

func (n *recorder) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *recorder) ApplyPolicies(node string, policies []model.EndpointPolicy) {
	for _, p := range policies {
		n.add("%s policy %s %s %g %d %d %v %d", node, p.Interface, p.Tenant, p.Weight,
			p.GuaranteeBitsPerSecond, p.CeilingBitsPerSecond, p.PreserveECN, p.ReceiveCeilingBitsPerSecond)
	}
}

func (n *recorder) ApplyUnitShares(node string, shares []model.UnitShare) {
	for _, s := range shares {
		if s.Expired {
			n.add("%s expired %s", node, s.Port)
			continue
		}
		n.add("%s share %s %d", node, s.Port, s.UnitShareBitsPerSecond)
	}
}

func (n *recorder) ApplyNotices(node string, notices []model.Notice) {
	for _, s := range notices {
		n.add("%s notice %s %s %g", node, s.Port, s.Interface, s.Marks)
	}
}

func (n *recorder) ApplySettings(node string, s model.HostSettings) {
	n.add("%s settings %v %d %d %d", node, s.Enforcement, s.Law, s.ControlPeriodNanos, s.TauNanos)
}

func (n *recorder) ApplyNoticeKey(node string, key model.NoticeKey) {
	n.add("%s notice key %d", node, key.ID)
}
func (n *recorder) ApplyPeerAuthority(node string, keys []model.AuthorityKey) {
	n.add("%s authority %d", node, keys[0].ID)
}
func (n *recorder) ApplyPeerCertificates(node string, given model.PeerCertificates) {
	n.add("%s certificate of %v", node, given.Certificates[0].IP)
}
func (n *recorder) LeaseExpired(node string) { n.add("%s lease", node) }

func (n *recorder) ApplyGrants(node string, grants []model.WindowGrant) {
	for _, g := range grants {
		if g.Released {
			n.add("%s released %s", node, g.Flow)
			continue
		}
		n.add("%s grant %s %d", node, g.Flow, g.WindowBytes)
	}
}

func (n *recorder) ApplyTCPHints(node string, hints model.TCPHints) {
	n.add("%s hints %d: %v", node, hints.Revision, hints.Hints)
}

func (n *recorder) ApplyReturnedMarks(node string, marks []model.Feedback) {
	for _, one := range marks {
		n.add("%s marks %v>%v %d", node, one.Pair.Source, one.Pair.Destination, one.CEPackets)
	}
}

func (n *recorder) ApplyUndeliveredMarks(node string, marks []model.Feedback) {
	for _, one := range marks {
		n.add("%s undelivered %v>%v", node, one.Pair.Source, one.Pair.Destination)
	}
}

func (n *recorder) ApplyLossAnswers(node string, answers []model.LossAnswer) {
	for _, a := range answers {
		n.add("%s lost %s %d+%d", node, a.Flow, a.Sequence, a.PayloadBytes)
	}
}

func (n *recorder) ApplyResends(node string, resends []model.Resend) {
	for _, r := range resends {
		n.add("%s resend %s %d", node, r.Port, r.Kept)
	}
}

func (n *recorder) ApplyBackgroundQueues(queues model.BackgroundQueues) {
	n.add("queues of %s: %v", queues.Port, queues.Queues)
}

func (n *recorder) ApplyRateCaps(caps []model.RateCap) {
	for _, c := range caps {
		n.add("cap %s>%s %d for %v", c.Port, c.Downstream, c.BitsPerSecond, time.Duration(c.HoldNanos))
	}
}

func (n *recorder) ApplyMarkingThresholds(ports []model.PortThresholds) {
	for _, p := range ports {
		n.add("thresholds of %s: %v for %v", p.Port, p.Packets, time.Duration(p.HoldNanos))
	}
}

func (n *recorder) VoidGrants(node string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.voided = append(n.voided, node)
}

func (n *recorder) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}

func (n *recorder) has(line string) bool { return slices.Contains(n.all(), line) }

// since returns and clears the records, in alphabetical order.
func (n *recorder) since() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	slices.Sort(lines)
	return lines
}

const testLease = 100 * time.Millisecond

func message(node string, term, sequence uint64) *pb.ControllerMessage {
	return &pb.ControllerMessage{Node: node, Term: term, Sequence: sequence,
		LeaseMillis: uint32(testLease.Milliseconds())}
}

func share(port string, unitShare uint64) *pb.UnitShare {
	return &pb.UnitShare{Port: port, UnitShareBitsPerSecond: unitShare, CapacityBitsPerSecond: 50_000_000,
		ActiveWeight: 4, Endpoints: []*pb.ControlledEndpoint{
			{Interface: "vm0", Destinations: [][]byte{{10, 0, 0, 5}}},
		}}
}

func shares(node string, term, sequence uint64, list ...*pb.UnitShare) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_UnitShares{UnitShares: &pb.UnitShares{Shares: list}}
	return m
}

func notice(node string, term, sequence uint64, ports ...string) *pb.ControllerMessage {
	m := message(node, term, sequence)
	body := &pb.Notices{}
	for i, port := range ports {
		body.Notices = append(body.Notices, &pb.Notice{Port: port, Interface: fmt.Sprintf("vm%d", i), Marks: 3,
			PeriodNanos: 5_000_000, ShareBitsPerSecond: 1, CapacityBitsPerSecond: 2})
	}
	m.Body = &pb.ControllerMessage_Notices{Notices: body}
	return m
}

func settings(node string, term, sequence uint64) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_Settings{Settings: &pb.HostSettings{Enforcement: true,
		Law: pb.HostSettings_LAW_SDN_GCC, ControlPeriodMicros: 5000, TauMicros: 2500,
		NoticeTransport: pb.HostSettings_NOTICE_TRANSPORT_LINK}}
	return m
}

type tableTest struct {
	t     *testing.T
	table *decisionTable
	notes *recorder
	now   int64
}

func newTableTest(t *testing.T) *tableTest {
	n := &recorder{}
	table := newDecisionTable(n, testLease)
	return &tableTest{t: t, table: table, notes: n}
}

func (b *tableTest) receive(m *pb.ControllerMessage, wantStale int, want ...string) {
	b.t.Helper()
	stale, err := b.table.receive(b.now, m)
	if err != nil {
		b.t.Fatal(err)
	}
	if stale != wantStale {
		b.t.Errorf("%d refused as stale, want %d", stale, wantStale)
	}
	b.expect(want...)
}

func (b *tableTest) expect(want ...string) {
	b.t.Helper()
	if got := b.notes.since(); !slices.Equal(got, want) {
		b.t.Errorf("applied %q, want %q", got, want)
	}
}

func TestStaleDecisionsAreRefused(t *testing.T) {
	b := newTableTest(t)
	b.receive(shares("a", 3, 10, share("p/1", 100), share("p/2", 200)), 0, "a share p/1 100", "a share p/2 200")
	b.receive(shares("a", 3, 10, share("p/1", 101)), 1)
	b.receive(shares("a", 3, 9, share("p/1", 101)), 1)
	b.receive(shares("a", 2, 99, share("p/1", 101)), 1)
	b.receive(shares("a", 3, 11, share("p/2", 201)), 0, "a share p/2 201")
	// Each port has an order of its own, and so has each kind.
	b.receive(shares("a", 3, 11, share("p/1", 102), share("p/2", 202)), 1, "a share p/1 102")
	b.receive(settings("a", 1, 1), 0, "a settings true 1 5000000 2500000")
	b.receive(settings("a", 1, 1), 1)
	b.receive(notice("a", 3, 12, "p/1", "p/1", "p/2"), 0,
		"a notice p/1 vm0 3", "a notice p/1 vm1 3", "a notice p/2 vm2 3")
	b.receive(notice("a", 3, 12, "p/1", "p/3"), 1, "a notice p/3 vm1 3")
	// A new term starts at any sequence; another node has nothing to do with it.
	b.receive(shares("a", 4, 1, share("p/1", 103)), 0, "a share p/1 103")
	b.receive(settings("b", 1, 1), 0, "b settings true 1 5000000 2500000")
}

func TestPoliciesAndKeys(t *testing.T) {
	b := newTableTest(t)
	m := message("a", 1, 1)
	m.Body = &pb.ControllerMessage_Policies{Policies: &pb.EndpointPolicies{Endpoints: []*pb.EndpointPolicy{
		{Interface: "vm0", Tenant: "t", Weight: 2, GuaranteeBitsPerSecond: 3, CeilingBitsPerSecond: 4, PreserveEcn: true,
			ReceiveCeilingBitsPerSecond: 5},
	}}}
	b.receive(m, 0, "a policy vm0 t 2 3 4 true 5")
	b.receive(authorityMessage(7, pointLength), 0, "a authority 7")
	b.receive(authorityMessage(7, pointLength), 1)
	b.receive(certificatesMessage(4, signatureLength), 0, "a certificate of 1.1.1.1")
}

func authorityMessage(id uint32, bytes int) *pb.ControllerMessage {
	m := message("a", 1, 2)
	m.Body = &pb.ControllerMessage_PeerAuthority{PeerAuthority: &pb.PeerAuthority{Keys: []*pb.AuthorityKey{
		{KeyId: id, PublicKey: make([]byte, bytes)}, {KeyId: 6, PublicKey: make([]byte, pointLength)},
	}}}
	return m
}

func certificatesMessage(ipBytes, signatureBytes int) *pb.ControllerMessage {
	m := message("a", 1, 2)
	m.Body = &pb.ControllerMessage_PeerCertificates{PeerCertificates: &pb.PeerCertificates{
		PeerPublicKey: make([]byte, keyLength), Certificates: []*pb.PeerCertificate{
			{Ip: bytes.Repeat([]byte{1}, ipBytes), KeyId: 7, IssuedMillis: 9, Signature: make([]byte, signatureBytes)},
		},
	}}
	return m
}

func TestTheLowestShareOfNodesWithALeaseHolds(t *testing.T) {
	b := newTableTest(t)
	b.receive(shares("a", 1, 1, share("p/1", 100)), 0, "a share p/1 100")
	b.receive(shares("b", 1, 1, share("p/1", 300)), 0, "a share p/1 100")
	b.receive(shares("b", 1, 2, share("p/1", 50)), 0, "b share p/1 50")
	b.receive(shares("b", 1, 3, share("p/1", 300)), 0, "a share p/1 100")
	// a gives the port up: b's holds; b gives it up: control ends.
	b.receive(shares("a", 1, 2, &pb.UnitShare{Port: "p/1", Expired: true}), 0, "b share p/1 300")
	b.receive(shares("b", 1, 4, &pb.UnitShare{Port: "p/1", Expired: true}), 0, "b expired p/1")
	b.receive(shares("b", 1, 5, &pb.UnitShare{Port: "p/9", Expired: true}), 0, "b expired p/9")
	if len(b.table.shares.ports) != 0 {
		t.Errorf("%d ports are remembered, want none", len(b.table.shares.ports))
	}
}

func TestEachShareIsOfItsOwnTerm(t *testing.T) {
	b := newTableTest(t)
	older, newer := share("p/1", 100), share("p/2", 200)
	older.Term, newer.Term = 3, 5
	b.receive(shares("a", 5, 1, older, newer), 0, "a share p/1 100", "a share p/2 200")
	// The message's term is not the first port's: what comes next of it is not stale.
	again := share("p/1", 50)
	again.Term = 3
	b.receive(shares("a", 3, 2, again), 0, "a share p/1 50")
	stale := share("p/2", 60)
	stale.Term = 4
	b.receive(shares("a", 5, 3, stale), 1)
}

func TestSharesOutliveTheLease(t *testing.T) {
	b := newTableTest(t)
	b.receive(shares("a", 1, 1, share("p/1", 100)), 0, "a share p/1 100")
	b.now = testLease.Nanoseconds() - 1
	b.table.expire(b.now)
	b.expect()
	b.receive(message2(&pb.ControllerMessage_LeaseRenewal{LeaseRenewal: &pb.LeaseRenewal{}}), 0)
	b.now += testLease.Nanoseconds()
	if got := b.table.expire(b.now); !slices.Equal(got, []string{"a"}) {
		t.Errorf("expired %v, want a", got)
	}
	b.expect("a lease") // and nothing is withdrawn
	b.table.expire(b.now + 1)
	b.expect()

	// Another node takes the port over: only its share counts, though it is higher.
	b.receive(shares("b", 1, 1, share("p/1", 300)), 0, "b share p/1 300")
	// The first comes back, having lost its memory: its terms of before are not stale, and another is the master now.
	b.receive(shares("a", 0, 1, share("p/1", 250)), 1)
	b.receive(shares("a", 2, 1, share("p/1", 250)), 0, "a share p/1 250")
}

func TestTheLatestMastersShareHolds(t *testing.T) {
	b := newTableTest(t)
	b.receive(shares("a", 5, 1, share("p/1", 100), share("p/2", 100)), 0, "a share p/1 100", "a share p/2 100")
	// a is dead, and its lease lasts; or it is cut off from its cluster, and goes on.
	b.receive(shares("b", 7, 1, share("p/1", 300)), 0, "b share p/1 300")
	b.receive(shares("a", 5, 2, share("p/1", 90)), 1)
	b.receive(shares("b", 7, 2, &pb.UnitShare{Port: "p/1", Expired: true}), 0, "b expired p/1")
	b.receive(shares("a", 5, 3, share("p/1", 90)), 1)
	b.receive(shares("b", 7, 3, &pb.UnitShare{Port: "p/2", Expired: true}), 0, "b expired p/2")
}

func policies(node string, term, sequence uint64, weight float64) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_Policies{Policies: &pb.EndpointPolicies{Endpoints: []*pb.EndpointPolicy{
		{Interface: "vm0", Tenant: "t", Weight: weight},
	}}}
	return m
}

func TestAFormerLeadersDecisionsAreRefused(t *testing.T) {
	b := newTableTest(t)
	b.receive(policies("a", 5, 1, 1), 0, "a policy vm0 t 1 0 0 false 0")
	b.receive(settings("a", 5, 2), 0, "a settings true 1 5000000 2500000")
	b.receive(policies("b", 7, 1, 2), 0, "b policy vm0 t 2 0 0 false 0")
	// a does not know yet, and goes on; what b has not decided is a's still.
	b.receive(policies("a", 5, 3, 1), 1)
	b.receive(settings("a", 5, 4), 0, "a settings true 1 5000000 2500000")
	b.receive(settings("b", 7, 2), 0, "b settings true 1 5000000 2500000")
	b.receive(settings("a", 5, 5), 1)
	// b is gone, and a leads again, if in a cluster that has lost its count.
	b.now = testLease.Nanoseconds()
	b.table.expire(b.now)
	b.expect("a lease", "b lease")
	b.receive(policies("a", 6, 1, 1), 0, "a policy vm0 t 1 0 0 false 0")
}

func message2(body *pb.ControllerMessage_LeaseRenewal) *pb.ControllerMessage {
	m := message("a", 0, 2)
	m.Body = body
	return m
}

func TestTheShareOfAnotherNodeHoldsWhenALeaseEnds(t *testing.T) {
	b := newTableTest(t)
	b.receive(shares("a", 1, 1, share("p/1", 100), share("p/2", 100)), 0, "a share p/1 100", "a share p/2 100")
	b.now = testLease.Nanoseconds() / 2
	b.receive(shares("b", 1, 1, share("p/1", 300)), 0, "a share p/1 100")
	b.now = testLease.Nanoseconds()
	b.table.expire(b.now)
	b.expect("a lease", "b share p/1 300") // p/2 stays a's
	b.now *= 2
	b.table.expire(b.now)
	b.expect("b lease")
}

func TestMalformedMessagesAreRefusedWhole(t *testing.T) {
	bad := share("p/2", 0)
	short := share("p/2", 1)
	short.Endpoints[0].Destinations[0] = []byte{1, 2, 3}
	nameless := share("", 1)
	absurd := share("p/2", 1)
	absurd.Endpoints[0].FloorBitsPerSecond = proto.Uint64(1 << 60)
	shortReached := share("p/2", 1)
	shortReached.Reached = [][]byte{{10, 0, 0, 1}, {1}}
	notANumber := share("p/2", 1)
	notANumber.ActiveWeight = math.NaN()
	negativeLoan := share("p/2", 1)
	negativeLoan.LentPart = -0.1
	noPart := share("p/2", 1)
	noPart.Endpoints[0].PairPart = math.Inf(1)
	noCapacity := share("p/2", 1)
	noCapacity.CapacityBitsPerSecond = 0
	policy := func(p ...*pb.EndpointPolicy) *pb.ControllerMessage {
		m := message("a", 1, 1)
		m.Body = &pb.ControllerMessage_Policies{Policies: &pb.EndpointPolicies{Endpoints: p}}
		return m
	}
	setting := func(s *pb.HostSettings) *pb.ControllerMessage {
		m := message("a", 1, 1)
		m.Body = &pb.ControllerMessage_Settings{Settings: s}
		return m
	}
	nan := notice("a", 1, 1, "p/1")
	nan.GetNotices().Notices[0].Marks = math.NaN()
	capacity := notice("a", 1, 1, "p/1")
	capacity.GetNotices().Notices[0].CapacityBitsPerSecond = 0
	period := notice("a", 1, 1, "p/1")
	period.GetNotices().Notices[0].PeriodNanos = math.MaxUint64
	keyless := message("a", 1, 1)
	keyless.Body = &pb.ControllerMessage_PeerAuthority{PeerAuthority: &pb.PeerAuthority{}}
	ofAnother := certificatesMessage(4, signatureLength)
	ofAnother.GetPeerCertificates().PeerPublicKey = []byte{1}
	shortNoticeKey := message("a", 1, 1)
	shortNoticeKey.Body = &pb.ControllerMessage_NoticeKey{NoticeKey: &pb.NoticeKey{Key: []byte{1}}}
	packets := notice("a", 1, 1, "p/1")
	packets.GetNotices().Notices[0].Packets = -1
	longLease := message("a", 1, 1)
	longLease.LeaseMillis = 1 << 30
	const byLink = pb.HostSettings_NOTICE_TRANSPORT_LINK
	for _, c := range []struct {
		message *pb.ControllerMessage
		names   string
	}{
		{shares("a", 1, 1, share("p/1", 1), bad), "shares[1].unit_share_bits_per_second"},
		{shares("a", 1, 1, share("p/1", 1), short), "shares[1].endpoints[0].destinations[0]"},
		{shares("a", 1, 1, share("p/1", 1), absurd), "shares[1].endpoints[0].floor_bits_per_second"},
		{shares("a", 1, 1, share("p/1", 1), shortReached), "shares[1].reached[1]"},
		{shares("a", 1, 1, nameless), "shares[0].port"},
		{shares("a", 1, 1, notANumber), "shares[0].active_weight"},
		{shares("a", 1, 1, noCapacity), "shares[0].capacity_bits_per_second"},
		{shares("a", 1, 1, negativeLoan), "shares[0].lent_part"},
		{shares("a", 1, 1, noPart), "shares[0].endpoints[0].pair_part"},
		{policy(&pb.EndpointPolicy{Interface: "vm0"}), "endpoints[0].weight"},
		{policy(&pb.EndpointPolicy{Interface: "vm0", Weight: math.Inf(1)}), "endpoints[0].weight"},
		{policy(&pb.EndpointPolicy{Weight: 1}), "endpoints[0].interface"},
		{policy(&pb.EndpointPolicy{Interface: "vm0", Weight: 1}, &pb.EndpointPolicy{Interface: "vm0", Weight: 1}), "twice"},
		{policy(&pb.EndpointPolicy{Interface: "vm0", Weight: 1, CeilingBitsPerSecond: 1 << 60}), "ceiling"},
		{policy(&pb.EndpointPolicy{Interface: "vm0", Weight: 1, RefusedIps: [][]byte{{1}}}), "endpoints[0].refused_ips[0]"},
		{setting(&pb.HostSettings{ControlPeriodMicros: 5000}), "law"},
		{setting(&pb.HostSettings{Law: pb.HostSettings_LAW_SDN_GCC, NoticeTransport: byLink}), "control_period_micros"},
		{setting(&pb.HostSettings{Law: pb.HostSettings_LAW_SDN_GCC, NoticeTransport: byLink, ControlPeriodMicros: 1, TauMicros: 1}), "tau_micros"},
		{nan, "notices[0].marks"},
		{capacity, "notices[0].capacity_bits_per_second"},
		{period, "notices[0].period_nanos"},
		{packets, "notices[0].packets"},
		{keyless, "peer_authority.keys"},
		{authorityMessage(7, pointLength-1), "peer_authority.keys[0].public_key"},
		{authorityMessage(6, pointLength), "peer_authority.keys[1].key_id"},
		{ofAnother, "peer_certificates.peer_public_key"},
		{certificatesMessage(5, signatureLength), "peer_certificates.certificates[0].ip"},
		{certificatesMessage(4, 63), "peer_certificates.certificates[0].signature"},
		{shortNoticeKey, "notice_key.key"},
		{setting(&pb.HostSettings{Law: pb.HostSettings_LAW_SDN_GCC, NoticeTransport: 9}), "notice_transport"},
		{setting(&pb.HostSettings{Law: pb.HostSettings_LAW_SDN_GCC}), "notice_transport"},
		{longLease, "lease_millis"},
		{message("", 1, 1), "node"},
		{message("a", 1, 1), "body"},
	} {
		b := newTableTest(t)
		_, err := b.table.receive(0, c.message)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%v: error %v, want it to name %s", c.message, err, c.names)
		}
		b.expect()
	}
}

// A node's keys are applied in order, and the end of its lease is reported.
func TestNoticeKeysApplyInOrderAndExpireWithTheLease(t *testing.T) {
	b := newTableTest(t)
	key := func(term, sequence uint64, id uint32) *pb.ControllerMessage {
		m := message("a", term, sequence)
		m.Body = &pb.ControllerMessage_NoticeKey{NoticeKey: &pb.NoticeKey{KeyId: id, Key: make([]byte, 32)}}
		return m
	}
	b.receive(key(1, 1, 7), 0, "a notice key 7")
	b.receive(key(1, 3, 8), 0, "a notice key 8")
	b.receive(key(1, 2, 6), 1)
	b.now += testLease.Nanoseconds()
	if expired := b.table.expire(b.now); len(expired) != 1 {
		t.Errorf("expired %v", expired)
	}
	b.expect("a lease")
}

func TestNoticeSettingsAreDecoded(t *testing.T) {
	for transport, want := range map[pb.HostSettings_NoticeTransport]model.NoticeTransport{
		pb.HostSettings_NOTICE_TRANSPORT_LINK:            model.NoticesByLink,
		pb.HostSettings_NOTICE_TRANSPORT_IN_BAND_V1:      model.NoticesInBandV1,
		pb.HostSettings_NOTICE_TRANSPORT_IN_BAND_SDN_GCC: model.NoticesInBandSdnGcc,
	} {
		alone := transport != pb.HostSettings_NOTICE_TRANSPORT_LINK
		got, err := settingsOf(&pb.HostSettings{
			Law: pb.HostSettings_LAW_SDN_GCC, ControlPeriodMicros: 5000, NoticeTransport: transport, NoticesAlone: alone,
		})
		if err != nil || got.NoticeTransport != want || got.NoticesAlone != alone {
			t.Errorf("%v: %+v, %v", transport, got, err)
		}
	}
	message := notice("a", 1, 1, "p/1").GetNotices()
	message.Notices[0].Packets = 12.5
	if got, err := noticesOf(message); err != nil || got[0].Packets != 12.5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSharesAreDecoded(t *testing.T) {
	got, err := sharesOf(&pb.UnitShares{Shares: []*pb.UnitShare{share("p/1", 7)}})
	if err != nil {
		t.Fatal(err)
	}
	want := netip.MustParseAddr("10.0.0.5")
	if len(got) != 1 || got[0].CapacityBitsPerSecond != 50_000_000 || got[0].ActiveWeight != 4 ||
		got[0].Endpoints[0].Interface != "vm0" || got[0].Endpoints[0].Destinations[0] != want {
		t.Errorf("got %+v", got)
	}
}

// A host may only be reached through a port, without sending through it.
func TestReachedAddressesAreDecoded(t *testing.T) {
	message := share("p/1", 7)
	message.Endpoints = nil
	message.Reached = [][]byte{{10, 0, 0, 1}, netip.MustParseAddr("fd00::1").AsSlice()}
	got, err := sharesOf(&pb.UnitShares{Shares: []*pb.UnitShare{message}})
	want := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}
	if err != nil || len(got[0].Endpoints) != 0 || !slices.Equal(got[0].Reached, want) {
		t.Errorf("got %+v, %v, want %v reached", got, err, want)
	}
}

// A floor of 0: there is none. No floor: the controller has none computed.
func TestLoansAndPartsAreDecoded(t *testing.T) {
	message := share("p/1", 7)
	message.LentPart = 1.5
	message.EqualCost = true
	message.Endpoints[0].PairPart = 0.25
	got, err := sharesOf(&pb.UnitShares{Shares: []*pb.UnitShare{message}})
	if err != nil || got[0].LentPart != 1.5 || !got[0].EqualCost || got[0].Endpoints[0].Terms.PairPart != 0.25 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWaitingIsEncoded(t *testing.T) {
	message := observationOf(observed(model.PairSample{Pair: pairOf(1)}, model.PairSample{Pair: pairOf(2), Waits: true}))
	if message.Pairs[0].Waits || !message.Pairs[1].Waits {
		t.Errorf("sent %v, want that the second alone waits", message.Pairs)
	}
}

func TestFloorsAreDecoded(t *testing.T) {
	for _, c := range []struct {
		sent *uint64
		want model.Floor
	}{
		{nil, model.Floor{}},
		{proto.Uint64(0), model.Floor{Known: true}},
		{proto.Uint64(8_000_000), model.Floor{Known: true, BitsPerSecond: 8_000_000}},
	} {
		message := share("p/1", 7)
		message.Endpoints[0].FloorBitsPerSecond = c.sent
		got, err := sharesOf(&pb.UnitShares{Shares: []*pb.UnitShare{message}})
		if err != nil || got[0].Endpoints[0].Terms.Floor != c.want {
			t.Errorf("sent %v: got %+v, %v", c.sent, got, err)
		}
	}
}
