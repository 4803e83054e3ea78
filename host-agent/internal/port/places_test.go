// SPDX-License-Identifier: Apache-2.0

package port

import (
	"encoding/binary"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// While segments are missing that a queue has dropped, what comes for the first time leaves them a quarter of it.
func TestRetransmissionsFindBufferSpace(t *testing.T) {
	w, link, _ := newLossyWireOf(t, 1)
	const kept, count = testBuffer / 4, testBuffer + 10
	losses := w.overflow(link, count)
	if len(losses) < kept {
		t.Fatalf("%d lost, want %d at least", len(losses), kept)
	}
	capture := testnet.NewCapture(t, w.right)
	sender := testnet.NewSender(t, w.left)
	newcomer := data(9999, 0, testnet.UDP)
	// arrivals sends what is new, then what was lost, and returns how many of the new and which of the lost arrive,
	// and how many left the queue, making room, until the last of the new had come.
	arrivals := func(again []model.Loss) (fresh, left int, sequences map[uint32]bool) {
		t.Helper()
		before := w.status()
		for range 2 * testBuffer {
			sender.Send(newcomer)
		}
		testnet.Until(t, "all new ones have come", func() bool {
			s := w.status()
			left = int(s.SentPackets - before.SentPackets)
			return s.ArrivedPackets == before.ArrivedPackets+2*testBuffer
		})
		for _, l := range again {
			sender.Send(data(l.Flow.SourcePort, l.Sequence, testnet.TCP))
		}
		testnet.Until(t, "the queue is empty again", func() bool {
			s := w.status()
			return s.ArrivedPackets == before.ArrivedPackets+uint64(2*testBuffer+len(again)) && s.BacklogPackets == 0
		})
		sequences = map[uint32]bool{}
		for _, frame := range capture.Waiting(func([]byte) bool { return true }) {
			switch {
			case ofTCP(frame):
				sequences[binary.BigEndian.Uint32(frame[38:])] = true
			case testnet.IPProtocol(testnet.UDP)(frame):
				fresh++
			}
		}
		return fresh, left, sequences
	}
	fresh, left, found := arrivals(losses[:kept])
	if fresh < testBuffer-kept || fresh > testBuffer-kept+left {
		t.Errorf("%d new ones found room, want the %d that are not kept, and the %d that were made", fresh, testBuffer-kept, left)
	}
	for _, l := range losses[:kept] {
		if !found[l.Sequence] {
			t.Errorf("%d found no room again", l.Sequence)
		}
	}
	for _, l := range losses[kept:] {
		sender.Send(data(l.Flow.SourcePort, l.Sequence, testnet.TCP))
	}
	w.emptied()
	if missing := w.port.state.At(0).MissingSegments; missing != 0 {
		t.Errorf("%d are missing, want none", missing)
	}
	capture.Waiting(func([]byte) bool { return true })
	if fresh, _, _ = arrivals(nil); fresh < testBuffer {
		t.Errorf("%d found room, want %d: nothing is missing any more", fresh, testBuffer)
	}
}

// A segment that never comes again, as of a connection that has ended, keeps no place for long.
func TestReservedBufferSpaceExpiresAfterASecond(t *testing.T) {
	w, link, _ := newLossyWire(t)
	w.overflow(link, 3*testBuffer)
	state := w.port.state.At(0)
	missing := state.MissingSegments
	if lost := len(link.lost()); int(missing) != lost {
		t.Errorf("%d missing, want the %d that are lost", missing, lost)
	}
	state.LossyUntilNanos = 1 // long ago
	if s := w.burst(testBuffer, testnet.NotECT); s.BacklogHistogram[testBuffer-1] == 0 {
		t.Errorf("seen %v, want a full queue", s.BacklogHistogram[:testBuffer+1])
	}
	before := len(link.lost())
	sender := testnet.NewSender(t, w.left)
	for i := range uint32(3 * testBuffer) {
		sender.Send(data(77, i, testnet.TCP))
	}
	testnet.Until(t, "losses are reported", func() bool { return len(link.lost()) > before })
	w.emptied()
	testnet.Until(t, "all are reported", func() bool { return int(state.MissingSegments) == len(link.lost())-before })
}
