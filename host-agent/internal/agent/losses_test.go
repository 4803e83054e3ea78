// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// hole loses the first data of a connection once, and notes when they come again.
type hole struct {
	// all that will be sent, bytes: the loss is reported when the last of them were seen.
	all        int
	mu         sync.Mutex
	seen       int
	lost       *model.Loss
	at         time.Time
	again      time.Time
	repetition int
	found      func(model.Loss)
}

func (h *hole) lose(frame []byte) bool {
	header, err := segment.Parse(frame)
	if err != nil || header.PayloadBytes() == 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	isFirst := h.lost == nil
	isAgain := !isFirst && header.Flow() == h.lost.Flow && header.Sequence() == h.lost.Sequence
	if isFirst {
		h.lost = &model.Loss{Flow: header.Flow(), Sequence: header.Sequence(), PayloadBytes: uint32(header.PayloadBytes())}
		h.at = time.Now()
	}
	if isAgain {
		h.repetition++
		if h.again.IsZero() {
			h.again = time.Now()
		}
		return false
	}
	h.seen += header.PayloadBytes()
	if h.seen == h.all && h.found != nil {
		go h.found(*h.lost)
	}
	return isFirst
}

func (h *hole) report(found func(model.Loss)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found = found
}

func (h *hole) repaired() (after time.Duration, repetitions int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.again.IsZero() {
		return 0, 0
	}
	return h.again.Sub(h.at), h.repetition
}

const longDelay = 500 * time.Millisecond // less than the second after which a SYN is sent again

// repair loses the first of eight segments and returns when it came again, what the sender counted, and
// how many duplicates its host sent; where answered, because the loss was reported to it.
func repair(t *testing.T, delay time.Duration, sack int, answered bool) (took time.Duration, tcp *unix.TCPInfo, duplicates uint64) {
	h := &hole{all: 8 * 1448}
	w := newLossy(t, delay, h, sack)
	if answered {
		h.report(func(loss model.Loss) {
			answer := model.LossAnswer{Flow: loss.Flow, Sequence: loss.Sequence, PayloadBytes: loss.PayloadBytes}
			w.agent.decisions.ApplyLossAnswers("node", []model.LossAnswer{answer})
			w.agent.decisions.ApplyLossAnswers("node", []model.LossAnswer{answer}) // not twice in a round trip
		})
	}
	connection := w.connectAtOnce()
	if _, err := connection.Write(make([]byte, h.all)); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the data are there", func() bool { return info(t, connection).Bytes_acked >= uint64(h.all) })
	took, repetitions := h.repaired()
	tcp = info(t, connection)
	duplicates = w.status().Flows.DuplicateAcknowledgements
	t.Logf("sent again after %v, %d times, %d segments in all, %d duplicates", took, repetitions, tcp.Total_retrans, duplicates)
	if answered && (repetitions != 1 || tcp.Total_retrans != 1) {
		t.Errorf("sent again %d times, %d segments in all", repetitions, tcp.Total_retrans)
	}
	return took, tcp, duplicates
}

// Where acknowledgements take long to come back, a sender is notified of a hole by its host before any of them is there.
func TestReportedLossesCauseDuplicateAcknowledgements(t *testing.T) {
	t.Parallel()
	if took, _, _ := repair(t, longDelay, 0, false); took < longDelay {
		t.Errorf("sent again after %v without an answer: this test shows nothing", took)
	}
	// A SYN-ACK is not what they repeat to the letter, so it takes one more.
	if took, _, duplicates := repair(t, longDelay, 0, true); took >= longDelay || duplicates != duplicatesAfterSYN {
		t.Errorf("sent again after %v, %d duplicates", took, duplicates)
	}
}

const duplicatesAfterSYN = 4

// With SACK nothing is claimed to have arrived before the peer has named it.
func TestOnlySackedSegmentsAreReportedAsReceived(t *testing.T) {
	t.Parallel()
	if took, _, duplicates := repair(t, longDelay, 1, true); took < longDelay || duplicates != 0 {
		t.Errorf("sent again after %v, %d duplicates", took, duplicates)
	}
}

// Once the peer has named something behind the hole the duplicates name it too.
func TestDuplicateAcknowledgementsRepeatThePeersSackBlocks(t *testing.T) {
	t.Parallel()
	const delay = 50 * time.Millisecond // so that the loss is remembered until then
	if _, tcp, duplicates := repair(t, delay, 1, true); duplicates != 3 || tcp.Ca_state != 0 {
		t.Errorf("%d duplicates, congestion state %d", duplicates, tcp.Ca_state)
	}
}

// connectAtOnce is a connection whose SYN went once: after a second one TCP sends no more than a
// segment at first, and nothing that could show a hole. On a path that was just made one may be lost.
func (w *watched) connectAtOnce() *net.TCPConn {
	w.t.Helper()
	for range 5 {
		connection := w.connect()
		if info(w.t, connection).Total_retrans == 0 {
			return connection
		}
		_ = connection.Close()
	}
	w.t.Fatal("every SYN had to be sent again")
	return nil
}

// newLossy is a watched site whose way to the far side has a hole.
func newLossy(t *testing.T, delay time.Duration, h *hole, sack int) *watched {
	host := newHost(t, func(c *config.Host) { c.Uplink.CapacityMbps = 1000 })
	s := &site{host, testnet.NewNamespace(t), testnet.NewNamespace(t), peerIP}
	testnet.WholePackets(t, host.vm)
	s.vm.Take(host.vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, ownIP.String()+"/24")
	s.vm.Do(func() error {
		return os.WriteFile("/proc/sys/net/ipv4/tcp_sack", []byte(fmt.Sprint(sack)), 0)
	})
	other, end := testnet.Veth(t, "far1", "far2")
	testnet.LossyRelay(t, host.far, other, delay, h.lose)
	testnet.WholePackets(t, end)
	s.far.Take(end, net.HardwareAddr{2, 0, 0, 0, 0, 5}, peerIP.String()+"/24")
	w := &watched{s, &observer{t: t}}
	s.runWith(w.controller.connect)
	w.settings(0)
	return w
}

// An answer that would be wrong is not given.
func TestLossesThatNeedNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWatched(t, 0)
	connection := w.connect()
	flow := flowOf(connection)
	if _, err := connection.Write(make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "all reported", func() bool {
		updates := w.controller.of(flow)
		return len(updates) > 0 && updates[len(updates)-1].DeliveredBytes == 5000
	})
	next := w.nextSequence(connection)
	updates := w.controller.of(flow)
	if got := updates[len(updates)-1].AcknowledgedSequence; got != next {
		t.Errorf("acknowledged up to %d was reported, want %d", got, next)
	}
	unknown := flow
	unknown.SourcePort++
	for name, answer := range map[string]model.LossAnswer{
		"it is there":                    {Flow: flow, Sequence: next - 5000, PayloadBytes: 1448},
		"nothing beyond it":              {Flow: flow, Sequence: next, PayloadBytes: 1448},
		"what comes before is not there": {Flow: flow, Sequence: next + 5000, PayloadBytes: 1448},
		"an unknown connection":          {Flow: unknown, Sequence: next, PayloadBytes: 1},
	} {
		w.agent.decisions.ApplyLossAnswers("node", []model.LossAnswer{answer})
		if n := w.status().Flows.DuplicateAcknowledgements; n != 0 {
			t.Errorf("%s: %d duplicates", name, n)
		}
	}
}

// slotOf is a connection's in the shim. For the engine's goroutine.
func (w *watched) slotOf(flow model.FlowID) int {
	for c := range w.agent.loop.shim.Connections() {
		if c.Flow == flow {
			return c.Slot
		}
	}
	w.t.Errorf("%s is not watched", flow)
	return 0
}

// nextSequence is what the VM sends next.
func (w *watched) nextSequence(connection net.Conn) uint32 {
	w.t.Helper()
	flow := flowOf(connection)
	next, err := engine.Call(w.agent.inbox, func() (uint32, error) {
		a, _ := w.agent.loop.shim.Acknowledgement(w.slotOf(flow))
		return binary.BigEndian.Uint32(a.Header[14+20+8:]), nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return next
}
