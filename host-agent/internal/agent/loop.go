// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/connections"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsizes"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/notices"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/receive"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/trace"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// hostLoop is what the engine's goroutine owns.
type hostLoop struct {
	config      config.Host
	shim        *shim.Shim
	pacer       *engine.Pacer
	controllers controllers
	faults      *faults.Log
	trace       *trace.Writer
	endpoints   *endpoints.Table
	keys        *wire.Keyring
	peers       *peers.Peers
	pairs       *pairs.Tracker
	notices     *notices.Notices
	ceilings    *receive.Reporter
	connections *connections.Connections
	sizes       *flowsizes.Sizes
	congestion  *congestion.Keeper
	conditions  conditions
	// missing are interfaces that should be endpoints and are not.
	missing func() []interfaces.Missing
	// neighbours are others' programs at the interfaces.
	neighbours func() []interfaces.Neighbour
	guard      uplinkGuard
	lease      lease
	enforcing  bool
	// uplinkCeiling is what shall arrive over the uplink at most, bit/s; 0: no limit.
	uplinkCeiling uint64
	// observedNanos, housekeptNanos and listedNanos are when that was done last.
	observedNanos, housekeptNanos, listedNanos int64
	// sessionNanos is when sessions were looked at last.
	sessionNanos int64
	// settledNanos is when an earlier agent's limits end; 0: not before a controller has come.
	settledNanos int64
}

// assemble makes the parts, for programs that are loaded, and lets these enforce.
func (l *hostLoop) assemble(i *installation, inbox *engine.Inbox, log *slog.Logger) (err error) {
	l.shim, l.guard.restore = i.shim, i.restoreUplink
	l.endpoints = endpoints.NewTable(&endpoints.Host{
		Config: l.config, UplinkMTU: i.uplink.MTU, Shim: i.shim, Tree: i.tree, Devices: i.devices,
		Footprint: i.traces, Trace: l.trace, Pacer: l.pacer, Faults: l.faults, Events: l.controllers, Log: log,
		Earlier: i.earlierState,
	})
	protocol := uint8(l.config.ControlProtocol)
	standsAlone := len(l.config.Controllers) == 0
	if l.peers, err = peers.Open(protocol, standsAlone, l.keys, l.endpoints, i.shim, l.pacer, l.faults); err != nil {
		return err
	}
	if i.earlierState != nil {
		l.peers.Inherit(clock.Nanos(), i.earlierState.Agents)
	}
	l.pairs = pairs.NewTracker(i.shim, l.endpoints, l.peers, l.pacer, l.faults)
	l.reflectMarks()
	l.declare(false)
	l.notices = notices.New(protocol, l.config.Uplink.CapacityBitsPerSecond(), l.endpoints, l.pairs, l.pacer, l.faults)
	l.ceilings = receive.NewReporter(l.config.Host, i.uplink.Name, i.shim, l.endpoints, l.controllers)
	l.connections, err = connections.Open(&connections.Host{
		Shim: i.shim, Endpoints: l.endpoints, Controllers: l.controllers, Inbox: inbox, Pacer: l.pacer, Faults: l.faults,
	})
	if err != nil {
		return err
	}
	l.sizes = flowsizes.New(flowsizes.Host{
		Levels: l.config.Levels, Programs: i.shim, Observer: l.controllers, Faults: l.faults, Log: log,
		Endpoints: func() int { return len(l.endpoints.All()) },
	})
	l.setUplinkCeiling(false)
	l.setReceiverWindows(l.config.LawKind())
	l.shim.SetAfterLease(l.config.HoldsAfterLease())
	l.lease.renew(l.shim, clock.Nanos())
	l.shim.SetEnforcing(l.enforcing)
	return nil
}

// reflectMarks sets how marks get back to sending hosts: under HyGenICC's law each of them once, else by counters.
func (l *hostLoop) reflectMarks() {
	how := shim.ReflectingNothing
	if l.config.LawKind() == model.HyGenIcc {
		how = shim.ReflectingMessages
		var link pairs.MarkLink
		if l.config.RelaysMarks() {
			link = l.controllers
		}
		l.pairs.ReportMarksAlone(link)
		l.pairs.RefuseConnectionsAbove(l.config.RefusesConnectionsAbove())
	}
	if l.config.ReflectsMarks() {
		how = shim.ReflectingBits
	}
	l.shim.Reflect(how)
}

// declare has all data leave as ECT where other agents do not make themselves known: they send nothing, or marks alone.
func (l *hostLoop) declare(noticesAlone bool) {
	l.shim.DeclareToAll(noticesAlone || l.config.LawKind() == model.HyGenIcc)
}

// close ends whatever of it was begun.
func (l *hostLoop) close() error {
	var failures []error
	if l.connections != nil {
		failures = append(failures, l.connections.Close())
	}
	if l.peers != nil {
		failures = append(failures, l.peers.Close())
	}
	return errors.Join(append(failures, l.trace.Close())...)
}

// housekeepingNanos is how often what is idle is freed.
const housekeepingNanos = int64(time.Second)

// turn is one period of the host loop.
func (l *hostLoop) turn(nowNanos int64) {
	l.lease.renew(l.shim, nowNanos)
	gained := l.pairs.Turn(nowNanos)
	if nowNanos-l.housekeptNanos > housekeepingNanos {
		l.housekeptNanos = nowNanos
		l.congestion.Follow()
		l.pairs.ForgetIdle(nowNanos)
		l.peers.ForgetIdle(nowNanos)
		l.peers.MeasureRoundTrips(nowNanos)
		l.guard.look(l.faults)
		l.reportConditions(nowNanos)
	}
	l.followSessions(nowNanos)
	l.endpoints.ShareCapacity(nowNanos)
	for _, e := range l.endpoints.All() {
		e.Turn(nowNanos)
	}
	l.settle(nowNanos)
	l.faults.Report("save what a successor needs", l.endpoints.Save(nowNanos))
	l.endpoints.ShareUplink(nowNanos)
	l.list(nowNanos)
	l.connections.Turn(nowNanos)
	l.sizes.Turn(nowNanos)
	l.observe(nowNanos, gained)
}

const (
	// sessionPauseNanos is how often sessions are looked at.
	sessionPauseNanos = int64(100 * time.Millisecond)
	// silenceNanos: a controller that sent nothing for so long may be gone, although its lease is not over. Less
	// than laws wait for a port to be published, more than is between two renewals of a lease.
	silenceNanos = int64(2500 * time.Millisecond)
)

// followSessions has laws know whether a controller is there. One whose host or path has failed ends no port.
func (l *hostLoop) followSessions(nowNanos int64) {
	if nowNanos-l.sessionNanos >= sessionPauseNanos {
		l.sessionNanos = nowNanos
		l.endpoints.SetSession(slices.ContainsFunc(l.controllers.Controllers(), func(c model.ControllerStatus) bool {
			return c.Connected && nowNanos-c.ReceivedNanos < silenceNanos
		}))
	}
}

// hasSession reports whether any controller listens.
func (l *hostLoop) hasSession() bool {
	return slices.ContainsFunc(l.controllers.Controllers(), func(c model.ControllerStatus) bool { return c.Connected })
}

// listNanos is how often the list of endpoints is reported at most: each one costs controllers work that
// grows with all endpoints.
const listNanos = int64(100 * time.Millisecond)

// list reports the endpoints, if there was a change.
func (l *hostLoop) list(nowNanos int64) {
	if nowNanos-l.listedNanos < listNanos {
		return
	}
	if known, changed := l.endpoints.Changes(); changed {
		l.listedNanos = nowNanos
		l.controllers.Report(model.Event{Kind: model.EndpointsChanged, Endpoints: known})
	}
}

// settle lets an earlier agent's limits go where no controller holds on to them: a lease after one has come, or
// after the start where there is none to come.
func (l *hostLoop) settle(nowNanos int64) {
	if !l.endpoints.IsUnsettled() {
		return
	}
	if !standsAlone(l.controllers) && !l.hasSession() {
		l.settledNanos = 0
		return
	}
	if l.settledNanos == 0 {
		l.settledNanos = nowNanos + l.lease.length.Nanoseconds()
	}
	if nowNanos >= l.settledNanos {
		l.endpoints.Settle()
	}
}

// observe reports what happened since the last turn; the link adds up what can wait.
func (l *hostLoop) observe(nowNanos int64, gained []model.PairSample) {
	if standsAlone(l.controllers) {
		return
	}
	observation := model.Observation{IntervalNanos: nowNanos - l.observedNanos, Pairs: gained}
	for _, e := range l.endpoints.All() {
		if sample, due := e.Sample(nowNanos); due {
			observation.Endpoints = append(observation.Endpoints, sample)
		}
	}
	l.observedNanos = nowNanos
	l.controllers.Observe(observation)
	l.ceilings.Turn(nowNanos)
}

// receive takes a message that came in band: a controller's notice, or one of another agent.
func (l *hostLoop) receive(message shim.ControlPacket) {
	if wire.IsNotice(message.Packet, uint8(l.config.ControlProtocol)) {
		l.notices.Receive(message.Nanos, message.Packet)
	} else {
		l.peers.Receive(message.Nanos, message.From, message.Packet)
	}
}

// marked takes the first mark of a pair: its sender waits for the report.
func (l *hostLoop) marked(first shim.FirstCE) {
	l.pacer.TurnSoon()
	l.faults.Report("write the trace", l.trace.FirstCE(first.Nanos, first.Pair))
}

func (l *hostLoop) applySettings(settings model.HostSettings) {
	if own := l.config.LawKind(); own != model.TwoTimeScale {
		settings.Law, settings.NoticesAlone, settings.NoticeTransport = own, false, model.NoticesByLink
	}
	l.enforcing = settings.Enforcement
	tau := settings.TauNanos
	if tau == 0 && settings.NoticesAlone {
		tau = settings.ControlPeriodNanos // nothing new comes more often than that
	}
	l.pacer.SetTau(time.Duration(tau))
	l.endpoints.ApplySettings(settings)
	l.pairs.SetReports(!settings.NoticesAlone)
	l.declare(settings.NoticesAlone)
	l.pairs.SetLaw(settings.Law)
	l.notices.ApplySettings(settings)
	l.connections.ApplySettings(settings)
	l.sizes.ApplySettings(settings)
	l.ceilings.SetPeriod(settings.ControlPeriodNanos)
	l.setUplinkCeiling(settings.ReceiversMark)
	l.setReceiverWindows(settings.Law)
}

// setUplinkCeiling has the uplink's phantom queue drain as its receive ceiling says, or as its capacity does
// where it has none and receivers mark.
func (l *hostLoop) setUplinkCeiling(receiversMark bool) {
	l.uplinkCeiling = l.config.Uplink.ReceiveCeilingBitsPerSecond()
	if l.uplinkCeiling == 0 && receiversMark {
		l.uplinkCeiling = l.config.Uplink.CapacityBitsPerSecond()
	}
	l.shim.SetUplinkPhantom(shim.PhantomOf(l.uplinkCeiling))
}

// setReceiverWindows fits what endpoints offer to what the uplink brings: beside Sluice's own law alone.
func (l *hostLoop) setReceiverWindows(law model.LawKind) {
	capacity := uint64(0)
	if bool(l.config.ReceiverWindows) && law == model.TwoTimeScale {
		capacity = l.config.Uplink.CapacityBitsPerSecond()
		if ceiling := l.config.Uplink.ReceiveCeilingBitsPerSecond(); ceiling > 0 {
			capacity = min(capacity, ceiling)
		}
	}
	l.shim.SetReceiverWindows(capacity)
}

func (l *hostLoop) timerFailed(err error) { l.faults.Report("set the timer", err) }

// lease keeps the shim enforcing while the engine turns.
type lease struct {
	length  time.Duration
	renewed int64
}

// renewals is how many times a lease is renewed in its own length.
const renewals = 20

func (l *lease) renew(s *shim.Shim, nowNanos int64) {
	if nowNanos-l.renewed < l.length.Nanoseconds()/renewals {
		return
	}
	l.renewed = nowNanos
	s.RenewLease(nowNanos + l.length.Nanoseconds())
}
