// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// endedNanos after its end a connection's slot is freed: what it still sends is not another's.
	endedNanos = int64(2 * time.Second)
	// maxLookNanos is how long nobody looks for what no program tells of: a grant of 0 that is over.
	maxLookNanos = int64(10 * time.Millisecond)
	// silentNanos without a packet a connection counts as ended. If it goes on, it is one whose
	// handshake was not seen.
	silentNanos = int64(5 * time.Minute)
	// usualPeriod is T_i until a controller tells.
	usualPeriod = 5 * time.Millisecond
)

// flows is what the engine knows of watched connections and what controllers decided about them.
type flows struct {
	watching bool
	records  []*flowRecord        // by slot; nil where there is none
	slots    map[model.FlowID]int // of those that have not ended
	grants   grantBook
	expected map[model.FlowID]bool // grants that the shim has for connections to come
	news     []model.FlowUpdate      // reused by every report
	looked   int64                 // when all were looked at last
	told     int64                 // when progress was told last
	kept     int64                 // when slots were freed last
	voice    *voice
	waiting  handshakes
}

// flowRecord is what is remembered of a connection between two looks.
type flowRecord struct {
	flow        model.FlowID
	incarnation uint32
	told        model.FlowUpdate
	last        int64 // the last packet's time when that was told
	endedNanos  int64 // 0: it has not
	lost        *lostBytes
	repeated    int64 // when it was last told of a loss
	// isClosed: the grant is 0, and the endpoint has not been told that this is over.
	isClosed bool
}

// isQuiet says that there is nothing to do for a connection on which no packet has come since.
func (r *flowRecord) isQuiet(nowNanos, lastNanos int64) bool {
	return r != nil && r.last == lastNanos && r.endedNanos == 0 && r.lost == nil && !r.isClosed &&
		nowNanos-lastNanos < silentNanos
}

func newFlows() flows {
	return flows{
		records: make([]*flowRecord, shim.MaxConnections), slots: map[model.FlowID]int{},
		grants: grantBook{}, expected: map[model.FlowID]bool{},
		waiting: handshakes{held: map[int]shim.Handshake{}},
	}
}

// setFlows begins or ends the watching, as a controller wants it.
func (a *Agent) setFlows(settings model.HostSettings) {
	f := &a.flows
	a.shim.Sign(settings.SignConnections)
	f.waiting.length = time.Duration(settings.HandshakeWaitNanos)
	switch {
	case settings.ReportFlows && !f.watching:
		a.faults.Report("start watching connections", a.watchFlows())
	case !settings.ReportFlows:
		a.faults.Report("stop watching connections", a.leaveFlows())
		return
	}
	a.holdHandshakes(clock.Nanos())
}

func (a *Agent) watchFlows() error {
	a.flows.watching = true
	a.controllers.WatchFlows(true)
	return a.shim.Watch(true, clock.Nanos())
}

// leaveFlows lifts everything and forgets it.
func (a *Agent) leaveFlows() error {
	f := &a.flows
	if !f.watching {
		return nil
	}
	now := clock.Nanos()
	a.shim.HoldHandshakes(0)
	a.passAllHandshakes()
	for flow := range f.grants {
		delete(f.grants, flow)
		a.regrant(now, flow)
	}
	f.watching = false
	clear(f.records)
	clear(f.slots)
	a.controllers.WatchFlows(false)
	return a.shim.Watch(false, now)
}

// lookAtConnections tells controllers what has changed; progress every T_i.
func (a *Agent) lookAtConnections(nowNanos int64) {
	f := &a.flows
	if !f.watching {
		return
	}
	a.holdHandshakes(nowNanos)
	period := a.settings.ControlPeriodNanos
	if period == 0 {
		period = usualPeriod.Nanoseconds()
	}
	if nowNanos-f.looked < min(period, maxLookNanos) {
		return // programs tell of beginnings and ends
	}
	f.looked = nowNanos
	progress := nowNanos-f.told >= period
	if progress {
		f.told = nowNanos
	}
	for slot, last := range a.shim.ConnectionSlots() {
		if f.records[slot].isQuiet(nowNanos, last) {
			continue
		}
		if c, there := a.shim.Connection(slot); there {
			a.lookAtConnection(nowNanos, c, progress)
		}
		if r := f.records[slot]; r != nil && progress {
			r.last = last
		}
	}
	a.tellFlows()
	if nowNanos-f.kept > housekeepingNanos {
		f.kept = nowNanos
		a.faults.Report("recycle connections", a.shim.RecycleConnections(nowNanos))
		a.forgetLost(nowNanos)
		for _, flow := range f.grants.unused(nowNanos, f.slots) {
			f.grants.end(flow)
			a.regrant(nowNanos, flow)
		}
	}
}

// lookAtConnection notes what has changed of one; it is told with tellFlows.
func (a *Agent) lookAtConnection(nowNanos int64, c shim.Connection, progress bool) {
	f := &a.flows
	r := f.records[c.Slot]
	if r == nil || r.incarnation != c.Incarnation || r.flow != c.Flow {
		if r != nil && r.endedNanos == 0 {
			a.endFlow(nowNanos, r) // its end was missed
		}
		r = a.beginFlow(nowNanos, c)
	}
	switch {
	case r.endedNanos != 0:
		if nowNanos-r.endedNanos > endedNanos {
			a.forgetFlow(nowNanos, c.Slot)
		}
		return
	case c.State == model.FlowClosed:
		r.told = c.FlowUpdate
		a.endFlow(nowNanos, r)
		return
	case nowNanos-c.LastNanos > silentNanos:
		a.endFlow(nowNanos, r)
		a.forgetFlow(nowNanos, c.Slot)
		return
	}
	if c.State != r.told.State || progress && c.FlowUpdate != r.told {
		a.pacer.Active(nowNanos)
		r.told = c.FlowUpdate
		f.news = append(f.news, r.told)
	}
	a.answerLoss(nowNanos, c)
	if r.isClosed && a.shim.ZeroOver(c.Slot, nowNanos) {
		r.isClosed = false
		a.sayWindow(c)
	}
}

func (a *Agent) beginFlow(nowNanos int64, c shim.Connection) *flowRecord {
	f := &a.flows
	r := &flowRecord{flow: c.Flow, incarnation: c.Incarnation, isClosed: c.Granted && c.Bytes == 0}
	f.records[c.Slot], f.slots[c.Flow] = r, c.Slot
	f.grants.begin(c.Flow, c.OpenedNanos)
	a.regrant(nowNanos, c.Flow)
	return r
}

// endFlow notes that a connection has ended, as it was told of last.
func (a *Agent) endFlow(nowNanos int64, r *flowRecord) {
	f := &a.flows
	r.endedNanos = nowNanos
	r.told.Flow, r.told.State = r.flow, model.FlowClosed
	f.news = append(f.news, r.told)
	delete(f.slots, r.flow)
	f.grants.end(r.flow)
	a.regrant(nowNanos, r.flow)
}

func (a *Agent) forgetFlow(nowNanos int64, slot int) {
	a.flows.records[slot] = nil
	a.faults.Report("forget a connection", a.shim.RetireConnection(slot, nowNanos))
}

// forgetLost ends connections whose endpoint has gone.
func (a *Agent) forgetLost(nowNanos int64) {
	for slot, r := range a.flows.records {
		if r == nil {
			continue
		}
		if _, there := a.shim.Connection(slot); there {
			continue
		}
		if r.endedNanos == 0 {
			a.endFlow(nowNanos, r)
		}
		a.flows.records[slot] = nil
	}
}

func (a *Agent) tellFlows() {
	f := &a.flows
	if len(f.news) > 0 {
		a.controllers.ObserveFlows(f.news)
	}
	f.news = f.news[:0]
}

// connectionChanged takes the shim's word that a connection has begun or ended: controllers hear of it
// at once.
func (a *Agent) connectionChanged(slot int) {
	if !a.flows.watching {
		return
	}
	now := clock.Nanos()
	if a.pacer.SinceActive(now) > a.pacer.Tau() {
		a.pacer.Active(now) // its progress will be wanted
		a.pacer.TurnSoon()
	}
	if c, there := a.shim.Connection(slot); there {
		a.lookAtConnection(now, c, false)
		a.tellFlows()
	}
}

// ---------------------------------------------------------------- grants

// ApplyGrants takes windows of flows.
func (a *Agent) ApplyGrants(node string, grants []model.WindowGrant) {
	a.inbox.PostNow(func() {
		now := clock.Nanos()
		for _, grant := range grants {
			a.faults.Report("apply a window grant", a.flows.grants.put(now, node, grant))
			a.regrant(now, grant.Flow)
		}
	})
}

// VoidGrants drops what a node has granted.
func (a *Agent) VoidGrants(node string) {
	a.inbox.PostNow(func() {
		now := clock.Nanos()
		for _, flow := range a.flows.grants.void(node) {
			a.regrant(now, flow)
		}
	})
}

// regrant brings up to date what a flow, or all that fit a pattern, may have on the way.
func (a *Agent) regrant(nowNanos int64, key model.FlowID) {
	f := &a.flows
	slot, live := f.slots[key]
	bytes, expected := f.grants.expected(key)
	if expected && !live {
		f.expected[key] = true
		a.faults.Report("apply a window grant", a.shim.ExpectGrant(key, bytes))
	} else if f.expected[key] {
		delete(f.expected, key)
		a.faults.Report("apply a window grant", a.shim.ForgetGrant(key))
	}
	if live {
		a.setGrant(nowNanos, slot)
	}
	if !key.IsPattern() {
		return
	}
	for flow, slot := range f.slots {
		if fits(flow, key) {
			a.setGrant(nowNanos, slot)
		}
	}
}

// fits says that an exact flow fits a pattern.
func fits(flow, pattern model.FlowID) bool {
	return flow.Source == pattern.Source && flow.Destination == pattern.Destination &&
		(pattern.SourcePort == 0 || pattern.SourcePort == flow.SourcePort) &&
		(pattern.DestinationPort == 0 || pattern.DestinationPort == flow.DestinationPort)
}

// setGrant has a connection's window follow the book.
func (a *Agent) setGrant(nowNanos int64, slot int) {
	f := &a.flows
	c, there := a.shim.Connection(slot)
	if !there {
		return
	}
	grant, answered := f.grants.resolve(c.Flow, c.OpenedNanos)
	if grant != c.Grant {
		a.shim.SetGrant(slot, grant, nowNanos)
		if r := f.records[slot]; r != nil {
			r.isClosed = grant.Granted && grant.Bytes == 0
		}
		if c.Granted && (!grant.Granted || grant.Bytes > c.Bytes) {
			a.sayWindow(c)
		}
	}
	if answered && !c.Answered {
		a.shim.SetAnswered(slot)
		a.passHandshake(slot, c.Incarnation)
	}
}

// sayWindow tells an endpoint that a window has become wider, if it may be waiting for that: it would
// not ask before its persist timer goes off.
func (a *Agent) sayWindow(c shim.Connection) {
	if c.State != model.FlowEstablished || c.RoomBytes >= int32(max(c.SegmentBytes, usualSegmentBytes)) {
		return
	}
	if e := a.endpoints.At(c.Endpoint); e != nil {
		if acknowledgement, known := a.shim.Acknowledgement(c.Slot); known {
			a.faults.Report("send a window update", a.flows.voice.update(e.Ifindex(), acknowledgement))
		}
	}
}

// usualSegmentBytes are of Ethernet (RFC 6691).
const usualSegmentBytes = 1460
