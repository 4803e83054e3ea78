// SPDX-License-Identifier: Apache-2.0

// Package wiretest stands in for the controller that certifies agents to each other. It writes down anew what
// is signed, as a controller does.
package wiretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Authority is one key pair of a controller's.
type Authority struct {
	t       testing.TB
	id      uint32
	private *ecdsa.PrivateKey
	issued  *uint64
}

// NewAuthority makes one with its first key.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	return (&Authority{t: t, issued: new(uint64)}).Rotated()
}

// Rotated is the authority with its next key.
func (a *Authority) Rotated() *Authority {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return &Authority{t: a.t, id: a.id + 1, private: private, issued: a.issued}
}

// Key is the public key.
func (a *Authority) Key() model.AuthorityKey {
	a.t.Helper()
	public, err := a.private.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	return model.AuthorityKey{ID: a.id, PublicKey: public}
}

// Certify issues certificates, later than all before, that addresses are of who has a public key.
func (a *Authority) Certify(public [32]byte, addresses ...netip.Addr) model.PeerCertificates {
	a.t.Helper()
	given := model.PeerCertificates{PublicKey: public}
	for _, address := range addresses {
		*a.issued++
		ip := address.As16()
		text := []byte("sluice peer certificate 1")
		text = binary.BigEndian.AppendUint32(text, a.id)
		text = append(text, ip[:]...)
		text = binary.BigEndian.AppendUint64(text, *a.issued)
		text = append(text, public[:]...)
		digest := sha256.Sum256(text)
		r, s, err := ecdsa.Sign(rand.Reader, a.private, digest[:])
		if err != nil {
			a.t.Fatal(err)
		}
		one := model.PeerCertificate{IP: address, AuthorityID: a.id, IssuedMillis: *a.issued}
		r.FillBytes(one.Signature[:32])
		s.FillBytes(one.Signature[32:])
		given.Certificates = append(given.Certificates, one)
	}
	return given
}
