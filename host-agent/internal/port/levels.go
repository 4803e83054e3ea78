// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// LevelStatus is what a level's queue holds now, and what it did since its start.
type LevelStatus struct {
	DSCP           uint8  `json:"dscp"`
	BacklogPackets uint64 `json:"backlogPackets"`
	BacklogBytes   uint64 `json:"backlogBytes"`
	SentPackets    uint64 `json:"sentPackets"`
	SentBytes      uint64 `json:"sentBytes"`
	MarkedPackets  uint64 `json:"markedPackets"`
	// OverThresholdPackets found more than the threshold in the level's queue, and room; ECT or not.
	OverThresholdPackets uint64 `json:"overThresholdPackets"`
	// DroppedPackets is the sum of the two below it.
	DroppedPackets       uint64 `json:"droppedPackets"`
	DroppedFullPackets   uint64 `json:"droppedFullPackets"`
	DroppedNotEctPackets uint64 `json:"droppedNotEctPackets"`
}

// loadForLevels has no other way than the program that reads the queue: a phantom queue knows nothing of what
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

// readLevels reads what each level did; without levels the one queue is the first.
func (p *Port) readLevels() ([]LevelStatus, error) {
	state := p.state.At(0)
	var levels [len(state.Levels)]LevelStatus
	for i := range levels {
		counters, level := &state.Levels[i], &levels[i]
		// Marks first: none may be newer than the packets over the threshold that it is one of.
		level.MarkedPackets = atomic.LoadUint64(&counters.MarkedPackets)
		level.OverThresholdPackets = atomic.LoadUint64(&counters.OverThresholdPackets)
		level.DroppedNotEctPackets = atomic.LoadUint64(&counters.DroppedNotEctPackets)
		level.DroppedFullPackets = atomic.LoadUint64(&counters.DroppedFullPackets)
	}
	queues, err := p.queueStats()
	if err != nil {
		return nil, err
	}
	for i, queue := range queues {
		level := &levels[i]
		level.BacklogPackets, level.BacklogBytes = queue.BacklogPackets, queue.BacklogBytes
		level.SentPackets, level.SentBytes = queue.SentPackets, queue.SentBytes
		level.DroppedFullPackets += queue.DroppedPackets
		level.DroppedPackets = level.DroppedFullPackets + level.DroppedNotEctPackets
	}
	return levels[:len(queues)], nil
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

func sumOf(levels []LevelStatus) LevelStatus {
	var sum LevelStatus
	for _, level := range levels {
		sum.BacklogPackets += level.BacklogPackets
		sum.BacklogBytes += level.BacklogBytes
		sum.SentPackets += level.SentPackets
		sum.SentBytes += level.SentBytes
		sum.MarkedPackets += level.MarkedPackets
		sum.OverThresholdPackets += level.OverThresholdPackets
		sum.DroppedPackets += level.DroppedPackets
		sum.DroppedFullPackets += level.DroppedFullPackets
		sum.DroppedNotEctPackets += level.DroppedNotEctPackets
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
