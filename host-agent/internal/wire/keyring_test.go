// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire/wiretest"
)

const otherFill = 0x0d

// third is another host with a certificate of its own, which knows both ends of the link and is known to both.
func (l *link) third(t testing.TB, own netip.Addr) *Keyring {
	t.Helper()
	third := ringOf(t, otherFill)
	setAuthority(t, third, l.authority)
	introduce(t, l.authority, l.encoder.Keys, third)
	introduce(t, l.authority, l.decoder.keys, third) // what both claim here is the latter's
	for _, ring := range []*Keyring{l.encoder.Keys, l.decoder.keys} {
		if err := ring.Accept(1, introductionOf(l.authority, third, own, sourceVM)); err != nil {
			t.Fatal(err)
		}
	}
	return third
}

// forge has a third host sign feedback about a pair of two others.
func (l *link) forge(t testing.TB, third *Keyring, sequence uint64) []byte {
	t.Helper()
	encoder := Encoder{Protocol: DefaultProtocol, Keys: third}
	feedback := sample(sequence)
	n, err := encoder.EncodeFeedback(l.buffer[:], &feedback, receiverMAC, sourceMAC)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(l.buffer[:n])
}

// A third host, whose certificate is as good as theirs, neither sends for the receiver of a pair nor silences
// it by a number far ahead.
func TestFeedbackOfAThirdHostIsRefused(t *testing.T) {
	l := newLink(t)
	third := l.third(t, netip.MustParseAddr("10.0.0.9"))
	begin := uint64(time.Now().UnixNano())
	l.expect(t, l.encode(t, sample(begin)), nil)
	for _, sequence := range []uint64{begin + 1, begin + 1<<62} {
		forged := l.forge(t, third, sequence)
		l.expect(t, forged, ErrUnknownKey)
		copy(forged[ethernetLength+ipv4Length+4:], l.encode(t, sample(1))[ethernetLength+ipv4Length+4:][:4]) // the true key's id
		l.expect(t, forged, ErrForged)
	}
	l.expect(t, l.encode(t, sample(begin+2)), nil)
}

// A certificate of another address is no certificate of this one.
func TestCertificatesAreOfOneAddress(t *testing.T) {
	l := newLink(t)
	third := l.third(t, netip.MustParseAddr("10.0.0.9"))
	introduction := introductionOf(l.authority, third, netip.MustParseAddr("10.0.0.9"), sourceVM)
	introduction.From = destinationVM
	if err := l.decoder.keys.Accept(1, introduction); !errors.Is(err, ErrCertificate) {
		t.Errorf("%v, want %v", err, ErrCertificate)
	}
	l.expect(t, l.encode(t, sample(1)), nil)
}

func TestEveryChangedBitOfACertificateIsRefused(t *testing.T) {
	l := newLink(t)
	fresh := ringOf(t, otherFill)
	setAuthority(t, fresh, l.authority)
	genuine := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)
	length, err := l.encoder.EncodeIntroduction(l.buffer[:], genuine, receiverMAC, sourceMAC)
	if err != nil {
		t.Fatal(err)
	}
	frame := bytes.Clone(l.buffer[:length])
	message := len(frame) - certificateLength
	unsigned := map[int]bool{} // who sends what to whom, in answer to what
	for at := 8; at < 24; at++ {
		unsigned[message+at] = true
	}
	for bit := message * 8; bit < len(frame)*8; bit++ {
		if unsigned[bit/8] {
			continue
		}
		changed := bytes.Clone(frame)
		changed[bit/8] ^= 1 << (bit % 8)
		read, err := l.decoder.DecodeFrame(1, changed)
		if err == nil {
			err = fresh.Accept(1, &read.Introduction)
		}
		if err == nil {
			t.Fatalf("accepted with byte %d changed", bit/8-message)
		}
	}
	read, err := l.decoder.DecodeFrame(1, frame)
	if err != nil || read.Kind != KindCertificate || read.Introduction != *genuine {
		t.Fatalf("%+v, %v; want %+v", read, err, genuine)
	}
	if err := fresh.Accept(1, &read.Introduction); err != nil {
		t.Error(err)
	}
	for n := message + 1; n < len(frame); n++ {
		if _, err := l.decoder.DecodeFrame(1, frame[:n]); err == nil {
			t.Errorf("accepted without its last %d bytes", len(frame)-n)
		}
	}
}

// An agent that was restarted has another key: it is accepted once it has been introduced, from its first number
// on, and what its earlier start sent is not.
func TestARestartedAgentIsAcceptedAfterItsIntroduction(t *testing.T) {
	l := newLink(t)
	l.expect(t, l.encode(t, sample(5000)), nil)
	recorded := l.encode(t, sample(5001))
	restarted := ringOf(t, otherFill)
	setAuthority(t, restarted, l.authority)
	introduce(t, l.authority, l.decoder.keys, restarted)
	l.encoder.Keys = restarted
	l.expect(t, l.encode(t, sample(10)), ErrUnknownKey)
	if err := l.decoder.keys.Accept(1, introductionOf(l.authority, restarted, destinationVM, sourceVM)); err != nil {
		t.Fatal(err)
	}
	l.expect(t, l.encode(t, sample(10)), nil) // its clock may have been set back meanwhile
	l.expect(t, l.encode(t, sample(10)), ErrReplayed)
	l.expect(t, recorded, ErrUnknownKey)
}

// Of two hosts that have a certificate for one address the one that got it later has the address: a VM has moved.
func TestTheLaterCertificateOfAnAddressHolds(t *testing.T) {
	l := newLink(t)
	before := l.encode(t, sample(5000))
	former := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)
	third := l.third(t, destinationVM)
	l.expect(t, before, ErrUnknownKey)
	if err := l.decoder.keys.Accept(1, former); !errors.Is(err, ErrOutdated) {
		t.Errorf("the former host's: %v, want %v", err, ErrOutdated)
	}
	l.expect(t, l.forge(t, third, 1), nil)

	// It moves back: what came before it left is not accepted again.
	if err := l.decoder.keys.Accept(1, introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)); err != nil {
		t.Fatal(err)
	}
	l.expect(t, before, nil) // it had never arrived
	l.expect(t, before, ErrReplayed)
	l.expect(t, l.forge(t, third, 2), ErrUnknownKey)
}

func TestRotationOfTheAuthority(t *testing.T) {
	l := newLink(t)
	first, second := l.authority, l.authority.Rotated()
	third := second.Rotated()
	receiving := l.decoder.keys
	standing := func(want CertificateState, afterNanos int64) {
		t.Helper()
		if got := receiving.CertificateState(1+afterNanos, sourceVM, destinationVM); got != want {
			t.Fatalf("standing %v, want %v", got, want)
		}
	}
	standing(Known, 0)
	setAuthority(t, receiving, second, first)
	standing(Ageing, refreshSpread.Nanoseconds())
	l.expect(t, l.encode(t, sample(1)), nil) // nothing is interrupted
	setAuthority(t, receiving, first)        // of a controller that does not know it
	if receiving.newest.id != second.Key().ID {
		t.Error("an older set of keys was taken")
	}
	setAuthority(t, l.encoder.Keys, second, first)
	if err := receiving.Accept(1, introductionOf(second, l.encoder.Keys, destinationVM, sourceVM)); err != nil {
		t.Fatal(err)
	}
	standing(Known, refreshSpread.Nanoseconds())
	l.expect(t, l.encode(t, sample(2)), nil)
	l.expect(t, l.encode(t, sample(1)), ErrReplayed) // the key between them is the same

	setAuthority(t, receiving, third, second)
	l.expect(t, l.encode(t, sample(3)), nil)
	setAuthority(t, receiving, third.Rotated(), third)
	standing(Unknown, 0)
	l.expect(t, l.encode(t, sample(4)), ErrUnknownPeer)
	if err := receiving.Accept(1, introductionOf(second, l.encoder.Keys, destinationVM, sourceVM)); !errors.Is(err, ErrUnknownAuthority) {
		t.Errorf("%v, want %v", err, ErrUnknownAuthority)
	}
}

// The cluster has lost its store, or Sluice was installed anew: nobody has the new authority's certificates yet.
func TestANewAuthorityDoesNotInterruptFeedback(t *testing.T) {
	l := newLink(t)
	former, anew := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM), wiretest.NewAuthority(t)
	for _, ring := range []*Keyring{l.encoder.Keys, l.decoder.keys} {
		setAuthority(t, ring, anew)
	}
	l.expect(t, l.encode(t, sample(1)), nil)
	if c, some := l.encoder.Keys.Own(destinationVM); !some || c != former.Certificate {
		t.Errorf("%+v, want what the former authority issued", c)
	}
	fresh := ringOf(t, otherFill) // has seen both
	setAuthority(t, fresh, l.authority)
	setAuthority(t, fresh, anew)
	if err := fresh.Accept(1, former); err != nil {
		t.Errorf("a new contact: %v", err)
	}
	later := introductionOf(anew, l.encoder.Keys, destinationVM, sourceVM)
	if later.Certificate.IssuedMillis >= former.Certificate.IssuedMillis {
		t.Fatal("the new authority's clock is to be behind")
	}
	if err := fresh.Accept(1, later); err != nil {
		t.Errorf("the new authority's: %v", err)
	}
	if err := fresh.Accept(1, former); !errors.Is(err, ErrOutdated) {
		t.Errorf("the former one's again: %v, want %v", err, ErrOutdated)
	}
}

func TestOwnCertificates(t *testing.T) {
	authority := wiretest.NewAuthority(t)
	ring := ringOf(t, encoderFill)
	if _, some := ring.Own(sourceVM); some {
		t.Error("a certificate from nobody")
	}
	setAuthority(t, ring, authority)
	ring.AddOwn(authority.Certify([32]byte{1}, sourceVM))
	if _, some := ring.Own(sourceVM); some {
		t.Error("one for an earlier start's key was taken")
	}
	earlier, later := authority.Certify(ring.PublicKey(), sourceVM), authority.Certify(ring.PublicKey(), sourceVM)
	ring.AddOwn(later)
	ring.AddOwn(earlier)
	if c, some := ring.Own(sourceVM); !some || c.IssuedMillis != later.Certificates[0].IssuedMillis {
		t.Errorf("%+v, want the later one", c)
	}
	another := wiretest.NewAuthority(t) // begins anew, with the same number, and earlier
	setAuthority(t, ring, another)
	ring.AddOwn(another.Certify(ring.PublicKey(), sourceVM))
	if c, some := ring.Own(sourceVM); !some || c.IssuedMillis != 1 {
		t.Errorf("%+v, want the other authority's", c)
	}
	setAuthority(t, ring, another.Rotated().Rotated(), another.Rotated())
	if _, some := ring.Own(sourceVM); some {
		t.Error("one whose authority's key is gone is still given out")
	}
}

func TestWrongAuthoritiesAreRefused(t *testing.T) {
	ring := ringOf(t, encoderFill)
	good := wiretest.NewAuthority(t).Key()
	for name, keys := range map[string][]model.AuthorityKey{
		"none":              {},
		"three":             {good, good, good},
		"no point":          {{ID: 1, PublicKey: bytes.Repeat([]byte{4}, 65)}},
		"a second one that": {good, {ID: 2, PublicKey: good.PublicKey[:64]}},
	} {
		if ring.SetAuthority(1, keys) == nil || !ring.Empty() {
			t.Errorf("%s: taken", name)
		}
	}
}

// What passes the network between two endpoints of one host is reported as well.
func TestAHostAcceptsItsOwnFeedback(t *testing.T) {
	l := newLink(t)
	keys := l.encoder.Keys
	for _, introduction := range []*Introduction{
		introductionOf(l.authority, keys, destinationVM, sourceVM), introductionOf(l.authority, keys, sourceVM, destinationVM),
	} {
		if err := keys.Accept(1, introduction); err != nil {
			t.Fatal(err)
		}
	}
	l.decoder = NewDecoder(DefaultProtocol, keys, false)
	frame := l.encode(t, sample(1))
	l.expect(t, frame, nil)
	l.expect(t, frame, ErrReplayed)
}

// Nobody can have a key with an agent whose public key is of low order: what they derive is known to all.
func TestKeysOfLowOrderAreRefused(t *testing.T) {
	l := newLink(t)
	for name, key := range map[string]PublicKey{"zero": {}, "one": {1}} {
		given := l.authority.Certify(key, destinationVM).Certificates[0]
		err := l.decoder.keys.Accept(1, &Introduction{From: destinationVM, To: sourceVM, Certificate: Certificate{
			AuthorityID: given.AuthorityID, IssuedMillis: given.IssuedMillis, Key: key, Signature: given.Signature,
		}})
		if !errors.Is(err, ErrCertificate) {
			t.Errorf("%s: %v, want %v", name, err, ErrCertificate)
		}
	}
	l.expect(t, l.encode(t, sample(1)), nil)
}

// What one endpoint knows costs a second one no check; what nobody uses any more is forgotten.
func TestPeersAreSharedAndForgotten(t *testing.T) {
	l := newLink(t)
	keys := l.decoder.keys
	other := netip.MustParseAddr("10.0.0.7")
	known := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)
	if err := keys.Accept(1, known); err != nil {
		t.Fatal(err)
	}
	known.To = other
	if keys.Has(known) {
		t.Error("known to an address that does not know it")
	}
	peer := keys.byAddress[destinationVM]
	if err := keys.Accept(5, known); err != nil || keys.byAddress[destinationVM] != peer || !keys.Has(known) {
		t.Errorf("not shared: %v", err)
	}
	keys.Forget(5)
	if keys.Peers() != 1 || keys.CertificateState(6, other, destinationVM) != Known || keys.CertificateState(6, sourceVM, destinationVM) != Unknown {
		t.Errorf("%d peers; what is used was forgotten, or what is not is there", keys.Peers())
	}
	keys.Forget(7)
	if keys.Peers() != 0 || len(keys.keys) != 0 {
		t.Errorf("%d peers and %d keys are left", keys.Peers(), len(keys.keys))
	}
}

// An endpoint with very many peers loses its own oldest ones.
func TestPeersAreLimited(t *testing.T) {
	l := newLink(t)
	keys := l.decoder.keys
	before := keys.Peers()
	third := ringOf(t, otherFill)
	setAuthority(t, third, l.authority)
	keys.peers = newPeers(keys, 16)
	keys.byAddress = map[netip.Addr]*peer{}
	keep := introductionOf(l.authority, third, destinationVM, sourceVM)
	if err := keys.Accept(1, keep); err != nil || before == 0 {
		t.Fatal(err)
	}
	crowd := netip.MustParseAddr("10.0.0.2")
	address := netip.MustParseAddr("10.1.0.0")
	for i := range int64(40) {
		address = address.Next()
		if err := keys.Accept(2+i, introductionOf(l.authority, third, address, crowd)); err != nil {
			t.Fatal(err)
		}
	}
	if keys.CertificateState(50, sourceVM, destinationVM) != Known || keys.CertificateState(50, crowd, address) != Known {
		t.Error("another endpoint's peer, or the newest one, made room")
	}
	if keys.Peers() > 16 || keys.Evicted() == 0 {
		t.Errorf("%d peers, %d evicted", keys.Peers(), keys.Evicted())
	}
}

// What the first message between two hosts costs the one that learns of the other.
func BenchmarkAccept(b *testing.B) {
	l := newLink(b)
	keys := l.decoder.keys
	introduction := introductionOf(l.authority, l.encoder.Keys, destinationVM, sourceVM)
	b.ReportAllocs()
	for b.Loop() {
		keys.Forget(3)
		if err := keys.Accept(2, introduction); err != nil {
			b.Fatal(err)
		}
	}
}
