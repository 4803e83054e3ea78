// SPDX-License-Identifier: Apache-2.0

// Package connections follows the TCP connections of a host's endpoints while controllers have them watched,
// and writes into them what controllers decide.
//
//	tracker     reports a connection's beginning, progress and end
//	windows     lowers the receive windows that an endpoint is offered to what controllers grant
//	handshakes  holds SYN-ACKs until a controller has decided about their connection
//	losses      has an endpoint send again what a queue had no room for
//	injector    sends endpoints acknowledgements in their peers' name, for the other three
//
// The tracker calls windows and losses, windows calls handshakes, and these the injector. All of it is
// for the engine's goroutine.
package connections

import (
	"errors"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// Controllers are who connections are reported to.
type Controllers interface {
	WatchFlows(on bool)
	ObserveFlows([]model.FlowUpdate)
	Controllers() []model.ControllerStatus
}

// Host is what the parts of Connections share.
type Host struct {
	Shim        *shim.Shim
	Endpoints   *endpoints.Table
	Controllers Controllers
	Inbox       *engine.Inbox
	Pacer       *engine.Pacer
	Faults      *faults.Log
}

// Connections are the TCP connections of a host.
type Connections struct {
	host       *Host
	watching   bool
	records    records
	injector   *injector
	handshakes *handshakes
	windows    *windows
	losses     *losses
	tracker    *tracker
}

// Open makes the socket towards endpoints; nothing is watched yet.
func Open(host *Host) (*Connections, error) {
	injector, err := openInjector()
	if err != nil {
		return nil, err
	}
	c := &Connections{host: host, records: newRecords(), injector: injector}
	c.handshakes = &handshakes{host: host, injector: injector, held: map[int]shim.Handshake{}}
	c.windows = &windows{
		host: host, records: c.records, handshakes: c.handshakes, injector: injector,
		grants: grantTable{}, expected: map[model.FlowID]bool{},
	}
	c.losses = &losses{host: host, records: c.records, injector: injector}
	c.tracker = &tracker{host: host, records: c.records, windows: c.windows, losses: c.losses, period: usualPeriod}
	return c, nil
}

// Close ends the watching.
func (c *Connections) Close() error { return errors.Join(c.stop(), c.injector.close()) }

// ApplySettings begins or ends the watching, as a controller decides.
func (c *Connections) ApplySettings(settings model.HostSettings) {
	c.host.Shim.Sign(settings.SignConnections)
	c.handshakes.wait = time.Duration(settings.HandshakeWaitNanos)
	c.tracker.setPeriod(settings.ControlPeriodNanos)
	switch {
	case settings.ReportFlows && !c.watching:
		c.host.Faults.Report("start watching connections", c.start())
	case !settings.ReportFlows:
		c.host.Faults.Report("stop watching connections", c.stop())
		return
	}
	c.handshakes.hold(clock.Nanos())
}

func (c *Connections) start() error {
	c.watching = true
	c.host.Controllers.WatchFlows(true)
	return c.host.Shim.Watch(true, clock.Nanos())
}

// stop lifts everything and forgets it.
func (c *Connections) stop() error {
	if !c.watching {
		return nil
	}
	now := clock.Nanos()
	c.host.Shim.HoldHandshakes(0)
	c.handshakes.releaseAll()
	c.windows.liftAll(now)
	c.watching = false
	c.records.clear()
	c.host.Controllers.WatchFlows(false)
	return c.host.Shim.Watch(false, now)
}

// HoldNoHandshakes is for the engine's end: SYN-ACKs pass from now on.
func (c *Connections) HoldNoHandshakes() { c.host.Shim.HoldHandshakes(0) }

// Turn reports what has changed to controllers.
func (c *Connections) Turn(nowNanos int64) {
	if !c.watching {
		return
	}
	c.handshakes.hold(nowNanos)
	c.tracker.turn(nowNanos)
}

// Changed takes the event that a connection has begun, is established or has ended: controllers get that
// at once.
func (c *Connections) Changed(slot int) {
	if c.watching {
		c.tracker.changed(slot)
	}
}

// TakeHandshake takes a SYN-ACK that a program has held.
func (c *Connections) TakeHandshake(taken shim.Handshake) { c.handshakes.take(taken) }

// ApplyGrants takes windows of flows from a controller node.
func (c *Connections) ApplyGrants(node string, grants []model.WindowGrant) {
	c.windows.apply(node, grants)
}

// VoidGrants drops what a node has granted.
func (c *Connections) VoidGrants(node string) { c.windows.void(node) }

// ApplyLossAnswers has endpoints send again what was lost on its path.
func (c *Connections) ApplyLossAnswers(answers []model.LossAnswer) { c.losses.apply(answers) }
