// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"net/netip"
)

const (
	signatureLength = 64
	// certificateLength is that of a message of its type.
	certificateLength = 64 + signatureLength
	// certificateDomain begins what an authority signs, so that it can be taken for nothing else.
	certificateDomain = "sluice peer certificate 1"
	signedFactsLength = len(certificateDomain) + 4 + 16 + 8 + PublicKeyLength
)

// Certificate proves by an authority's signature whose an address is.
type Certificate struct {
	// AuthorityID is of the authority's key that signed.
	AuthorityID uint32
	// IssuedMillis grows with every certificate of an authority.
	IssuedMillis uint64
	// Key is of the agent whose endpoint has the address.
	Key       PublicKey
	Signature [signatureLength]byte
}

// signedFacts are what the signature of an address's certificate is over.
func (c *Certificate) signedFacts(address netip.Addr) [signedFactsLength]byte {
	var facts [signedFactsLength]byte
	ip := address.As16()
	at := copy(facts[:], certificateDomain)
	binary.BigEndian.PutUint32(facts[at:], c.AuthorityID)
	copy(facts[at+4:], ip[:])
	binary.BigEndian.PutUint64(facts[at+20:], c.IssuedMillis)
	copy(facts[at+28:], c.Key[:])
	return facts
}

// Introduction is a certificate on its way to an agent that does not have it.
type Introduction struct {
	// From is the address that it is about.
	From, To    netip.Addr
	Certificate Certificate
	// Request is a number that only the receiver of this has, and repeats with its own certificate; 0: none is
	// requested.
	Request uint64
	// Answer is the Request of the message that this answers; 0: of none.
	Answer uint64
}

// EncodeIntroduction writes the whole frame, like EncodeFeedback. It is not signed but for the certificate.
func (e *Encoder) EncodeIntroduction(buffer []byte, introduction *Introduction, from, to MAC) (int, error) {
	d, err := e.frame(buffer, typeCertificate, certificateLength, introduction.From, introduction.To, from, to)
	if err != nil {
		return 0, err
	}
	c := &introduction.Certificate
	binary.BigEndian.PutUint32(d.message[4:], c.AuthorityID)
	binary.BigEndian.PutUint64(d.message[8:], introduction.Request)
	binary.BigEndian.PutUint64(d.message[16:], introduction.Answer)
	binary.BigEndian.PutUint64(d.message[24:], c.IssuedMillis)
	copy(d.message[32:], c.Key[:])
	copy(d.message[64:], c.Signature[:])
	return d.length, nil
}

func isIntroduction(message []byte) bool {
	return len(message) == certificateLength && message[1] == typeCertificate
}

func readIntroduction(from, to netip.Addr, message []byte) (Introduction, error) {
	if message[2] != 0 || message[3] != 0 {
		return Introduction{}, ErrMalformed
	}
	return Introduction{
		From: from, To: to,
		Certificate: Certificate{
			AuthorityID:  binary.BigEndian.Uint32(message[4:]),
			IssuedMillis: binary.BigEndian.Uint64(message[24:]),
			Key:          PublicKey(message[32:64]),
			Signature:    [signatureLength]byte(message[64:]),
		},
		Request: binary.BigEndian.Uint64(message[8:]),
		Answer:  binary.BigEndian.Uint64(message[16:]),
	}, nil
}
