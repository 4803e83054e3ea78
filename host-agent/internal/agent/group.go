// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// group is one unit of control: a class with its two leaves.
type group struct {
	endpoint *endpoint
	port     model.Port
	// limit is what the class holds now, in bit/s.
	limit uint64
	// ceShare is F of the last interval with feedback.
	ceShare float64
	// sent is what had left the class at the last look, offered what had been offered to it.
	sent    uint64
	offered uint64
	// backlogged says that the class held packets at the last look.
	backlogged bool
	// asleepSince is when the law ceased to limit it; 0 while it limits.
	asleepSince int64
}

// limitTolerance is the part of a limit by which it may be off before the class is changed.
const limitTolerance = 100 // 1 %

// near says that changing from have to want is not worth a message.
func near(have, want uint64) bool {
	difference := max(have, want) - min(have, want)
	return difference*limitTolerance <= have
}

// setGroup changes a group's limit and what follows from it.
func (e *endpoint) setGroup(slot int, limitBitsPerSecond uint64) error {
	g := e.groups[slot]
	if err := e.agent.tree.SetGroup(e.index, slot, limitBitsPerSecond); err != nil {
		return fmt.Errorf("%s: %w", e.Interface, err)
	}
	g.limit = limitBitsPerSecond
	return e.fitGroup(slot)
}

// fitGroup sizes a group's queues and its sparse share for its limit.
func (e *endpoint) fitGroup(slot int) error {
	limit := e.groups[slot].limit
	e.agent.shim.SetSparse(e.index, slot, htb.SparseOf(limit, e.agent.uplink.mtu))
	if err := e.agent.tree.FitLeaves(e.index, slot, limit, e.largestFrame); err != nil {
		return fmt.Errorf("%s: %w", e.Interface, err)
	}
	return nil
}

// watchFrames resizes the queues when the VM turns out to send larger super-packets.
func (e *endpoint) watchFrames() error {
	largest := e.agent.shim.Endpoint(e.index).LargestFrameBytes
	if largest <= e.largestFrame {
		return nil
	}
	e.largestFrame = largest
	for slot, g := range e.groups {
		if g == nil {
			continue
		}
		if err := e.fitGroup(slot); err != nil {
			return err
		}
	}
	return nil
}
