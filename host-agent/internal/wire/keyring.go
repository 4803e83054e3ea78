// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// KeyLength is the length of a peer key in bytes.
const KeyLength = 32

const authenticatorLength = 16

// Keyring holds the keys that the controller handed out: the newest, which signs, and the one
// before, which still verifies. The zero value holds none. Not safe for concurrent use.
type Keyring struct {
	newest   *key
	previous *key
	scratch  [1 + 16 + 16 + signedLength]byte
	sum      [sha256.Size]byte
}

// key is one key at work. Its generation counts rotations of this keyring.
type key struct {
	id         uint32
	generation uint64
	secret     [KeyLength]byte
	mac        hash.Hash
}

// Add makes a key the newest. A key that is known already changes nothing; a new secret under a
// known id is refused.
func (k *Keyring) Add(peerKey model.PeerKey) error {
	if len(peerKey.Key) != KeyLength {
		return fmt.Errorf("peer key %d: %d bytes, want %d", peerKey.ID, len(peerKey.Key), KeyLength)
	}
	if known := k.find(peerKey.ID); known != nil {
		if !hmac.Equal(known.secret[:], peerKey.Key) {
			return fmt.Errorf("peer key %d: another key has this id; a rotation needs a new id", peerKey.ID)
		}
		return nil
	}
	fresh := &key{id: peerKey.ID, mac: hmac.New(sha256.New, peerKey.Key)}
	copy(fresh.secret[:], peerKey.Key)
	if k.newest != nil {
		fresh.generation = k.newest.generation + 1
	}
	k.previous, k.newest = k.newest, fresh
	return nil
}

// Empty reports that there is no key.
func (k *Keyring) Empty() bool { return k.newest == nil }

func (k *Keyring) find(id uint32) *key {
	switch {
	case k.newest != nil && k.newest.id == id:
		return k.newest
	case k.previous != nil && k.previous.id == id:
		return k.previous
	default:
		return nil
	}
}

// authenticate returns the authenticator of a message; the result is valid until the next call.
func (k *Keyring) authenticate(with *key, protocol uint8, from, to netip.Addr, message []byte) []byte {
	source, destination := from.As16(), to.As16()
	k.scratch[0] = protocol
	copy(k.scratch[1:], source[:])
	copy(k.scratch[17:], destination[:])
	copy(k.scratch[33:], message[:signedLength])
	with.mac.Reset()
	with.mac.Write(k.scratch[:])
	return with.mac.Sum(k.sum[:0])[:authenticatorLength]
}
