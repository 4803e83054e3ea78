// SPDX-License-Identifier: Apache-2.0

// Package agent is the host's agent at work: it puts the shim and the classes in place, runs the
// laws every tau, and takes everything away again.
//
// One goroutine, the engine, owns all state. Others (the event ring, the agent link, the control
// socket) leave work in its inbox.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/connections"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/notices"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/trace"
)

// Agent runs on one host.
type Agent struct {
	config   config.Host
	version  string
	features []probe.Result
	log      *slog.Logger

	lock    *footprint.Lock
	devices *netlink.Handle
	traces  *footprint.Footprint
	conn    *htb.Conn
	tree    *htb.Tree
	shim    *shim.Shim
	events  *shim.Events
	flushed chan struct{} // closed when the last events have been read
	trace   *trace.Writer

	uplink     interfaces.Uplink
	reconciler *interfaces.Reconciler
	endpoints  *endpoints.Table
	pairs      *pairs.Tracker
	peers      *peers.Peers
	notices    *notices.Notices
	inbox      *engine.Inbox
	pacer      *engine.Pacer

	controllers controllers
	faults      *faults.Log
	observed    int64 // when controllers were told last
	housekept   int64

	connections *connections.Connections
	settings    model.HostSettings
	lease       lease
}

// Start puts everything in place. What an earlier agent left is removed first; a failure leaves
// nothing behind.
func Start(settings config.Host, version string, features []probe.Result, log *slog.Logger) (*Agent, error) {
	return start(settings, version, features, log, engine.DefaultPace, linkControllers)
}

func start(settings config.Host, version string, features []probe.Result, log *slog.Logger, pace engine.Pace, connect connector) (*Agent, error) {
	lock, err := footprint.Acquire(settings.RunDirectory)
	if err != nil {
		return nil, err
	}
	a := &Agent{
		config: settings, version: version, features: features, log: log, lock: lock,
		inbox: engine.NewInbox(),
		pacer: engine.NewPacer(pace, settings.Tau()),
	}
	a.settings = model.HostSettings{Enforcement: bool(settings.Enforcement)}
	a.lease = lease{length: settings.Lease()}
	a.flushed = make(chan struct{})
	if err := a.start(connect); err != nil {
		return nil, errors.Join(err, a.Stop())
	}
	return a, nil
}

func (a *Agent) start(connect connector) error {
	found, err := footprint.UndoEarlier(a.config.RunDirectory, a.config.BPFDirectory)
	if err != nil {
		return err
	}
	if found {
		a.log.Info("removed what an earlier agent had left")
	}
	if a.traces, err = footprint.New(a.config.RunDirectory, a.config.BPFDirectory); err != nil {
		return err
	}
	if a.trace, err = trace.Open(a.config.TraceFile); err != nil {
		return err
	}
	if err := a.findInterfaces(); err != nil {
		return err
	}
	plan, err := a.reconciler.Plan()
	if err != nil {
		return err
	}
	if a.controllers, err = connect(a, plan.Known()); err != nil {
		return err
	}
	a.faults = faults.New(a.log, a.controllers)
	if err := a.startClasses(); err != nil {
		return err
	}
	if err := a.startShim(); err != nil {
		return err
	}
	return a.reconciler.Begin(interfaces.Host{
		Endpoints: hostEndpoints{a.endpoints, a.pairs}, Programs: a.shim, BPFDirectory: a.config.BPFDirectory,
		Inbox: a.inbox, Faults: a.faults, Log: a.log,
	}, plan)
}

func (a *Agent) findInterfaces() error {
	var err error
	if a.devices, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	if a.uplink, err = interfaces.FindUplink(a.devices, a.config.Uplink); err != nil {
		return err
	}
	a.reconciler, err = interfaces.NewReconciler(a.config, a.uplink)
	return err
}

func (a *Agent) startClasses() error {
	var err error
	if a.conn, err = htb.Dial(); err != nil {
		return err
	}
	a.traces.RootInterface = a.uplink.Name
	a.tree, err = htb.NewTree(a.conn, a.uplink.Name, a.uplink.Ifindex, a.uplink.MTU,
		a.config.Uplink.CapacityBitsPerSecond(), a.config.ReplaceRootQdisc)
	if err != nil {
		a.traces.RootInterface = ""
		return err
	}
	a.traces.SavedRoot = a.tree.SavedRoot()
	return a.traces.Save()
}

func (a *Agent) startShim() error {
	var err error
	if a.shim, err = shim.Load(a.uplink.Ifindexes(), a.config.ControlProtocol); err != nil {
		return err
	}
	a.endpoints = endpoints.NewTable(&endpoints.Host{
		Config: a.config, UplinkMTU: a.uplink.MTU, Shim: a.shim, Tree: a.tree, Devices: a.devices,
		Footprint: a.traces, Trace: a.trace, Pacer: a.pacer, Faults: a.faults, Events: a.controllers, Log: a.log,
	})
	protocol := uint8(a.config.ControlProtocol)
	if a.peers, err = peers.Open(protocol, len(a.config.Controllers) == 0, a.endpoints, a.pacer, a.faults); err != nil {
		return err
	}
	a.pairs = pairs.NewTracker(a.shim, a.endpoints, a.peers, a.pacer, a.faults)
	a.notices = notices.New(protocol, a.config.Uplink.CapacityBitsPerSecond(), a.endpoints, a.pairs, a.pacer, a.faults)
	a.connections, err = connections.Open(&connections.Host{
		Shim: a.shim, Endpoints: a.endpoints, Controllers: a.controllers, Inbox: a.inbox, Pacer: a.pacer, Faults: a.faults,
	})
	if err != nil {
		return err
	}
	a.lease.renew(a.shim, clock.Nanos())
	a.shim.SetEnforcing(a.settings.Enforcement)
	if a.events, err = a.shim.Events(); err != nil {
		return err
	}
	for _, d := range a.uplink.Incoming() {
		if err := a.shim.AttachUplink(a.config.BPFDirectory, d.Ifindex); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

// hostEndpoints are the endpoints, with the pairs that end with them.
type hostEndpoints struct {
	*endpoints.Table
	pairs *pairs.Tracker
}

func (h hostEndpoints) Remove(ifindex int) error {
	ended, err := h.Table.Remove(ifindex)
	h.pairs.Forget(ended)
	return err
}

// Run works until ctx ends, or until the uplink goes: then it says so.
func (a *Agent) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var others sync.WaitGroup
	others.Go(a.readEvents)
	others.Go(func() { cancel(a.reconciler.Run(ctx)) })
	others.Go(func() { a.controllers.Run(ctx) })
	ended := engine.Run(ctx, a.inbox, a.pacer, a.turn, func(err error) { a.faults.Report("set the timer", err) })
	cancel(ended)
	a.takeLastEvents()
	a.inbox.Close()
	_ = a.events.Close()
	others.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// takeLastEvents ends the holding of SYN-ACKs, and takes those that have been given to the agent already.
func (a *Agent) takeLastEvents() {
	a.connections.HoldNoHandshakes()
	if a.events.Flush() == nil {
		<-a.flushed
	}
	a.inbox.RunTasks()
}

// Stop removes every trace.
func (a *Agent) Stop() error {
	var failures []error
	if a.events != nil {
		_ = a.events.Close() // closed already when Run has ended
	}
	if a.reconciler != nil {
		failures = append(failures, a.reconciler.Close())
	}
	if a.connections != nil {
		failures = append(failures, a.connections.Close())
	}
	if a.shim != nil {
		failures = append(failures, a.shim.DetachAll(), a.shim.Close())
	}
	if a.peers != nil {
		failures = append(failures, a.peers.Close())
	}
	if a.traces != nil {
		failures = append(failures, a.traces.Undo())
	}
	if a.conn != nil {
		failures = append(failures, a.conn.Close())
	}
	if a.devices != nil {
		a.devices.Close()
	}
	failures = append(failures, a.trace.Close(), a.lock.Release())
	return errors.Join(failures...)
}

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
