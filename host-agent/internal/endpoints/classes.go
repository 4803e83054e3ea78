// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/uplink"
)

// classes hold an endpoint's limits in the kernel.
type classes struct {
	host     *Host
	index    int // of the endpoint
	endpoint *model.Endpoint
	control  *Control
	limiter  limiter
	groups   [model.MaxGroups + 1]*group // 0: default
	// windows are what the shim has of each group's.
	windows [model.MaxGroups + 1]htb.Window
	// unsettled reports whether an earlier agent's limits hold still.
	unsettled func() bool
	// droppedPackets of all classes so far; of those that have been deleted, or made anew, as of the last reading.
	droppedPackets uint64
	// placed is the group of each destination outside the default one.
	placed map[netip.Addr]int
	// largestFrame is the largest frame that the leaves were sized for.
	largestFrame uint64
}

// group is one unit of control: a class with its two leaves. The laws number their groups from 0;
// class n+1 is the laws' group n, class 0 is for destinations behind no congested port.
type group struct {
	port model.Port
	// limit is what the class holds now, in bit/s.
	limit uint64
	// held: an earlier agent's limit, of a port that is not known. It stays as it is until a share takes its
	// place, or the table is settled.
	held bool
	// ceShare is F of the last interval with feedback.
	ceShare float64
	// flows that its queues are sized for; there were as many, or a quarter of them at least, at flowsAt.
	flows   int
	flowsAt int64
	// offered is what had been offered to the class when its backlog was read last.
	offered uint64
	// backlogged: the class held packets then.
	backlogged bool
	// waiting: what obeys it would send more than it may.
	waiting waiting
	// policed is how many packets had been dropped for want of tokens then, policedBefore when the group
	// began.
	policed, policedBefore uint64
	// counters as of the last reading, when readOffered had been offered to the class; quietReadings in a row
	// found the same, and no queue.
	counters      htb.GroupStats
	readOffered   uint64
	quietReadings int
	// vacantSince is when the laws gave the group up; 0 while they use it.
	vacantSince int64
	// readAt is when its queue was read last to hold flows that leave it.
	readAt int64
}

const (
	// limitTolerance: a limit may be off by one part in so many before the class is changed.
	limitTolerance = 100
	// vacancyNanos: an unused class is kept so long, for its packets to leave and its port to
	// return.
	vacancyNanos = int64(time.Second)
	// flowsEndNanos without flows a queue keeps the room for them. A new group's flows come from another one, and
	// count there until they send something.
	flowsEndNanos = int64(300 * time.Millisecond)
	// mostHold bounds how much later than its destination's a flow's group may change, whatever waits: what it
	// sends meanwhile is held to the limit before.
	mostHold = 20 * time.Millisecond
	// readAgain: destinations that leave a group together need one reading of its queue.
	readAgain = time.Millisecond
)

func newClasses(t *Table, index int, endpoint *model.Endpoint, control *Control) classes {
	c := classes{
		host: t.host, index: index, endpoint: endpoint, control: control, limiter: newLimiter(t.host),
		placed: map[netip.Addr]int{}, unsettled: func() bool { return t.unsettled },
	}
	c.groups[0] = &group{}
	return c
}

// isDue reports whether a limit is to be put into force: when it has moved enough, and at the first
// marks after an interval without any, however small the answer to them is.
func (g *group) isDue(limit uint64, ceShare float64) bool {
	return !near(g.limit, limit) || (ceShare > 0 && g.ceShare == 0 && limit != g.limit)
}

// near reports whether changing from have to want is not worth a message.
func near(have, want uint64) bool {
	difference := max(have, want) - min(have, want)
	return difference*limitTolerance <= have
}

// enforce ends an interval of the laws and puts into force what they decide.
func (c *classes) enforce(nowNanos int64, ceiling uint64) error {
	backlogged, err := c.backlog(nowNanos)
	if err != nil {
		return err
	}
	for slot, g := range c.groups[1:] {
		if g != nil {
			g.waiting.observe(backlogged&(1<<slot) != 0, nowNanos)
		}
	}
	c.control.Step(nowNanos, backlogged)
	if c.control.Regrouped() {
		if err := c.placeAll(); err != nil {
			return err
		}
	}
	for i := range model.MaxGroups {
		state, used := c.control.Group(i)
		if used && !state.Idle {
			c.host.Pacer.Active(nowNanos)
			err = c.occupy(i+1, state, nowNanos, ceiling)
		} else {
			err = c.vacate(i+1, nowNanos, ceiling)
		}
		if err != nil {
			return err
		}
	}
	c.fitWindows(nowNanos, ceiling)
	return c.fitToFlows(nowNanos)
}

// backlog is which of the laws' groups hold packets, or have dropped some for want of tokens: which
// would send more. Only groups to which something was offered are read: reading is a message to the
// kernel. The shim is given what it cannot see of the leaves that datagrams in fragments go through.
func (c *classes) backlog(nowNanos int64) (mask uint8, err error) {
	for slot, g := range c.groups {
		if g == nil || g.vacantSince != 0 {
			continue
		}
		fragments := !c.limiter.polices && c.host.Shim.SendsFragments(c.index, slot, nowNanos)
		if slot == 0 { // the laws have no such group
			if fragments {
				if _, err := c.readBacklog(slot, fragments); err != nil {
					return 0, err
				}
			}
			continue
		}
		if c.limiter.polices {
			if dropped := c.host.Shim.PolicedGroupPackets(c.index, slot); dropped != g.policed {
				g.policed = dropped
				mask |= 1 << (slot - 1)
			}
			continue
		}
		offered := c.host.Shim.Offered(c.index, slot).Bytes
		if offered == g.offered && !g.backlogged {
			continue
		}
		g.offered = offered
		if g.backlogged, err = c.readBacklog(slot, fragments); err != nil {
			return 0, err
		}
		if g.backlogged {
			mask |= 1 << (slot - 1)
		}
	}
	return mask, nil
}

// readBacklog reports whether a group's bulk leaf holds packets.
func (c *classes) readBacklog(slot int, fragments bool) (bool, error) {
	bulk, err := c.host.Tree.Bulk(c.index, slot)
	if err == nil && fragments {
		c.host.Shim.SetLeafBacklog(c.index, slot, bulk.BacklogBytes, clock.Nanos())
	}
	return bulk.BacklogPackets > 0, err
}

// occupy gives a group of the laws its class and limit.
func (c *classes) occupy(slot int, state law.GroupState, nowNanos int64, ceiling uint64) error {
	limit := min(state.LimitBitsPerSecond, ceiling)
	g := c.groups[slot]
	if g == nil {
		if err := c.host.Tree.AddGroup(c.index, slot, c.limiter.classRate(limit)); err != nil {
			return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
		}
		policed := c.host.Shim.PolicedGroupPackets(c.index, slot)
		g = &group{policed: policed, policedBefore: policed, flows: c.host.Shim.BulkFlows(c.index, 0, nowNanos), flowsAt: nowNanos}
		c.groups[slot] = g
	}
	taken := g.port != state.Port || g.vacantSince != 0 || g.limit == 0
	due := taken || g.isDue(limit, state.CEShare)
	g.port, g.ceShare, g.vacantSince, g.held = state.Port, state.CEShare, 0, false
	if !due {
		return nil
	}
	if err := c.setGroup(slot, limit); err != nil {
		return err
	}
	if err := c.host.Trace.ClassChange(clock.Nanos(), *c.endpoint, g.port, limit); err != nil {
		return err
	}
	if taken {
		return c.placeAll()
	}
	return nil
}

// vacate lifts the limit of a group that the laws do not use, and in the end deletes its class.
func (c *classes) vacate(slot int, nowNanos int64, ceiling uint64) error {
	g := c.groups[slot]
	switch {
	case g == nil || g.held && c.unsettled():
		return nil
	case g.vacantSince == 0:
		g.vacantSince, g.ceShare, g.held = nowNanos, 0, false
		if err := c.setGroup(slot, ceiling); err != nil {
			return err
		}
		return c.placeAll()
	case nowNanos-g.vacantSince < vacancyNanos:
		return nil
	}
	if _, err := c.countersOf(slot); err != nil {
		return err
	}
	if err := c.host.Tree.RemoveGroup(c.index, slot); err != nil {
		return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
	}
	c.groups[slot] = nil
	return nil
}

// place puts a destination into the group whose limit holds for it.
func (c *classes) place(destination netip.Addr) error {
	want := 0
	if i, governed := c.control.Governing(destination); governed && c.groups[i+1] != nil {
		want = i + 1
	} else if !governed && c.control.IsBeyond(destination) {
		want = shim.Residual
	}
	have := c.placed[destination]
	if g := c.groups[have]; want == have || want == 0 && g != nil && g.held {
		return nil
	}
	if err := c.holdFlows(have, want); err != nil {
		return err
	}
	if err := c.host.Shim.SetDestination(c.index, destination, want); err != nil {
		return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
	}
	if want == 0 {
		delete(c.placed, destination)
	} else {
		c.placed[destination] = want
	}
	return nil
}

// holdFlows has flows stay in a group that their destination leaves for as long as its queue takes to empty, and as
// long again for what they send meanwhile: by the other class they would overtake themselves. An empty queue holds
// none, so that a first mark's limit is not late.
func (c *classes) holdFlows(from, to int) error {
	now := clock.Nanos()
	if c.limiter.polices || from > model.MaxGroups || to > model.MaxGroups || c.groups[from] == nil ||
		now-c.groups[from].readAt < int64(readAgain) {
		return nil
	}
	g := c.groups[from]
	g.readAt = now
	stats, err := c.host.Tree.Group(c.index, from)
	if err != nil {
		return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
	}
	if hold := holdOf(stats.Total().BacklogBytes, g.limit); hold > 0 {
		c.host.Shim.HoldFlows(c.index, from, clock.Nanos()+hold.Nanoseconds())
	}
	return nil
}

// holdOf is how long flows stay in a class with a backlog.
func holdOf(backlogBytes, limitBitsPerSecond uint64) time.Duration {
	const bitsPerByte = 8
	empties := float64(backlogBytes) * bitsPerByte / float64(max(limitBitsPerSecond, 1))
	return time.Duration(min(2*empties, mostHold.Seconds()) * float64(time.Second))
}

// placeAll places every destination that is, or may have to be, outside the default group.
func (c *classes) placeAll() error {
	for destination := range c.placed {
		if err := c.place(destination); err != nil {
			return err
		}
	}
	for destination := range c.control.Behind() {
		if err := c.place(destination); err != nil {
			return err
		}
	}
	return nil
}

// claim is what the endpoint's class may have of the uplink.
func (c *classes) claim(allowed *allowance) uplink.Claim {
	bounds := allowed.bounds()
	return uplink.Claim{
		Tenant: allowed.policy.Tenant, Weight: bounds.Weight,
		GuaranteeBitsPerSecond: bounds.GuaranteeBitsPerSecond,
		CeilingBitsPerSecond:   c.limiter.classRate(bounds.CeilingBitsPerSecond),
	}
}

// limitAll holds everything that the endpoint sends to a ceiling where classes do not: theirs is part of
// the claim.
func (c *classes) limitAll(ceiling uint64) {
	if c.limiter.polices {
		c.host.Shim.PoliceEndpoint(c.index, c.limiter.bucket(ceiling, c.largestFrame))
	}
}

// limitResidual limits residual traffic to its part of a ceiling.
func (c *classes) limitResidual(ceiling uint64) {
	c.host.Shim.LimitResidual(c.index, htb.ResidualOf(htb.ResidualRate(ceiling, c.limiter.capacity), c.largestFrame))
}

// fitToCeiling has no group exceed a new ceiling.
func (c *classes) fitToCeiling(ceiling uint64) error {
	for slot, g := range c.groups {
		if g == nil {
			continue
		}
		limit := ceiling
		if slot > 0 && g.vacantSince == 0 {
			limit = min(g.limit, ceiling)
		}
		if err := c.setGroup(slot, limit); err != nil {
			return err
		}
	}
	return nil
}

// setGroup changes a group's limit and what follows from it.
func (c *classes) setGroup(slot int, limitBitsPerSecond uint64) error {
	if !c.limiter.polices {
		if err := c.host.Tree.SetGroup(c.index, slot, limitBitsPerSecond); err != nil {
			return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
		}
	}
	c.groups[slot].limit = limitBitsPerSecond
	return c.fitGroup(slot)
}

// fitGroup sizes a group's queues, its sparse share and its priority for its limit and flows.
func (c *classes) fitGroup(slot int) error {
	limit := c.groups[slot].limit
	flows := c.groups[slot].flows
	c.host.Shim.SetSparse(c.index, slot, htb.SparseOf(limit, c.limiter.mtu, flows))
	c.host.Shim.SetPriority(c.index, slot, htb.PriorityOf(limit, c.limiter.mtu, c.largestFrame))
	if !c.limiter.polices {
		c.host.Shim.SetLeafBuffer(c.index, slot, htb.LeafBufferOf(limit, c.limiter.mtu, c.largestFrame))
	} else if slot > 0 { // the default group's limit is the endpoint's
		c.host.Shim.PoliceGroup(c.index, slot, c.limiter.bucket(limit, c.largestFrame))
	}
	if err := c.host.Tree.FitLeaves(c.index, slot, c.limiter.classRate(limit), c.largestFrame, flows); err != nil {
		return fmt.Errorf("%s: %w", c.endpoint.Interface, err)
	}
	return nil
}

// fitToFlows resizes the queues as bulk flows come, and when three quarters of them have ended: they come and go.
func (c *classes) fitToFlows(nowNanos int64) error {
	if c.limiter.polices {
		return nil // there are no queues
	}
	for slot, g := range c.groups {
		if g == nil {
			continue
		}
		flows := c.host.Shim.BulkFlows(c.index, slot, nowNanos)
		if 4*flows >= g.flows {
			g.flowsAt = nowNanos
		}
		if flows <= g.flows && nowNanos-g.flowsAt < flowsEndNanos {
			continue
		}
		g.flows, g.flowsAt = flows, nowNanos
		if err := c.fitGroup(slot); err != nil {
			return err
		}
	}
	return nil
}

// fitToFrames resizes the queues when the VM turns out to send larger super-packets.
func (c *classes) fitToFrames(ceiling uint64) error {
	largest := c.host.Shim.Endpoint(c.index).LargestFrameBytes
	if largest <= c.largestFrame {
		return nil
	}
	c.largestFrame = largest
	c.limitResidual(ceiling)
	if c.limiter.polices {
		c.host.Shim.PoliceEndpoint(c.index, c.limiter.bucket(ceiling, largest))
	}
	for slot, g := range c.groups {
		if g == nil {
			continue
		}
		if err := c.fitGroup(slot); err != nil {
			return err
		}
	}
	return nil
}

// decided is what the laws have of a group.
func (c *classes) decided(slot int) law.GroupState {
	if slot == 0 {
		return law.GroupState{}
	}
	state, _ := c.control.Group(slot - 1)
	return state
}

// portOf is the port of a group of the shim's; empty where there is none.
func (c *classes) portOf(slot int) model.Port {
	if slot > model.MaxGroups || c.groups[slot] == nil {
		return model.Default
	}
	return c.groups[slot].port
}
