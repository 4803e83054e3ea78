// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// group is one unit of control: a class with its two leaves. The laws number their groups from 0;
// class n+1 is the laws' group n, class 0 is for destinations behind no congested port.
type group struct {
	port model.Port
	// limit is what the class holds now, in bit/s.
	limit uint64
	// learnt from a destination's agent: the controller has not told of the port.
	learnt bool
	// ceShare is F of the last interval with feedback.
	ceShare float64
	// queueing is how long packets stand in the queues of congested ports on their way.
	queueing time.Duration
	// offered is what had been offered to the class at the last look.
	offered uint64
	// backlogged says that the class held packets at the last look.
	backlogged bool
	// policed is how many packets had been dropped for want of tokens at the last look, policedBefore
	// when the group began.
	policed, policedBefore uint64
	// vacantSince is when the laws gave the group up; 0 while they use it.
	vacantSince int64
}

const (
	// limitTolerance: a limit may be off by one part in so many before the class is changed.
	limitTolerance = 100
	// vacancyNanos: an unused class is kept so long, for its packets to leave and its port to
	// return.
	vacancyNanos = int64(time.Second)
)

// isDue says whether a limit is to be put into force: when it has moved enough, and at the first
// marks after an interval without any, however small the answer to them is.
func (g *group) isDue(limit uint64, ceShare float64) bool {
	return !near(g.limit, limit) || (ceShare > 0 && g.ceShare == 0 && limit != g.limit)
}

// near says that changing from have to want is not worth a message.
func near(have, want uint64) bool {
	difference := max(have, want) - min(have, want)
	return difference*limitTolerance <= have
}

// runLaws ends an interval and puts what the laws say into force.
func (e *endpoint) runLaws(nowNanos int64) error {
	backlogged, err := e.backlog()
	if err != nil {
		return err
	}
	e.laws.Step(nowNanos, backlogged)
	if e.destinationsChanged {
		e.destinationsChanged = false
		if err := e.placeAll(); err != nil {
			return err
		}
	}
	for i := range htb.MaxGroups {
		state, used := e.laws.Group(i)
		if used && !state.Asleep {
			e.agent.pacer.Active(nowNanos)
			err = e.occupy(i+1, state)
		} else {
			err = e.vacate(i+1, nowNanos)
		}
		if err != nil {
			return err
		}
	}
	e.clampWindows(nowNanos)
	return nil
}

// backlog says which of the laws' groups hold packets, or have dropped some for want of tokens: which
// would send more. Only groups with news are looked at: a look is a message to the kernel.
func (e *endpoint) backlog() (mask uint8, err error) {
	for slot := 1; slot < len(e.groups); slot++ {
		g := e.groups[slot]
		if g == nil || g.vacantSince != 0 {
			continue
		}
		if e.policed() {
			if dropped := e.agent.shim.PolicedGroupPackets(e.index, slot); dropped != g.policed {
				g.policed = dropped
				mask |= 1 << (slot - 1)
			}
			continue
		}
		offered := e.agent.shim.Offered(e.index, slot).Bytes
		if offered == g.offered && !g.backlogged {
			continue
		}
		g.offered = offered
		bulk, err := e.agent.tree.Bulk(e.index, slot)
		if err != nil {
			return 0, err
		}
		g.backlogged = bulk.BacklogPackets > 0
		if g.backlogged {
			mask |= 1 << (slot - 1)
		}
	}
	return mask, nil
}

// occupy gives a group of the laws its class and limit.
func (e *endpoint) occupy(slot int, state law.GroupState) error {
	limit := min(state.LimitBitsPerSecond, e.ceiling())
	g := e.groups[slot]
	if g == nil {
		if err := e.agent.tree.AddGroup(e.index, slot, e.classRate(limit)); err != nil {
			return fmt.Errorf("%s: %w", e.Interface, err)
		}
		policed := e.agent.shim.PolicedGroupPackets(e.index, slot)
		g = &group{policed: policed, policedBefore: policed}
		e.groups[slot] = g
	}
	taken := g.port != state.Port || g.vacantSince != 0 || g.limit == 0
	due := taken || g.isDue(limit, state.CEShare)
	g.port, g.learnt, g.ceShare, g.vacantSince = state.Port, state.Learnt, state.CEShare, 0
	g.queueing = state.Queueing
	if !due {
		return nil
	}
	if err := e.setGroup(slot, limit); err != nil {
		return err
	}
	if err := e.agent.trace.ClassChange(clock.Nanos(), e.Endpoint, g.port, limit); err != nil {
		return err
	}
	if taken {
		return e.placeAll()
	}
	return nil
}

// vacate lifts the limit of a group that the laws do not use, and in the end deletes its class.
func (e *endpoint) vacate(slot int, nowNanos int64) error {
	g := e.groups[slot]
	switch {
	case g == nil:
		return nil
	case g.vacantSince == 0:
		g.vacantSince, g.ceShare = nowNanos, 0
		if err := e.setGroup(slot, e.ceiling()); err != nil {
			return err
		}
		return e.placeAll()
	case nowNanos-g.vacantSince < vacancyNanos:
		return nil
	}
	if err := e.agent.tree.RemoveGroup(e.index, slot); err != nil {
		return fmt.Errorf("%s: %w", e.Interface, err)
	}
	e.groups[slot] = nil
	return nil
}

// place puts a destination into the group whose limit holds for it.
func (e *endpoint) place(destination netip.Addr) error {
	want := 0
	if i, governed := e.laws.Governing(destination); governed && e.groups[i+1] != nil {
		want = i + 1
	}
	have := e.placed[destination]
	if want == have {
		return nil
	}
	if err := e.agent.shim.SetDestination(e.index, destination, want); err != nil {
		return fmt.Errorf("%s: %w", e.Interface, err)
	}
	if want == 0 {
		delete(e.placed, destination)
	} else {
		e.placed[destination] = want
	}
	return nil
}

// placeAll places every destination that is, or may have to be, outside the default group.
func (e *endpoint) placeAll() error {
	for destination := range e.placed {
		if err := e.place(destination); err != nil {
			return err
		}
	}
	for _, c := range e.controls {
		for _, destination := range c.destinations {
			if err := e.place(destination); err != nil {
				return err
			}
		}
	}
	return nil
}

// setGroup changes a group's limit and what follows from it.
func (e *endpoint) setGroup(slot int, limitBitsPerSecond uint64) error {
	if !e.policed() {
		if err := e.agent.tree.SetGroup(e.index, slot, limitBitsPerSecond); err != nil {
			return fmt.Errorf("%s: %w", e.Interface, err)
		}
	}
	e.groups[slot].limit = limitBitsPerSecond
	return e.fitGroup(slot)
}

// fitGroup sizes a group's queues and its sparse share for its limit.
func (e *endpoint) fitGroup(slot int) error {
	limit := e.groups[slot].limit
	e.agent.shim.SetSparse(e.index, slot, htb.SparseOf(limit, e.agent.uplink.mtu))
	if e.policed() && slot > 0 { // the default group's limit is the endpoint's
		e.agent.shim.PoliceGroup(e.index, slot, e.police(limit))
	}
	if err := e.agent.tree.FitLeaves(e.index, slot, e.classRate(limit), e.largestFrame); err != nil {
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
	if e.policed() {
		e.agent.shim.PoliceEndpoint(e.index, e.police(e.ceiling()))
	}
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
