// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints"
	"github.com/sluice-sdn/sluice/host-agent/internal/trace"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// Agent runs on one host.
type Agent struct {
	config       config.Host
	version      string
	features     []probe.Result
	log          *slog.Logger
	inbox        *engine.Inbox
	installation installation
	reconciler   *interfaces.Reconciler
	loop         *hostLoop
	decisions    decisions
	events       *eventReader
	hints        *tcphints.Worker // nil: hints are off
}

// Start puts everything in place. What an earlier agent left is removed first; a failure leaves
// nothing behind.
func Start(settings config.Host, version string, features []probe.Result, log *slog.Logger) (*Agent, error) {
	a := newAgent(settings, version, features, log, engine.DefaultPace)
	if err := a.start(a.linkControllers); err != nil {
		return nil, err
	}
	return a, nil
}

func newAgent(settings config.Host, version string, features []probe.Result, log *slog.Logger, pace engine.Pace) *Agent {
	inbox := engine.NewInbox()
	loop := &hostLoop{
		config: settings, pacer: engine.NewPacer(pace, settings.Tau()), lease: lease{length: settings.Lease()},
		enforcing: bool(settings.Enforcement),
	}
	return &Agent{
		config: settings, version: version, features: features, log: log, inbox: inbox,
		installation: installation{config: settings, load: shim.Load}, loop: loop, decisions: decisions{inbox: inbox, loop: loop, log: log},
	}
}

// start undoes what it did when it fails.
func (a *Agent) start(connect connector) error {
	if err := a.installation.lockDirectory(); err != nil {
		return err
	}
	if err := a.install(connect); err != nil {
		if a.installation.earlier != nil {
			return errors.Join(err, a.HandOver()) // its limits must not end because this start fails
		}
		return errors.Join(err, a.Stop())
	}
	return nil
}

func (a *Agent) install(connect connector) (err error) {
	if err := a.installation.prepare(); err != nil {
		return err
	}
	if a.loop.trace, err = trace.Open(a.config.TraceFile); err != nil {
		return err
	}
	if a.reconciler, err = interfaces.NewReconciler(
		a.config, a.installation.uplink, a.installation.traces.State.Endpoints, a.log); err != nil {
		return err
	}
	a.loop.missing, a.loop.neighbours = a.reconciler.Missing, a.reconciler.Neighbours
	plan, err := a.reconciler.Plan()
	if err != nil {
		return err
	}
	if a.loop.keys, err = wire.NewKeyring(); err != nil {
		return err
	}
	if own := a.config.TCPHints; own != nil {
		report := func(node string, made model.TCPHintReport) { a.loop.controllers.ReportTCPHints(node, made) }
		if a.hints, err = tcphints.New(*own, a.config.RunDirectory, a.config.BPFDirectory, report, a.log); err != nil {
			return err
		}
		a.decisions.hints = a.hints
	}
	// A certificate that does not fit is found before anything on the host is changed.
	if a.loop.controllers, err = connect(plan.Known()); err != nil {
		return err
	}
	a.loop.faults = faults.New(a.log, a.loop.controllers)
	if err := a.installation.install(); err != nil {
		return err
	}
	if a.installation.earlier != nil {
		a.log.Info("takes over the limits of an earlier agent")
	}
	if err := a.loop.assemble(&a.installation, a.inbox, a.log); err != nil {
		return err
	}
	if a.events, err = openEvents(a.inbox, a.loop, a.log); err != nil {
		return err
	}
	if err := a.installation.attachUplink(); err != nil {
		return err
	}
	if err := a.installation.loadCongestion(a.log); err != nil {
		return err
	}
	a.loop.congestion = a.installation.congestion
	return a.reconciler.Begin(interfaces.Host{
		Endpoints: hostEndpoints{a.loop.endpoints, a.loop.pairs}, Programs: a.installation.shim,
		BPFDirectory: a.config.BPFDirectory, Inbox: a.inbox, Faults: a.loop.faults, Log: a.log,
		Inherits: a.installation.earlier != nil,
	}, plan)
}

// Run works until ctx ends, or until the uplink goes, which is an error.
func (a *Agent) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var others sync.WaitGroup
	others.Go(a.events.run)
	others.Go(func() { cancel(a.reconciler.Run(ctx)) })
	others.Go(func() { a.loop.controllers.Run(ctx) })
	if a.hints != nil {
		others.Go(func() { a.hints.Run(ctx) })
	}
	cancel(engine.Run(ctx, a.inbox, a.loop.pacer, a.loop.turn, a.loop.timerFailed))
	a.loop.connections.HoldNoHandshakes() // those that are held already are passed on by Stop
	a.inbox.RunTasks()
	a.inbox.Close()
	a.events.stop()
	others.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, model.ErrLeaving) {
		return cause
	}
	return nil
}

// Stop removes every trace.
func (a *Agent) Stop() error { return errors.Join(a.end(), a.installation.undo()) }

// HandOver ends the agent and leaves limits and filters as they are, for the next start to go on with, or for
// `sluice-agent cleanup` to remove.
func (a *Agent) HandOver() error {
	var failures []error
	if a.loop.endpoints != nil {
		failures = append(failures, a.loop.endpoints.SaveNow())
	}
	return errors.Join(append(failures, a.end(), a.installation.close())...)
}

func (a *Agent) end() error {
	if a.events != nil {
		a.events.close()
	}
	var failures []error
	if a.reconciler != nil {
		failures = append(failures, a.reconciler.Close())
	}
	return errors.Join(append(failures, a.loop.close())...)
}
