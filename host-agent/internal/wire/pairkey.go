// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"slices"
)

// PublicKeyLength is the length of an agent's public key (X25519, RFC 7748), in bytes.
const PublicKeyLength = 32

// PublicKey is an agent's, new at each of its starts.
type PublicKey [PublicKeyLength]byte

const (
	authenticatorLength = 16
	pairKeyLength       = 32
	pairKeyDomain       = "sluice peer messages 1"
)

// pairKey authenticates the messages between two agents, in both directions. They alone can derive it.
type pairKey struct {
	// id is in every message that the key signs.
	id uint32
	// epoch distinguishes the key from others that this agent has had with an address.
	epoch uint64
	mac   hash.Hash
	uses  int // of peers that have it
}

// derive makes the key between an agent and another one; or itself, for what passes the network between two of
// its endpoints.
func derive(private *ecdh.PrivateKey, other PublicKey) (*pairKey, error) {
	public, err := ecdh.X25519().NewPublicKey(other[:])
	if err != nil {
		return nil, err
	}
	secret, err := private.ECDH(public) // fails for points of low order: the secret would be known
	if err != nil {
		return nil, err
	}
	both := [][]byte{private.PublicKey().Bytes(), other[:]}
	slices.SortFunc(both, bytes.Compare)
	info := pairKeyDomain + string(both[0]) + string(both[1])
	derived, err := hkdf.Key(sha256.New, secret, nil, info, pairKeyLength+4+8)
	if err != nil {
		return nil, err
	}
	return &pairKey{
		mac:   hmac.New(sha256.New, derived[:pairKeyLength]),
		id:    binary.BigEndian.Uint32(derived[pairKeyLength:]),
		epoch: max(binary.BigEndian.Uint64(derived[pairKeyLength+4:]), 1), // 0 is unsigned
	}, nil
}

// authenticate returns the authenticator of a message; the result is valid until the next call.
func (k *Keyring) authenticate(with *pairKey, protocol uint8, from, to netip.Addr, message []byte) []byte {
	source, destination := from.As16(), to.As16()
	k.scratch[0] = protocol
	copy(k.scratch[1:], source[:])
	copy(k.scratch[17:], destination[:])
	copy(k.scratch[33:], message[:signedLength])
	with.mac.Reset()
	with.mac.Write(k.scratch[:])
	return with.mac.Sum(k.sum[:0])[:authenticatorLength]
}
