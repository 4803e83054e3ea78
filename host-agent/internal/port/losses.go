// SPDX-License-Identifier: Apache-2.0

package port

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
)

const (
	// keptNanos after it was dropped a packet is sent again no more: KEPT_NANOS of bpf/port.c.
	keptNanos = int64(time.Second)
	// maxKept packets, of at most maxFrameBytes each; the oldest go.
	maxKept       = 1024
	maxFrameBytes = 2048 // KEPT_BYTES of bpf/port.c
	// maxBatch losses are reported at once.
	maxBatch = 256
	// mostSpacePause and leastSpacePause between two checks for room in the queue.
	mostSpacePause, leastSpacePause = 500 * time.Microsecond, 50 * time.Microsecond

	// leastPatience is far less than senders' timers (Linux: 200 ms) and far more than a round trip: what is sent
	// again into a queue above its threshold displaces what senders send.
	leastPatience = 50 * time.Millisecond

	lossHeadBytes  = 16 // of struct loss_event
	fullFrameBytes = 1514
)

// losses are the packets that a port's queue had no room for: kept for a while, to be sent again.
type losses struct {
	port   *Port
	reader *ringbuf.Reader
	socket rawframe.Socket
	log    *slog.Logger
	// sendsFrames: controllers get what was dropped itself.
	sendsFrames atomic.Bool

	mu    sync.Mutex
	last  uint64
	kept  map[uint64]keptFrame
	order []uint64   // of kept, the oldest first
	due   []dueFrame // to be sent again
	wake  chan struct{}

	LossStatus
}

type keptFrame struct {
	nanos int64
	flow  model.FlowID
	frame []byte
}

// dueFrame is a kept frame that is to be sent again.
type dueFrame struct {
	kept uint64
	// sinceNanos it waits for room: since it was dropped, or since another one of its flow was sent.
	sinceNanos int64
}

// LossStatus counts what became of packets that found the queue full, while controllers have them reported.
type LossStatus struct {
	ReportedLosses uint64 `json:"reportedLosses"`
	ResentPackets  uint64 `json:"resentPackets"`
}

// openLosses makes what reads and sends; in the network namespace of the calling thread.
func openLosses(p *Port) (*losses, error) {
	reader, err := ringbuf.NewReader(p.objects.Losses)
	if err != nil {
		return nil, fmt.Errorf("ring of losses: %w", err)
	}
	socket, err := rawframe.Open()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("socket towards the queue: %w", err), reader.Close())
	}
	return &losses{port: p, reader: reader, socket: socket, kept: map[uint64]keptFrame{}, wake: make(chan struct{}, 1)}, nil
}

func (l *losses) close() error { return errors.Join(l.reader.Close(), l.socket.Close()) }

// SetReportLosses has the program drop what finds the queue full, and report it; or leaves that to the queue.
// False where the program cannot see the queue.
func (p *Port) SetReportLosses(on bool) bool {
	if p.source != BacklogFromQdisc {
		return false
	}
	var value uint32
	if on {
		value = 1
	}
	atomic.StoreUint32(&p.state.At(0).ReportsLosses, value)
	return true
}

// read reports losses until the ring is closed.
func (l *losses) read(report func([]model.Loss)) {
	var record ringbuf.Record
	var batch []model.Loss
	for {
		if err := l.reader.ReadInto(&record); err != nil {
			return
		}
		if loss, ok := l.take(record.RawSample); ok {
			batch = append(batch, loss)
		}
		if len(batch) == maxBatch || len(batch) > 0 && l.reader.AvailableBytes() == 0 {
			report(batch)
			batch = nil
		}
	}
}

// take keeps a packet and returns what was lost. Segments without payload are not reported. Those that
// open a connection are sent again without a controller's request: their sender would wait for a second.
func (l *losses) take(raw []byte) (model.Loss, bool) {
	if len(raw) < lossHeadBytes {
		return model.Loss{}, false
	}
	nanos := int64(binary.NativeEndian.Uint64(raw))
	bytes, captured := binary.NativeEndian.Uint32(raw[8:]), binary.NativeEndian.Uint32(raw[12:])
	frame := raw[lossHeadBytes:]
	if int(captured) > len(frame) || captured > bytes {
		return model.Loss{}, false
	}
	frame = frame[:captured]
	header, err := segment.Parse(frame)
	if err != nil || header.PayloadBytes() == 0 && !header.IsSYN() {
		return model.Loss{}, false
	}
	loss := model.Loss{
		Port: model.Port(l.port.config.Port), Flow: header.Flow(),
		Sequence: header.Sequence(), PayloadBytes: uint32(header.PayloadBytes()),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if captured == bytes {
		one := keptFrame{nanos, loss.Flow, slices.Clone(frame)}
		loss.Kept = l.keep(one)
		if l.sendsFrames.Load() {
			loss.Frame = one.frame
		}
	}
	if header.IsSYN() {
		l.due = append(l.due, dueFrame{loss.Kept, nanos})
		l.notify()
		return model.Loss{}, false
	}
	l.ReportedLosses++
	return loss, true
}

// notify has send check what is due.
func (l *losses) notify() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// keep is called with the lock held.
func (l *losses) keep(one keptFrame) uint64 {
	l.forget(one.nanos)
	if len(l.order) >= maxKept {
		delete(l.kept, l.order[0])
		l.order = l.order[1:]
	}
	segment.Complete(one.frame)
	l.last++
	l.kept[l.last] = one
	l.order = append(l.order, l.last)
	return l.last
}

// forget drops what is too old; the lock is held.
func (l *losses) forget(nowNanos int64) {
	for len(l.order) > 0 {
		oldest, held := l.kept[l.order[0]]
		if held && nowNanos-oldest.nanos < keptNanos {
			return
		}
		delete(l.kept, l.order[0])
		l.order = l.order[1:]
	}
}

// resend has kept packets sent again when there is room.
func (l *losses) resend(resends []model.Resend) {
	l.mu.Lock()
	for _, r := range resends {
		isDue := slices.ContainsFunc(l.due, func(one dueFrame) bool { return one.kept == r.Kept })
		if one, held := l.kept[r.Kept]; held && string(r.Port) == l.port.config.Port && !isDue {
			l.due = append(l.due, dueFrame{r.Kept, one.nanos})
		}
	}
	l.mu.Unlock()
	l.notify()
}

// send sends what is due whenever there is room for it, until done.
func (l *losses) send(done <-chan struct{}) {
	spacePause := l.port.drainTime(l.port.config.CountThresholdPackets()) / 4
	spacePause = max(leastSpacePause, min(spacePause, mostSpacePause))
	for {
		pause := (<-chan time.Time)(nil)
		if l.sendDue(clock.Nanos()) > 0 {
			pause = time.After(spacePause)
		}
		select {
		case <-done:
			return
		case <-l.wake:
		case <-pause:
		}
	}
}

// drainTime is how long the port takes for so many full frames.
func (p *Port) drainTime(packets int) time.Duration {
	bits := float64(packets * fullFrameBytes * 8)
	return time.Duration(bits / float64(p.config.CapacityBitsPerSecond()) * float64(time.Second))
}

// resendPatience is how long a packet waits for the queue to be below its threshold.
func (p *Port) resendPatience() time.Duration {
	return max(p.drainTime(p.config.BufferPackets), leastPatience)
}

// sendDue sends what there is room for below the threshold, one of each flow at a time, and returns how
// many are left. What has waited for long needs but room in the queue: where senders keep the queue above
// the threshold it would else wait until their timers expire.
func (l *losses) sendDue(nowNanos int64) (left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(nowNanos)
	l.due = slices.DeleteFunc(l.due, func(one dueFrame) bool { _, held := l.kept[one.kept]; return !held })
	if len(l.due) == 0 {
		return 0
	}
	queues, err := l.port.queueStats()
	if err != nil {
		l.log.Error("cannot read the queue", "port", l.port.config.Port, "error", err)
		return len(l.due)
	}
	backlogs := make([]int, 0, len(queues.Levels)+len(queues.Background))
	for _, queue := range slices.Concat(queues.Levels, queues.Background) {
		backlogs = append(backlogs, int(queue.BacklogPackets))
	}
	egress := int(l.port.state.At(0).EgressIfindex)
	threshold, buffer := l.port.config.CountThresholdPackets(), l.port.config.BufferPackets
	patience := l.port.resendPatience().Nanoseconds()
	sent := map[model.FlowID]bool{}
	waiting := l.due[:0]
	for _, due := range l.due {
		one := l.kept[due.kept]
		if sent[one.flow] {
			due.sinceNanos = nowNanos
			waiting = append(waiting, due)
			continue
		}
		queue, room := l.port.queueOf(one), threshold
		if nowNanos-due.sinceNanos >= patience {
			room = buffer
		}
		if backlogs[queue] >= room {
			waiting = append(waiting, due)
			continue
		}
		backlogs[queue]++
		sent[one.flow] = true
		delete(l.kept, due.kept)
		if err := l.socket.Send(one.frame, egress); err != nil && !errors.Is(err, unix.ENOBUFS) {
			l.log.Error("cannot retransmit a packet", "port", l.port.config.Port, "error", err)
			continue
		}
		l.ResentPackets++
	}
	l.due = waiting
	return len(l.due)
}

// queueOf is the queue that a packet sent again waits in: those of levels come first, then background queues.
func (p *Port) queueOf(one keptFrame) int {
	level := p.levelOf(one.frame)
	if p.background == nil || level != int(p.state.At(0).LastLevel) {
		return level
	}
	if queue := p.background.queueOf(one.flow.Destination); queue < ownQueue {
		return level + 1 + queue
	}
	return level
}

func (l *losses) status() LossStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.LossStatus
}
