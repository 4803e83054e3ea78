// SPDX-License-Identifier: Apache-2.0

package port

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// stamped are segments of one flow with the options that come before their timestamp.
type stamped struct {
	source, destination netip.Addr
	padding             []byte
}

func (s stamped) frame(sequence, stamp uint32) []byte {
	option := binary.BigEndian.AppendUint32([]byte{8, 10}, stamp)
	option = append(bytes.Clone(s.padding), binary.BigEndian.AppendUint32(option, 77)...)
	return testnet.Frame{
		Source: s.source, Destination: s.destination, Protocol: testnet.TCP, SourcePort: 1000, Port: 5001,
		TCPFlags: testnet.ACK, Sequence: sequence, TCPOptions: option, PayloadBytes: 900,
	}.Build()
}

// What was lost and is sent again, by the agent or by somebody else, is older than what its receiver has had of
// the flow since: with the timestamp that it was sent with it would be dropped as an old duplicate (RFC 7323, 5).
func TestRetransmissionsCarryTheirFlowsLatestTimestamp(t *testing.T) {
	const before, later = 0xfffffff0, 0x10 // it wraps between them
	ours, theirs := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.5")
	for name, flow := range map[string]stamped{
		"IPv4":                    {ours, theirs, []byte{1, 1}},
		"IPv6":                    {netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5"), []byte{1, 1}},
		"behind other options":    {ours, theirs, []byte{2, 4, 5, 0xb4, 1, 3, 3, 7}},
		"at an odd offset":        {ours, theirs, []byte{1}},
		"behind the longest ones": {ours, theirs, append([]byte{253, 30}, make([]byte, 28)...)},
	} {
		t.Run(name, func(t *testing.T) {
			w, link, r := newLossyWire(t)
			capture := testnet.NewCapture(t, w.right)
			sender := testnet.NewSender(t, w.left)
			// expect waits for a segment, which is to be as it was sent but for its timestamp.
			expect := func(what string, sequence, stamp uint32) {
				t.Helper()
				frame := capture.Next(10*time.Second, func(frame []byte) bool {
					header, err := segment.Parse(frame)
					return err == nil && header.Sequence() == sequence
				})
				if want := flow.frame(sequence, stamp); !bytes.Equal(frame, want) {
					t.Errorf("%s:\n%x, want\n%x", what, frame, want)
				}
			}
			for i := range uint32(3 * testBuffer) {
				sender.Send(flow.frame(900*i, before))
			}
			testnet.Until(t, "losses are reported", func() bool { return len(link.lost()) > 1 })
			w.emptied()
			sender.Send(flow.frame(1_000_000, later))
			expect("a new one", 1_000_000, later)
			lost := link.lost()
			(&listener{r}).ApplyResends("node", []model.Resend{{Port: lossPort, Kept: lost[0].Kept}})
			expect("sent again by the agent", lost[0].Sequence, later)
			sender.Send(flow.frame(lost[1].Sequence, before))
			expect("sent again by somebody else", lost[1].Sequence, later)
			other := flow
			other.destination = flow.destination.Next()
			sender.Send(other.frame(1, before))
			flow = other
			expect("of a flow that has lost nothing", 1, before)
		})
	}
}

// Timestamps are not followed forever.
func TestTimestampsAreUnchangedLongAfterALoss(t *testing.T) {
	w, link, _ := newLossyWire(t)
	flow := stamped{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.5"), nil}
	sender := testnet.NewSender(t, w.left)
	for i := range uint32(3 * testBuffer) {
		sender.Send(flow.frame(900*i, 1000))
	}
	testnet.Until(t, "losses are reported", func() bool { return len(link.lost()) > 1 })
	w.emptied()
	if left := int64(w.port.state.At(0).LossyUntilNanos) - clock.Nanos(); left <= 0 || left > keptNanos {
		t.Errorf("for %v, want as long as the agent keeps what was lost", time.Duration(left))
	}
	w.port.state.At(0).LossyUntilNanos = uint64(clock.Nanos())
	capture := testnet.NewCapture(t, w.right)
	sender.Send(flow.frame(0, 999))
	if frame := capture.Next(10*time.Second, ofTCP); !bytes.Equal(frame, flow.frame(0, 999)) {
		t.Errorf("%x, want it as it was sent", frame)
	}
}
