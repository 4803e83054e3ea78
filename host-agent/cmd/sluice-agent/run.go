// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsocket"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/metrics"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
	"github.com/sluice-sdn/sluice/host-agent/internal/service"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
)

func configFlag(command *cobra.Command, file *string, fallback string) {
	command.Flags().StringVar(file, "config", fallback, "configuration file")
}

func runCommand() *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Run the agent of a host until SIGTERM, SIGINT (it removes all its state) or SIGHUP (limits stay in force for the next start)",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := config.LoadHost(file)
			if err != nil {
				return usageError{err}
			}
			return runHost(file, settings)
		},
	}
	configFlag(command, &file, "/etc/sluice/agent.yaml")
	return command
}

func portCommand() *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   "port --config FILE",
		Short: "Run the queue of a software switch port until SIGTERM or SIGINT",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := config.LoadPort(file)
			if err != nil {
				return usageError{err}
			}
			return runPort(file, settings)
		},
	}
	configFlag(command, &file, "/etc/sluice/port.yaml")
	return command
}

func untilSignal() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
}

func logger() *slog.Logger { return slog.New(slog.NewTextHandler(os.Stderr, nil)) }

// notify notifies the service manager; without it the agent works all the same.
func notify(log *slog.Logger, what func() error) {
	if err := what(); err != nil {
		log.Warn("cannot notify the service manager", "error", err)
	}
}

// shutdown waits for the signal that ends a host's agent.
type shutdown struct {
	// handsOver: the limits stay, for a successor.
	handsOver atomic.Bool
}

// watch cancels at SIGTERM, SIGINT or SIGHUP; the last hands over, the others are for good.
func (e *shutdown) watch(cancel context.CancelCauseFunc) (unwatch func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go func() {
		if received, open := <-signals; open {
			e.handsOver.Store(received == unix.SIGHUP)
			if received == unix.SIGHUP {
				cancel(nil)
			} else {
				cancel(model.ErrLeaving)
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// finish removes every trace, or leaves limits and filters as they are: to a successor, and where the agent ends
// because of a failure.
func (e *shutdown) finish(a *agent.Agent, failure error, holds bool) error {
	if e.handsOver.Load() || failure != nil && holds {
		return a.HandOver()
	}
	return a.Stop()
}

// recorded runs the agent of a configuration file and records where that leaves its traces. A start that a service
// manager has repeated too often waits before.
func recorded(ctx context.Context, file, runDirectory, bpfDirectory string, log *slog.Logger, run func() error) error {
	record, err := footprint.RecordOf(file)
	if err != nil {
		return err
	}
	if pause := record.Pause(time.Now()); service.Managed() && pause > 0 {
		log.Warn("the last starts failed or soon ended: this one waits", "starts", record.QuickStarts, "wait", pause)
		select {
		case <-ctx.Done():
			return record.End(true) // somebody wants another start, at once, or none
		case <-time.After(pause):
		}
	}
	if err := record.Begin(runDirectory, bpfDirectory, time.Now()); err != nil {
		return err
	}
	err = run()
	return errors.Join(err, record.End(ctx.Err() != nil || !service.Managed()))
}

func runHost(file string, settings config.Host) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var shutdown shutdown
	defer shutdown.watch(cancel)()
	log := logger()
	return recorded(ctx, file, settings.RunDirectory, settings.BPFDirectory, log, func() error {
		return enforce(ctx, settings, &shutdown, log)
	})
}

// enforce limits a host's endpoints until the context ends.
func enforce(ctx context.Context, settings config.Host, shutdown *shutdown, log *slog.Logger) (err error) {
	if os.Getenv("GOMAXPROCS") == "" {
		// One engine, mostly idle: a second processor would become active only to find nothing to do.
		runtime.GOMAXPROCS(1)
	}
	features := probe.Run()
	if err := probe.Missing(features, "host"); err != nil {
		return err
	}
	a, err := agent.Start(settings, version, features, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shutdown.finish(a, err, settings.HoldsAfterLease())) }()
	server, err := status.Serve(footprint.SocketPath(settings.RunDirectory), a.Handle)
	if err != nil {
		return err
	}
	defer server.Close()
	applications, err := flowsocket.Serve(footprint.FlowsSocketPath(settings.RunDirectory), a.HandleFlows)
	if err != nil {
		return err
	}
	defer applications.Close()
	scraped, err := metrics.Serve(settings.MetricsAddress, metrics.Host{Read: a.Status}, log)
	if err != nil {
		return err
	}
	defer scraped.Close()
	log.Info("ready", "host", settings.Host, "uplink", settings.Uplink.Interface)
	notify(log, service.Ready)
	defer notify(log, service.Stopping)
	return a.Run(ctx)
}

func runPort(file string, settings config.Port) error {
	ctx, cancel := untilSignal()
	defer cancel()
	log := logger()
	return recorded(ctx, file, settings.RunDirectory, settings.BPFDirectory, log, func() error {
		return queue(ctx, settings, log)
	})
}

// queue is the queue of a software switch port until the context ends.
func queue(ctx context.Context, settings config.Port, log *slog.Logger) (err error) {
	features := probe.Run()
	if err := probe.Missing(features, "port"); err != nil {
		return err
	}
	reporter, err := port.NewReporter(settings, version, probe.For(features, "port"), log)
	if err != nil {
		return err
	}
	p, err := port.Start(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	read := func() (port.Status, error) {
		s, err := p.Status()
		s.LinkStatus = reporter.Status()
		return s, err
	}
	answer := func(request status.Request) (any, error) {
		if request.Command != status.CommandStatus {
			return nil, fmt.Errorf("command %q is unknown to a port agent", request.Command)
		}
		return read()
	}
	server, err := status.Serve(footprint.SocketPath(settings.RunDirectory), answer)
	if err != nil {
		return err
	}
	defer server.Close()
	scraped, err := metrics.Serve(settings.MetricsAddress, metrics.Port{Read: read}, log)
	if err != nil {
		return err
	}
	defer scraped.Close()
	log.Info("ready", "port", settings.Port, "ingress", settings.Ingress, "egress", settings.Egress)
	notify(log, service.Ready)
	defer notify(log, service.Stopping)
	if reporter != nil {
		reporter.Run(ctx, p)
	}
	<-ctx.Done()
	return nil
}
