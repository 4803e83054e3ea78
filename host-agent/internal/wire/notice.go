// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// sdnGccNoticeLength is the whole of SDN-GCC's notice: a count of marks.
	sdnGccNoticeLength = 2
	// noticeKeyLength is the length of the key of a controller node's notices, in bytes.
	noticeKeyLength  = 32
	noticeHeadLength = 72
	flagWide         = 2
	maxListLength    = 128
)

// Notice is a controller's message in band about one endpoint of this host.
type Notice struct {
	// To is an address of the endpoint, From of one of the destinations.
	To, From netip.Addr
	// SdnGcc notices have only marks: port, period, share, capacity and destinations are unknown.
	SdnGcc bool
	// Node is the controller node that signed; empty in an SDN-GCC notice.
	Node string
	// Content lacks the interface, which To stands for.
	Content model.Notice
}

// IsNotice distinguishes a controller's notice from the messages of agents.
func IsNotice(packet []byte, protocol uint8) bool {
	_, _, message, ok := parseIP(packet, protocol)
	return ok && (len(message) == sdnGccNoticeLength || len(message) > sdnGccNoticeLength && message[1] == typeNotice)
}

// NoticeDecoder checks and decodes notices, whose keys are their nodes' own. Not safe for concurrent
// use.
type NoticeDecoder struct {
	protocol uint8
	nodes    map[string]*noticeNode
	scratch  []byte
}

// noticeNode is a controller node with a lease.
type noticeNode struct {
	newest, previous *noticeKey
	// terms are the latest ones that a notice came in.
	terms map[model.Port]uint64
}

// noticeKey is one key of a node. Sequences count the node's notices to this host under it.
type noticeKey struct {
	id     uint32
	secret [noticeKeyLength]byte
	mac    hash.Hash
	opened bool
	window window
}

// NewNoticeDecoder makes a decoder for an IP protocol number that has no keys.
func NewNoticeDecoder(protocol uint8) *NoticeDecoder {
	return &NoticeDecoder{protocol: protocol, nodes: map[string]*noticeNode{}}
}

// AddKey makes a key the newest of its node; the one before is accepted until the next. One that is
// known changes nothing; a new secret under a known id is refused.
func (d *NoticeDecoder) AddKey(node string, given model.NoticeKey) error {
	if len(given.Key) != noticeKeyLength {
		return fmt.Errorf("notice key %d of node %s: %d bytes, want %d", given.ID, node, len(given.Key), noticeKeyLength)
	}
	n := d.nodes[node]
	if n == nil {
		n = &noticeNode{terms: map[model.Port]uint64{}}
		d.nodes[node] = n
	}
	if known := n.find(given.ID); known != nil {
		if !hmac.Equal(known.secret[:], given.Key) {
			return fmt.Errorf("notice key %d of node %s: another key has this id; a rotation needs a new id", given.ID, node)
		}
		return nil
	}
	fresh := &noticeKey{id: given.ID, mac: hmac.New(sha256.New, given.Key)}
	copy(fresh.secret[:], given.Key)
	n.previous, n.newest = n.newest, fresh
	return nil
}

// Forget drops a node's keys: its lease is over, and with it what it signed.
func (d *NoticeDecoder) Forget(node string) { delete(d.nodes, node) }

func (n *noticeNode) find(id uint32) *noticeKey {
	switch {
	case n.newest != nil && n.newest.id == id:
		return n.newest
	case n.previous != nil && n.previous.id == id:
		return n.previous
	default:
		return nil
	}
}

// Decode decodes a notice from an IP packet: in the format that the controller chose, verified, never
// the same one twice, and never one of a term that is over.
func (d *NoticeDecoder) Decode(expected model.NoticeTransport, packet []byte) (Notice, error) {
	from, to, message, ok := parseIP(packet, d.protocol)
	if !ok {
		return Notice{}, ErrMalformed
	}
	if len(message) == sdnGccNoticeLength {
		if expected != model.NoticesInBandSdnGcc {
			return Notice{}, ErrTransport
		}
		marks := float64(binary.BigEndian.Uint16(message))
		return Notice{To: to, From: from, SdnGcc: true, Content: model.Notice{Marks: marks}}, nil
	}
	if expected != model.NoticesInBandV1 {
		return Notice{}, ErrTransport
	}
	return d.decodeV1(from, to, message)
}

func (d *NoticeDecoder) decodeV1(from, to netip.Addr, message []byte) (Notice, error) {
	width, ok := checkLength(message)
	switch {
	case len(message) > 0 && message[0] != version:
		return Notice{}, ErrVersion
	case !ok:
		return Notice{}, ErrMalformed
	}
	node, signer, err := d.verify(from, to, message)
	if err != nil {
		return Notice{}, err
	}
	content, ok := decodeNotice(message, width)
	if !ok {
		return Notice{}, ErrInconsistent
	}
	if !signer.accept(binary.BigEndian.Uint64(message[16:])) {
		return Notice{}, ErrReplayed
	}
	term := binary.BigEndian.Uint64(message[32:])
	if n := d.nodes[node]; term < n.terms[content.Port] {
		return Notice{}, ErrStale
	} else {
		n.terms[content.Port] = term
	}
	return Notice{To: to, From: from, Node: node, Content: content}, nil
}

// checkLength reports whether a message has the length that its fields require, and how many bytes
// an address has in it.
func checkLength(message []byte) (width int, ok bool) {
	if len(message) < noticeHeadLength+authenticatorLength || message[1] != typeNotice ||
		message[2]&^flagWide != flagSigned {
		return 0, false
	}
	width = 4
	if message[2]&flagWide != 0 {
		width = 16
	}
	list := int(message[3]) * width
	return width, list > 0 && list <= maxListLength && len(message) == noticeHeadLength+list+authenticatorLength
}

// verify finds the node that signed: ids are its own, so that several may have the same.
func (d *NoticeDecoder) verify(from, to netip.Addr, message []byte) (node string, signer *noticeKey, err error) {
	id := binary.BigEndian.Uint32(message[4:])
	signed, authenticator := message[:len(message)-authenticatorLength], message[len(message)-authenticatorLength:]
	source, destination := from.As16(), to.As16()
	d.scratch = append(append(append(d.scratch[:0], d.protocol), source[:]...), destination[:]...)
	d.scratch = append(d.scratch, signed...)
	err = ErrUnknownKey
	for name, n := range d.nodes {
		candidate := n.find(id)
		if candidate == nil {
			continue
		}
		candidate.mac.Reset()
		candidate.mac.Write(d.scratch)
		var sum [sha256.Size]byte
		if hmac.Equal(candidate.mac.Sum(sum[:0])[:authenticatorLength], authenticator) {
			return name, candidate, nil
		}
		err = ErrForged
	}
	return "", nil, err
}

func (k *noticeKey) accept(sequence uint64) bool {
	if !k.opened {
		k.opened, k.window = true, newWindow(sequence)
		return true
	}
	return k.window.accept(sequence)
}

func decodeNotice(message []byte, width int) (model.Notice, bool) {
	number := binary.BigEndian.Uint32(message[8:])
	periodMicros := binary.BigEndian.Uint32(message[12:])
	content := model.Notice{
		PeriodNanos:           int64(periodMicros) * 1000,
		Marks:                 math.Float64frombits(binary.BigEndian.Uint64(message[40:])),
		Packets:               math.Float64frombits(binary.BigEndian.Uint64(message[48:])),
		ShareBitsPerSecond:    binary.BigEndian.Uint64(message[56:]),
		CapacityBitsPerSecond: binary.BigEndian.Uint64(message[64:]),
	}
	if !isPortNumber(number) || periodMicros == 0 || periodMicros > maxPeriodMicros ||
		!isCount(content.Marks) || !isCount(content.Packets) || content.ShareBitsPerSecond > maxRateBitsPerSecond ||
		content.CapacityBitsPerSecond == 0 || content.CapacityBitsPerSecond > maxRateBitsPerSecond {
		return model.Notice{}, false
	}
	content.Port = joinPort(binary.BigEndian.Uint64(message[24:]), number)
	list := message[noticeHeadLength : len(message)-authenticatorLength]
	for at := 0; at < len(list); at += width {
		address, _ := netip.AddrFromSlice(list[at : at+width])
		if address = address.Unmap(); !unicast(address) {
			return model.Notice{}, false
		}
		content.Destinations = append(content.Destinations, address)
	}
	return content, true
}

func isCount(value float64) bool { return value >= 0 && !math.IsInf(value, 1) }
