// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// QueueCounters are what a queue holds now, and what it did since its start.
type QueueCounters struct {
	BacklogPackets uint64 `json:"backlogPackets"`
	BacklogBytes   uint64 `json:"backlogBytes"`
	SentPackets    uint64 `json:"sentPackets"`
	SentBytes      uint64 `json:"sentBytes"`
	MarkedPackets  uint64 `json:"markedPackets"`
	// OverThresholdPackets found more than the threshold in the queue, and room; ECT or not.
	OverThresholdPackets uint64 `json:"overThresholdPackets"`
	// DroppedPackets is the sum of the two below it.
	DroppedPackets       uint64 `json:"droppedPackets"`
	DroppedFullPackets   uint64 `json:"droppedFullPackets"`
	DroppedNotEctPackets uint64 `json:"droppedNotEctPackets"`
}

// LevelStatus is a level's queue; the last's with its background queues.
type LevelStatus struct {
	DSCP uint8 `json:"dscp"`
	QueueCounters
}

// countersOf are what the program counted.
func countersOf(counted *bpfLevel) QueueCounters {
	var c QueueCounters
	c.MarkedPackets = atomic.LoadUint64(&counted.MarkedPackets)
	c.OverThresholdPackets = c.MarkedPackets + atomic.LoadUint64(&counted.OverUnmarkedPackets)
	c.DroppedNotEctPackets = atomic.LoadUint64(&counted.DroppedNotEctPackets)
	c.DroppedFullPackets = atomic.LoadUint64(&counted.DroppedFullPackets)
	return c
}

// with what the kernel's queue counted, later.
func (c QueueCounters) with(queue htb.Stats) QueueCounters {
	c.BacklogPackets, c.BacklogBytes = queue.BacklogPackets, queue.BacklogBytes
	c.SentPackets, c.SentBytes = queue.SentPackets, queue.SentBytes
	c.DroppedFullPackets += queue.DroppedPackets
	c.DroppedPackets = c.DroppedFullPackets + c.DroppedNotEctPackets
	return c
}

func (c *QueueCounters) add(other QueueCounters) {
	c.BacklogPackets += other.BacklogPackets
	c.BacklogBytes += other.BacklogBytes
	c.SentPackets += other.SentPackets
	c.SentBytes += other.SentBytes
	c.MarkedPackets += other.MarkedPackets
	c.OverThresholdPackets += other.OverThresholdPackets
	c.DroppedPackets += other.DroppedPackets
	c.DroppedFullPackets += other.DroppedFullPackets
	c.DroppedNotEctPackets += other.DroppedNotEctPackets
}

// loadForLevels has no other way than the program that reads the queue: a phantom queue has no state of what
// is served first.
func loadForLevels(objects *bpfObjects) error {
	spec, err := loadBpf()
	if err != nil {
		return fmt.Errorf("BPF programs: %w", err)
	}
	if err := spec.LoadAndAssign(objects, nil); err != nil {
		return errors.Join(errors.New("levels: this kernel does not let BPF programs read a level's queue: "+
			"remove the section levels, or use Linux 6.2 or later with BTF"), err)
	}
	return nil
}

// setLevels has the program send each DSCP to its level, and all others to the last.
func setLevels(state *bpfPort, dscps []uint8) {
	state.FirstClass = htb.FirstLevelClass
	state.LastLevel = uint32(len(dscps) - 1)
	for dscp := range state.LevelOfDscp {
		state.LevelOfDscp[dscp] = uint8(state.LastLevel)
	}
	for level, dscp := range dscps {
		state.LevelOfDscp[dscp] = uint8(level)
	}
}

// reading is what all of a port's queues did.
type reading struct {
	levels     []LevelStatus // without levels the one queue is the first
	background []BackgroundQueueStatus
}

// read reads them. What background queues did and hold is the last level's, too.
func (p *Port) read() (reading, error) {
	if p.background != nil {
		p.background.mu.Lock()
		defer p.background.mu.Unlock()
	}
	state := p.state.At(0)
	var counted [len(state.Levels)]QueueCounters
	for i := range counted {
		counted[i] = countersOf(&state.Levels[i])
	}
	queues, err := p.queueStats()
	if err != nil {
		return reading{}, err
	}
	var r reading
	for i, queue := range queues.Levels {
		r.levels = append(r.levels, LevelStatus{QueueCounters: counted[i].with(queue)})
	}
	if p.background != nil {
		last := &r.levels[len(r.levels)-1]
		last.add(p.background.retired)
		r.background = p.background.read(clock.Nanos(), queues.Background)
		for _, queue := range r.background {
			last.add(queue.QueueCounters)
		}
	}
	return r, nil
}

// named are levels as configured; nil where there is one queue.
func (p *Port) named(levels []LevelStatus) []LevelStatus {
	dscps := p.config.LevelDSCPs()
	if len(dscps) == 0 {
		return nil
	}
	for i := range levels {
		levels[i].DSCP = dscps[i]
	}
	return levels
}

func sumOf(levels []LevelStatus) QueueCounters {
	var sum QueueCounters
	for _, level := range levels {
		sum.add(level.QueueCounters)
	}
	return sum
}

// levelOf is the level that a frame waits in, as the program has it.
func (p *Port) levelOf(frame []byte) int {
	if p.config.Levels == nil {
		return 0
	}
	state := p.state.At(0)
	dscp, ok := dscpOf(frame)
	if !ok {
		return int(state.LastLevel)
	}
	return int(state.LevelOfDscp[dscp])
}

// dscpOf a frame; false: it is not IP.
func dscpOf(frame []byte) (dscp uint8, ok bool) {
	const ipv4, ipv6 = 0x0800, 0x86dd
	if len(frame) < ethernetHeaderBytes+2 {
		return 0, false
	}
	ip := frame[ethernetHeaderBytes:]
	switch uint16(frame[ethernetHeaderBytes-2])<<8 | uint16(frame[ethernetHeaderBytes-1]) {
	case ipv4:
		return ip[1] >> 2, true
	case ipv6:
		return ip[0]&15<<2 | ip[1]>>6, true
	}
	return 0, false
}

const ethernetHeaderBytes = 14
