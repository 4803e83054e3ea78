// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/quota"
)

const (
	// maxPeers are the addresses of others that are known, counted once for each endpoint's address that has
	// one: some 100 bytes each, and 500 for each address itself.
	maxPeers = 65_536
	// refreshSpread is the time in which the certificates of peers are requested again when the authority has a
	// new key: the one before stays valid for longer.
	refreshSpread = 10 * time.Minute
)

// Keyring has an agent's own key pair, the certificates that a
// controller gave it for its endpoints' addresses, who issues certificates, and whose peers' addresses are.
// The zero value has no keys and accepts none. Not safe for concurrent use.
type Keyring struct {
	private          *ecdh.PrivateKey
	public           PublicKey
	newest, previous *authority
	// changedNanos is when the authority's keys changed last.
	changedNanos int64
	own          map[netip.Addr]ownCertificate
	// peers are by the address here; several here may have one.
	peers     *quota.Table[netip.Addr, netip.Addr, *peer]
	byAddress map[netip.Addr]*peer
	keys      map[PublicKey]*pairKey
	scratch   [1 + 16 + 16 + signedLength]byte
	sum       [sha256.Size]byte
}

// authority is one key of those that issue certificates.
type authority struct {
	id      uint32
	encoded string
	key     *ecdsa.PublicKey
}

// ownCertificate is of an address here.
type ownCertificate struct {
	Certificate
	issuer *authority
}

// peer is an address of another host's and whose it is.
type peer struct {
	address     netip.Addr
	certificate Certificate
	issuer      *authority
	key         *pairKey
	uses        int // by addresses here
	// refreshNanos is how long after a change of the authority's key the certificate is requested again.
	refreshNanos int64
}

// NewKeyring makes a key pair, and a ring without peers.
func NewKeyring() (*Keyring, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key pair for messages between agents: %w", err)
	}
	k := &Keyring{
		private: private, public: PublicKey(private.PublicKey().Bytes()),
		own: map[netip.Addr]ownCertificate{}, byAddress: map[netip.Addr]*peer{}, keys: map[PublicKey]*pairKey{},
	}
	k.peers = newPeers(k, maxPeers)
	return k, nil
}

func newPeers(of *Keyring, most int) *quota.Table[netip.Addr, netip.Addr, *peer] {
	table := quota.New[netip.Addr, netip.Addr, *peer](most)
	table.Removed = func(_, _ netip.Addr, p **peer) { of.release(*p) }
	return table
}

// PublicKey is this agent's.
func (k *Keyring) PublicKey() PublicKey { return k.public }

// Empty reports that nothing is known by which messages could be signed.
func (k *Keyring) Empty() bool { return k.newest == nil }

// SetAuthority takes the keys that issue certificates, the newest first; their certificates come after them. What
// another one issued is void; but where the authority begins anew, with one key, the newest so far stays as the one
// before, so that nothing is interrupted. A set whose newest key is the one before the newest here is of a controller
// that has not received that yet, and changes nothing.
func (k *Keyring) SetAuthority(nowNanos int64, given []model.AuthorityKey) error {
	if len(given) == 0 || len(given) > 2 {
		return fmt.Errorf("peer authority: %d keys; it has one or two", len(given))
	}
	var both [2]*authority
	for i, one := range given {
		taken, err := k.take(one)
		if err != nil {
			return fmt.Errorf("peer authority: key %d: %w", one.ID, err)
		}
		both[i] = taken
	}
	if both[0] == k.newest && (both[1] == k.previous || both[1] == nil) || both[0] == k.previous && k.previous != nil {
		return nil
	}
	if both[1] == nil {
		both[1] = k.newest
	}
	k.newest, k.previous = both[0], both[1]
	k.changedNanos = nowNanos
	for address, c := range k.own {
		if !k.isValid(c.issuer) {
			delete(k.own, address)
		}
	}
	return nil
}

func (k *Keyring) take(given model.AuthorityKey) (*authority, error) {
	for _, known := range []*authority{k.newest, k.previous} {
		if known != nil && known.id == given.ID && known.encoded == string(given.PublicKey) {
			return known, nil
		}
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), given.PublicKey)
	if err != nil {
		return nil, err
	}
	return &authority{id: given.ID, encoded: string(given.PublicKey), key: key}, nil
}

// issuers are the authority's keys, the newest first.
func (k *Keyring) issuers() [2]*authority { return [2]*authority{k.newest, k.previous} }

func (k *Keyring) isValid(issuer *authority) bool { return issuer == k.newest || issuer == k.previous }

// isLater reports whether a certificate was issued after another: by the newer key, or by the same one later.
func (k *Keyring) isLater(issuer *authority, issuedMillis uint64, than *authority, thanMillis uint64) bool {
	if issuer != than {
		return issuer == k.newest
	}
	return issuedMillis > thanMillis
}

// AddOwn takes certificates for addresses of this host. Those for another key are of an earlier start.
func (k *Keyring) AddOwn(given model.PeerCertificates) {
	if k.private == nil || PublicKey(given.PublicKey) != k.public {
		return
	}
	for _, one := range given.Certificates {
		for _, issuer := range k.issuers() {
			if issuer == nil || issuer.id != one.AuthorityID {
				continue
			}
			known, some := k.own[one.IP]
			if !some || k.isLater(issuer, one.IssuedMillis, known.issuer, known.IssuedMillis) {
				k.own[one.IP] = ownCertificate{Certificate{
					AuthorityID: one.AuthorityID, IssuedMillis: one.IssuedMillis, Key: k.public, Signature: one.Signature,
				}, issuer}
			}
			break
		}
	}
}

// Own is the certificate of an address here; false where no controller has given one.
func (k *Keyring) Own(address netip.Addr) (Certificate, bool) {
	c, some := k.own[address]
	return c.Certificate, some
}

// CertificateState is whether an address here has a certificate of another one.
type CertificateState int

// States of a peer's certificate.
const (
	// Unknown: messages between them can be neither signed nor checked.
	Unknown CertificateState = iota
	// Ageing: its certificate will not be valid for long any more.
	Ageing
	// Known for as long as the authority's keys do not change.
	Known
)

// CertificateState of a peer's address, which marks it as used: peers unused for longest are evicted first. It
// allocates nothing.
func (k *Keyring) CertificateState(nowNanos int64, own, other netip.Addr) CertificateState {
	p := k.find(own, other)
	if p == nil {
		return Unknown
	}
	k.peers.Use(own, other, nowNanos)
	if p.issuer != k.newest && nowNanos-k.changedNanos >= p.refreshNanos {
		return Ageing
	}
	return Known
}

// find is a peer with a valid certificate; nil: there is none.
func (k *Keyring) find(own, other netip.Addr) *peer {
	if k.peers == nil {
		return nil
	}
	if entry := k.peers.Find(own, other); entry != nil && k.isValid((*entry).issuer) {
		return *entry
	}
	return nil
}

// Has reports whether an introduction contains nothing new to its receiver.
func (k *Keyring) Has(introduction *Introduction) bool {
	p := k.find(introduction.To, introduction.From)
	return p != nil && p.certificate == introduction.Certificate
}

// Accept takes the certificate of an introduction, after checking it unless it is known from another address
// here. One that was issued before the one that is known is refused.
func (k *Keyring) Accept(nowNanos int64, introduction *Introduction) error {
	if k.private == nil {
		return ErrNoKey
	}
	own, other, certificate := introduction.To, introduction.From, &introduction.Certificate
	p := k.byAddress[other]
	if p == nil || !k.isValid(p.issuer) || p.certificate != *certificate {
		issuer, err := k.check(other, certificate)
		if err != nil {
			return err
		}
		if p != nil && k.isValid(p.issuer) &&
			!k.isLater(issuer, certificate.IssuedMillis, p.issuer, p.certificate.IssuedMillis) {
			return ErrOutdated
		}
		key, err := k.keyWith(certificate.Key)
		if err != nil {
			return ErrCertificate
		}
		if p == nil {
			p = &peer{address: other, refreshNanos: mathrand.Int64N(refreshSpread.Nanoseconds())}
			k.byAddress[other] = p
		}
		key.uses++
		k.drop(p)
		p.certificate, p.issuer, p.key = *certificate, issuer, key
	}
	if k.peers.Find(own, other) == nil {
		p.uses++
		k.peers.Add(own, other, nowNanos, p)
	}
	return nil
}

// check verifies a certificate, which takes some 0.1 ms. An authority that began anew may use a number again.
func (k *Keyring) check(address netip.Addr, certificate *Certificate) (*authority, error) {
	facts := certificate.signedFacts(address)
	digest := sha256.Sum256(facts[:])
	r := new(big.Int).SetBytes(certificate.Signature[:signatureLength/2])
	s := new(big.Int).SetBytes(certificate.Signature[signatureLength/2:])
	err := ErrUnknownAuthority
	for _, issuer := range k.issuers() {
		if issuer == nil || issuer.id != certificate.AuthorityID {
			continue
		}
		if ecdsa.Verify(issuer.key, digest[:], r, s) {
			return issuer, nil
		}
		err = ErrCertificate
	}
	return nil, err
}

// keyWith is the key with another agent, derived once for all of its addresses.
func (k *Keyring) keyWith(other PublicKey) (*pairKey, error) {
	if known := k.keys[other]; known != nil {
		return known, nil
	}
	key, err := derive(k.private, other)
	if err == nil {
		k.keys[other] = key
	}
	return key, err
}

// drop ends a peer's use of its key.
func (k *Keyring) drop(p *peer) {
	if p.key == nil {
		return
	}
	if p.key.uses--; p.key.uses == 0 {
		delete(k.keys, p.certificate.Key)
	}
}

// release ends the use of a peer by one address here.
func (k *Keyring) release(p *peer) {
	if p.uses--; p.uses == 0 {
		k.drop(p)
		delete(k.byAddress, p.address)
	}
}

// pair is the key between two addresses; nil: there is none. It allocates nothing.
func (k *Keyring) pair(own, other netip.Addr) *pairKey {
	if p := k.find(own, other); p != nil {
		return p.key
	}
	return nil
}

// Peers is how many addresses of others are known.
func (k *Keyring) Peers() int { return len(k.byAddress) }

// Evicted is how many addresses of others had to make room for others, each counted for the endpoint's
// address that had it.
func (k *Keyring) Evicted() uint64 {
	if k.peers == nil {
		return 0
	}
	return k.peers.Evicted()
}

// Forget drops what was of no use since the given time.
func (k *Keyring) Forget(beforeNanos int64) {
	if k.peers != nil {
		k.peers.Forget(beforeNanos)
	}
}
