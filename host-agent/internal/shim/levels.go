// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// maxLevels is MAX_LEVELS of bpf/state.h.
const maxLevels = 4

// Levels are by how much of it a flow has sent the DSCPs that its packets leave with; the zero value has every
// packet keep its own.
type Levels struct {
	// ThresholdBytes ascend, at most three: a flow that has sent so much goes on by the next level.
	ThresholdBytes []uint64
	// DSCPs are the levels', one more than thresholds, each in [0, 63].
	DSCPs []uint8
	// Idle: a flow that is silent for longer begins anew at the first level.
	Idle time.Duration
}

// SetLevels sets what VMs' packets leave with, and what VMs do not see. Before the programs are attached: flows
// do not change over.
func (s *Shim) SetLevels(levels Levels) {
	set := bpfLevels{Count: uint32(len(levels.DSCPs)), IdleNanos: uint64(levels.Idle.Nanoseconds())}
	for i := range set.ThresholdBytes {
		set.ThresholdBytes[i] = math.MaxUint64
	}
	copy(set.ThresholdBytes[:maxLevels-1], levels.ThresholdBytes)
	copy(set.Dscps[:], levels.DSCPs)
	for _, dscp := range levels.DSCPs {
		set.HiddenDscps |= 1 << dscp
	}
	set.HiddenDscps &^= 1 // the default one: there is nothing to hide
	s.state.At(0).Levels = set
}

// SetThresholds replaces the thresholds, as many as there are. A flow that has gone down stays there.
func (s *Shim) SetThresholds(bytes []uint64) {
	levels := &s.state.At(0).Levels
	for i, threshold := range bytes {
		atomic.StoreUint64(&levels.ThresholdBytes[i], threshold)
	}
}

// SetPriority sets what may leave by other levels than the last of what goes to a group.
func (s *Shim) SetPriority(endpoint, group int, priority htb.Police) {
	setBucket(&s.groups.At(endpoint*groupSlots+group).Priority, priority)
}

// LevelCounters are what an endpoint has sent by levels.
type LevelCounters struct {
	// SentBytes by each level.
	SentBytes [maxLevels]uint64
	// DemotedFlows went to the last level for want of priority.
	DemotedFlows uint64
	// OwnDSCPPackets had a DSCP from the VM, which was replaced.
	OwnDSCPPackets uint64
}

// Levels reads an endpoint's counters.
func (s *Shim) Levels(endpoint int) LevelCounters {
	e := s.endpoints.At(endpoint)
	counters := LevelCounters{
		DemotedFlows:   atomic.LoadUint64(&e.DemotedFlows),
		OwnDSCPPackets: atomic.LoadUint64(&e.OwnDscps),
	}
	for i := range counters.SentBytes {
		counters.SentBytes[i] = atomic.LoadUint64(&e.LevelBytes[i])
	}
	return counters
}
