// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire/wiretest"
)

const millisecond = int64(time.Millisecond)

// network carries messages between stations, by address. Time is virtual.
type network struct {
	t         *testing.T
	authority *wiretest.Authority
	now       int64
	stations  map[netip.Addr]*station
	waiting   [][]byte
	// loses, if set, decides which messages do not arrive.
	loses func(frame []byte) bool
	sent  int
}

func newNetwork(t *testing.T) *network {
	return &network{t: t, authority: wiretest.NewAuthority(t), now: 1, stations: map[netip.Addr]*station{}}
}

// station is what an agent has to do with others for one address.
type station struct {
	n       *network
	address netip.Addr
	keys    *wire.Keyring
	decoder *wire.Decoder
	sender  sender
	status  Status
	others  introductions
	nonces  uint64
	// partners are to whom its endpoint sends.
	partners map[netip.Addr]bool
	accepted int
	sequence uint64
}

// start starts an agent, perhaps in place of another.
func (n *network) start(address netip.Addr) *station {
	n.t.Helper()
	keys, err := wire.NewKeyring()
	if err != nil {
		n.t.Fatal(err)
	}
	s := &station{n: n, address: address, keys: keys, decoder: wire.NewDecoder(wire.DefaultProtocol, keys, false),
		partners: map[netip.Addr]bool{}}
	s.sender = sender{socket: s, encoder: wire.Encoder{Protocol: wire.DefaultProtocol, Keys: keys}, status: &s.status}
	s.others = newIntroductions(keys, &s.sender, &s.status, func() uint64 {
		s.nonces++
		return s.nonces<<32 | uint64(address.As4()[3])
	})
	n.stations[address] = s
	s.setAuthority(n.authority)
	s.certify()
	return s
}

func (s *station) setAuthority(all ...*wiretest.Authority) {
	s.n.t.Helper()
	var keys []model.AuthorityKey
	for _, one := range all {
		keys = append(keys, one.Key())
	}
	if err := s.keys.SetAuthority(s.n.now, keys); err != nil {
		s.n.t.Fatal(err)
	}
}

func (s *station) certify() { s.keys.AddOwn(s.n.authority.Certify(s.keys.PublicKey(), s.address)) }

// Send is how the station's frames leave.
func (s *station) Send(frame []byte, _ int) error {
	s.n.waiting = append(s.n.waiting, bytes.Clone(frame))
	return nil
}

func (s *station) Close() error { return nil }

func (s *station) contact(other netip.Addr) contact {
	return contact{own: s.address, other: other, path: shim.ReturnPath{Ifindex: 1}}
}

// report sends feedback, unless the other agent is not known yet.
func (s *station) report(other netip.Addr) bool {
	if !s.others.ready(s.n.now, s.contact(other)) {
		return false
	}
	s.sequence = wire.NextSequence(s.sequence, s.n.now)
	s.sender.feedback(&model.Feedback{
		Pair: model.Pair{Source: other, Destination: s.address}, Instance: 1, Sequence: s.sequence,
		PeriodNanos: millisecond, Packets: 1, Bytes: 1000,
	}, wire.MAC{}, shim.ReturnPath{Ifindex: 1})
	return true
}

// receive does what Peers.Receive does.
func (s *station) receive(frame []byte) {
	const ethernet = 14
	message, err := s.decoder.DecodeFrame(s.n.now, frame)
	switch {
	case errors.Is(err, wire.ErrUnknownPeer), errors.Is(err, wire.ErrUnknownKey):
		from, _, _ := s.decoder.Parties(frame[ethernet:])
		s.others.prompted(s.n.now, s.contact(from), s.partners[from], 0)
	case err != nil:
		s.status.Refused++
	case message.Kind == wire.KindCertificate:
		i := &message.Introduction
		s.others.received(s.n.now, s.contact(i.From), s.partners[i.From], i)
	default:
		s.accepted++
	}
}

// deliver carries what waits, and what that causes.
func (n *network) deliver() {
	for len(n.waiting) > 0 {
		frame := n.waiting[0]
		n.waiting = n.waiting[1:]
		n.sent++
		if n.sent > 10_000 {
			n.t.Fatal("messages without end")
		}
		if n.loses != nil && n.loses(frame) {
			continue
		}
		if to := n.stations[netip.AddrFrom4([4]byte(frame[30:34]))]; to != nil {
			to.receive(frame)
		}
	}
}

// until has time pass in steps of 5 ms, with a try in each.
func (n *network) until(what string, within time.Duration, try func() bool) {
	n.t.Helper()
	for end := n.now + within.Nanoseconds(); n.now < end; n.now += 5 * millisecond {
		done := try()
		n.deliver()
		if done {
			return
		}
	}
	n.t.Fatalf("not within %v: %s", within, what)
}

func TestTheFirstReportNeedsOneRoundTrip(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	if receiver.report(peerIP) {
		t.Fatal("a report to nobody known")
	}
	n.deliver()
	if !receiver.report(peerIP) {
		t.Fatal("the two do not know each other yet")
	}
	n.deliver()
	if source.accepted != 1 || source.status.Refused != 0 || receiver.status.CertificatesAccepted != 1 ||
		source.status.CertificatesAccepted != 1 {
		t.Errorf("receiver %+v, source %+v", receiver.status, source.status)
	}
	if n.sent != 4 { // the receiver's, the source's, which answers it and requests, the answer to that; the report
		t.Errorf("%d messages, want 4", n.sent)
	}
	before := n.sent
	for range 100 {
		n.now += millisecond
		receiver.report(peerIP)
		n.deliver()
	}
	if n.sent != before+100 || source.accepted != 101 {
		t.Errorf("%d messages for 100 reports, %d accepted", n.sent-before, source.accepted)
	}
}

func TestLostIntroductionsAreRepeated(t *testing.T) {
	for lost := range 3 {
		n := newNetwork(t)
		receiver, source := n.start(ownIP), n.start(peerIP)
		count := 0
		n.loses = func([]byte) bool { count++; return count == lost+1 }
		n.until("a report is accepted", time.Second, func() bool {
			receiver.report(peerIP)
			return source.accepted > 0
		})
	}
}

func TestRequestsToPeersThatDoNotAnswerBackOff(t *testing.T) {
	n := newNetwork(t)
	receiver := n.start(ownIP)
	for _, step := range []struct {
		turns, want int
	}{{70, 5}, {1130, 6}, {10_800, 7}, {24_000, 9}} { // 0.35 s, 6 s, one minute, three
		for range step.turns {
			n.now += 5 * millisecond
			receiver.report(peerIP)
			n.deliver()
		}
		if requested := receiver.status.CertificatesAsked; requested != uint64(step.want) {
			t.Errorf("requested %d times within %d ms, want %d", requested, n.now/millisecond, step.want)
		}
	}
}

func TestReportsContinueAfterARestart(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })

	source = n.start(peerIP)
	n.until("the restarted source receives it", time.Second, func() bool {
		receiver.report(peerIP)
		return source.accepted > 0
	})
	before := source.accepted
	receiver = n.start(ownIP)
	n.until("the restarted receiver is accepted", time.Second, func() bool {
		receiver.report(peerIP)
		return source.accepted > before
	})
}

// The source answered, and its answer was lost: the receiver signs with a key that is void, until it learns that.
func TestAHalfCompletedIntroductionIsRepeated(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	source = n.start(peerIP)
	certificate, _ := receiver.keys.Own(ownIP)
	if err := source.keys.Accept(n.now, &wire.Introduction{From: ownIP, To: peerIP, Certificate: certificate}); err != nil {
		t.Fatal(err)
	}
	n.until("reports are accepted", time.Second, func() bool {
		receiver.report(peerIP)
		return source.accepted > 0
	})
}

func TestReportsContinueWhenAVMMoves(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	former := receiver
	moved := n.start(ownIP) // another host's key, certified later
	n.until("the new host is accepted", time.Second, func() bool {
		moved.report(peerIP)
		return source.accepted > 1
	})
	before := source.accepted
	for range 100 {
		n.now += 5 * millisecond
		former.report(peerIP)
		n.deliver()
	}
	if source.accepted != before {
		t.Error("the former host is still accepted")
	}
	n.until("the new host still is", time.Second, func() bool {
		moved.report(peerIP)
		return source.accepted > before
	})
}

func TestAKeyRotationDoesNotInterruptReports(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	for range 4 {
		previous := n.authority
		n.authority = previous.Rotated()
		for _, s := range []*station{receiver, source} {
			s.setAuthority(n.authority, previous)
			s.certify()
		}
		reports, accepted := 0, source.accepted
		for range 800 { // 20 minutes
			n.now += int64(1500 * time.Millisecond)
			if receiver.report(peerIP) {
				reports++
			}
			n.deliver()
		}
		if reports != 800 || source.accepted != accepted+800 {
			t.Fatalf("%d reports of 800 sent, %d accepted", reports, source.accepted-accepted)
		}
		n.sent = 0
	}
	if receiver.status.CertificatesAccepted < 4 || receiver.status.CertificatesAccepted > 6 {
		t.Errorf("%d certificates for 4 rotations", receiver.status.CertificatesAccepted)
	}
}

// A peer that was cut off from controllers keeps its old certificate, which holds for another hour.
func TestAPeerWithoutNewerCertificateIsRequestedEveryTenSeconds(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	receiver.setAuthority(n.authority.Rotated(), n.authority) // the source's controller is away
	requested := receiver.status.CertificatesAsked
	n.now += (20 * time.Minute).Nanoseconds()
	for range 12_000 { // a minute
		n.now += 5 * millisecond
		if !receiver.report(peerIP) {
			t.Fatal("the certificate is valid for another hour")
		}
		n.deliver()
		n.sent = 0
	}
	if more := receiver.status.CertificatesAsked - requested; more < 5 || more > 8 {
		t.Errorf("requested %d times in a minute, want every 10 s", more)
	}
}

// Nobody can have certificates checked who does not receive what is sent to their addresses.
func TestUnsolicitedCertificatesAreNotChecked(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	impostor := n.start(otherIP)
	certificate, _ := impostor.keys.Own(otherIP)
	buffer := make([]byte, wire.MaxFrameLength)
	n.sent = 0
	for i := range 1000 {
		n.now += millisecond
		from := netip.AddrFrom4([4]byte{10, 9, byte(i >> 8), byte(i)})
		length, err := impostor.sender.encoder.EncodeIntroduction(buffer, &wire.Introduction{
			From: from, To: peerIP, Certificate: certificate, Request: 1, Answer: uint64(i),
		}, wire.MAC{}, wire.MAC{})
		if err != nil {
			t.Fatal(err)
		}
		_ = impostor.Send(buffer[:length], 1)
		n.deliver()
	}
	if source.status.CertificatesRefused != 0 || source.keys.Peers() != 1 {
		t.Errorf("%d were checked, %d peers", source.status.CertificatesRefused, source.keys.Peers())
	}
	if n.sent > 1000+requestsPerSecond/unrelatedPart+requestsAtOnce {
		t.Errorf("%d messages", n.sent)
	}
	// A flood from unrelated addresses leaves partners their budget.
	newcomer := n.start(netip.MustParseAddr("10.0.0.77"))
	source.partners[newcomer.address] = true
	if newcomer.report(peerIP); len(n.waiting) != 1 {
		t.Fatal("it requests nothing")
	}
	n.deliver()
	if !newcomer.report(peerIP) {
		t.Error("a partner is not accepted beside the flood")
	}
}

// A peer that answers with wrong certificates is requested once a second, and does not hold up others.
func TestChecksOfWrongCertificatesAreRateLimited(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.loses = func(frame []byte) bool {
		if netip.AddrFrom4([4]byte(frame[26:30])) == peerIP {
			frame[len(frame)-1] ^= 1
		}
		return false
	}
	for range 2000 { // 10 s
		n.now += 5 * millisecond
		receiver.report(peerIP)
		n.deliver()
	}
	if refused := receiver.status.CertificatesRefused; refused < 5 || refused > 12 || source.accepted != 0 {
		t.Errorf("%d certificates checked in 10 s, want one a second", refused)
	}
	n.loses = nil
	n.until("a report is accepted", 2*time.Second, func() bool {
		receiver.report(peerIP)
		return source.accepted > 0
	})
}

func TestBudgetLimitsRateAndBurst(t *testing.T) {
	b := newBudget(100, 10)
	take := func(now int64) (taken int) {
		for b.take(now) {
			taken++
		}
		return taken
	}
	for _, step := range []struct {
		now  int64
		want int
	}{{1, 10}, {10*millisecond + 1, 1}, {30*millisecond + 1, 2}, {20 * millisecond, 0}, {10_000 * millisecond, 10}} {
		if got := take(step.now); got != step.want {
			t.Errorf("at %d ns: %d, want %d", step.now, got, step.want)
		}
	}
}

func TestReportsAllocateNothing(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	n.until("a report is accepted", time.Second, func() bool { return receiver.report(peerIP) && source.accepted > 0 })
	if allocations := testing.AllocsPerRun(100, func() {
		n.now++
		if !receiver.others.ready(n.now, receiver.contact(peerIP)) {
			t.Fatal("not known any more")
		}
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// What a source sends passes the full queue that is to be reported: three of four messages are lost there.
func TestIntroductionsPassAFullQueue(t *testing.T) {
	n := newNetwork(t)
	receiver, source := n.start(ownIP), n.start(peerIP)
	count := 0
	n.loses = func(frame []byte) bool {
		if netip.AddrFrom4([4]byte(frame[26:30])) != peerIP {
			return false
		}
		count++
		return count%4 != 0
	}
	n.until("a report is accepted", 200*time.Millisecond, func() bool {
		receiver.report(peerIP)
		return source.accepted > 0
	})
}
