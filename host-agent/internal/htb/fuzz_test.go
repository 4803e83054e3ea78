// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"encoding/binary"
	"testing"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const fuzzedIfindex = 7

// netlinkMessage is one as the kernel sends it.
func netlinkMessage(kind, flags uint16, sequence uint32, payload []byte) []byte {
	message := make([]byte, unix.SizeofNlMsghdr, unix.SizeofNlMsghdr+len(payload))
	binary.NativeEndian.PutUint32(message, uint32(cap(message)))
	binary.NativeEndian.PutUint16(message[4:], kind)
	binary.NativeEndian.PutUint16(message[6:], flags)
	binary.NativeEndian.PutUint32(message[8:], sequence)
	return append(message, payload...)
}

func qdiscMessage() []byte {
	message := nl.TcMsg{Ifindex: fuzzedIfindex, Handle: Handle, Parent: rootParent}
	payload := message.Serialize()
	stats := nl.NewRtAttr(nl.TCA_STATS2, nil)
	stats.AddRtAttr(nl.TCA_STATS_BASIC, make([]byte, 12))
	stats.AddRtAttr(nl.TCA_STATS_QUEUE, make([]byte, 20))
	for _, a := range []*nl.RtAttr{kindAttribute("htb"), stats} {
		payload = append(payload, a.Serialize()...)
	}
	return payload
}

// FuzzAnswers reads datagrams as if the kernel had sent them, like the reader of a root qdisc does.
func FuzzAnswers(f *testing.F) {
	done := netlinkMessage(unix.NLMSG_DONE, 0, 1, make([]byte, 4))
	whole := netlinkMessage(unix.RTM_NEWQDISC, unix.NLM_F_MULTI, 1, qdiscMessage())
	refused := make([]byte, 4+unix.SizeofNlMsghdr)
	binary.NativeEndian.PutUint32(refused, ^uint32(1)) // -ENOENT
	words := nl.NewRtAttr(unix.NLMSGERR_ATTR_MSG, []byte("no")).Serialize()
	for _, seed := range [][]byte{
		append(append([]byte{}, whole...), done...),
		netlinkMessage(unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS, 1, append(refused, words...)),
		netlinkMessage(unix.NLMSG_ERROR, 0, 1, nil),
		netlinkMessage(unix.RTM_NEWQDISC, 0, 1, make([]byte, 3)),
		netlinkMessage(unix.RTM_NEWQDISC, 0, 1, append(qdiscMessage(), 5, 0, 1, 0, 'x')),
		netlinkMessage(unix.RTM_NEWQDISC, 0, 1, append(qdiscMessage(), 3, 0)),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		reader := answers{sequence: 1, visit: func(payload []byte) error {
			parsed, isRoot, err := parseRoot(payload, fuzzedIfindex)
			if isRoot && (err != nil || parsed.stats.Handle != parsed.handle) {
				t.Errorf("%+v, %v", parsed, err)
			}
			return err
		}}
		if err := reader.read(datagram); err != nil && reader.complete {
			t.Errorf("complete, but %v", err)
		}
	})
}
