// SPDX-License-Identifier: Apache-2.0

// Package tcphints puts the hints of controllers' policies into force for the host's own TCP, and for that of the
// namespaces and cgroups that are configured; and takes them back.
package tcphints

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/cgroups"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/routes"
)

// Feature is what a host that takes hints has (Hello.Features).
const Feature = "tcp-hints"

// pollPeriod is how often tables are read while there are hints: others may change routes and add namespaces.
const pollPeriod = time.Second

// Reporter takes what was made of hints, for the node that they are of.
type Reporter func(node string, report model.TCPHintReport)

// Worker has a goroutine of its own: what takes the kernel long must not hold up the engine.
type Worker struct {
	report  Reporter
	log     *slog.Logger
	tick    time.Duration
	journal *routes.Journal
	stacks  []*stack
	cgroups *cgroups.Cgroups // nil: none are configured
	wake    chan struct{}
	sent    model.TCPHintReport

	mu     sync.Mutex
	next   decision
	status Status
}

// decision is what a node has decided; without a node there are no hints.
type decision struct {
	node  string
	hints model.TCPHints
	// count grows with every decision.
	count uint64
}

// stack is a network namespace that takes hints.
type stack struct {
	name, path string
	open       *routes.Namespace // nil: not there, or not needed yet
}

// Status is what `sluice-agent status` shows.
type Status struct {
	// Node is the controller's whose hints hold; empty: none.
	Node     string `json:"node,omitempty"`
	Revision uint64 `json:"revision"`
	// Hints are in force.
	Hints []model.AppliedTCPHint `json:"hints"`
	// Refused is what is not, and why.
	Refused []string `json:"refused"`
	// Namespaces are how many take hints now, of those configured; the host's own is one.
	Namespaces           int `json:"namespaces"`
	ConfiguredNamespaces int `json:"configuredNamespaces"`
	// Cgroups are how many take hints now, of those configured.
	Cgroups           int `json:"cgroups"`
	ConfiguredCgroups int `json:"configuredCgroups"`
}

// New prepares one; nothing is changed before Run. The caller's network namespace is the host's.
func New(settings config.TCPHints, runDirectory, bpfDirectory string, report Reporter, log *slog.Logger) (*Worker, error) {
	tick, err := tickLength()
	if err != nil {
		return nil, err
	}
	w := &Worker{
		report: report, log: log, tick: tick, journal: routes.OpenJournal(runDirectory), wake: make(chan struct{}, 1),
	}
	if settings.Host {
		own, err := routes.Open(netspace.Own, w.journal)
		if err != nil {
			return nil, err
		}
		w.stacks = append(w.stacks, &stack{"the host", "", own})
	}
	for i, path := range settings.NamespacePaths() {
		w.stacks = append(w.stacks, &stack{"namespace " + settings.Namespaces[i], path, nil})
	}
	if len(settings.Cgroups) > 0 {
		w.cgroups = cgroups.New("hints", settings.Cgroups, bpfDirectory, tick)
	}
	w.status = Status{
		Hints: []model.AppliedTCPHint{}, Refused: []string{},
		ConfiguredNamespaces: len(w.stacks), ConfiguredCgroups: len(settings.Cgroups),
	}
	return w, nil
}

// Apply takes a controller's hints; for any goroutine.
func (w *Worker) Apply(node string, hints model.TCPHints) {
	w.mu.Lock()
	w.next = decision{node, hints, w.next.count + 1}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Status is what is in force; for any goroutine.
func (w *Worker) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// Run puts hints into force until ctx ends; then everything is as it was before.
func (w *Worker) Run(ctx context.Context) {
	defer w.close()
	timer := time.NewTicker(pollPeriod)
	defer timer.Stop()
	var current effectiveHints
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-w.wake:
		}
		w.step(&current)
	}
}

// effectiveHints are the latest decision, as far as this kernel can apply it.
type effectiveHints struct {
	decision
	possible []model.TCPHint
	unloaded []string
	set      *hintset.Set // nil: there are no hints, and nothing of ours
}

// take makes a decision the current one; false if it is that already.
func (c *effectiveHints) take(next decision) bool {
	if next.count == c.count {
		return false
	}
	controls, err := routes.LoadedControls()
	c.decision = next
	c.possible, c.unloaded = feasible(next.hints.Hints, controls)
	if err != nil {
		c.unloaded = append(c.unloaded, err.Error())
	}
	c.set = hintset.New(c.possible)
	return true
}

func (w *Worker) step(c *effectiveHints) {
	w.mu.Lock()
	next := w.next
	w.mu.Unlock()
	isNew := c.take(next)
	if c.set == nil {
		return
	}
	done := w.sync(c.set, c.possible)
	refused := slices.Concat(c.unloaded, w.unsupported(c.possible), done.refused)
	w.publish(c, isNew, refused, done)
	if len(c.possible) == 0 && len(done.refused) == 0 {
		c.set = nil
	}
}

// outcome is what became of a set in all stacks and cgroups.
type outcome struct {
	routes, cgroups []uint32 // by hint
	refused         []string
	stacks, members int
}

func (w *Worker) sync(set *hintset.Set, hints []model.TCPHint) outcome {
	done := outcome{routes: make([]uint32, len(hints)), cgroups: make([]uint32, len(hints))}
	w.syncStacks(set, len(hints), &done)
	if w.cgroups == nil {
		return done
	}
	result := w.cgroups.Sync(set)
	done.members = result.Cgroups
	for i := range result.Hinted {
		done.cgroups[i] = uint32(result.Cgroups)
	}
	for _, failure := range result.Failures {
		done.refused = append(done.refused, failure.Error())
	}
	return done
}

func (w *Worker) syncStacks(set *hintset.Set, hints int, done *outcome) {
	for _, s := range w.stacks {
		if err := w.find(s, hints > 0); err != nil {
			done.refused = append(done.refused, fmt.Sprintf("%s: %v", s.name, err))
			continue
		}
		if s.open == nil {
			continue
		}
		done.stacks++
		result := s.open.Sync(set)
		if hints == 0 && s.path != "" && len(result.Failures) == 0 {
			result.Failures = s.release() // an open one would outlive its container
		}
		for i, count := range result.Routes {
			done.routes[i] += uint32(count)
		}
		for _, failure := range result.Failures {
			done.refused = append(done.refused, fmt.Sprintf("%s: %v", s.name, failure))
		}
		for _, reason := range result.LeftAlone {
			done.refused = append(done.refused, fmt.Sprintf("%s: %s", s.name, reason))
		}
	}
}

// find opens a namespace where it is needed and not open, and notices that it is another now.
func (w *Worker) find(s *stack, isNeeded bool) error {
	if s.path == "" {
		return nil
	}
	if s.open != nil && !s.open.IsAt(s.path) {
		if err := errors.Join(s.release()...); err != nil {
			return err
		}
	}
	if s.open != nil || !isNeeded {
		return nil
	}
	open, err := routes.Open(s.path, w.journal)
	if err != nil {
		return err
	}
	s.open = open
	return nil
}

// release restores what was there before, and lets a namespace go.
func (s *stack) release() []error {
	open := s.open
	s.open = nil
	if err := open.Close(); err != nil {
		return []error{err}
	}
	return nil
}

// unsupported is what routes cannot do, or cgroups.
func (w *Worker) unsupported(hints []model.TCPHint) (refused []string) {
	isPaced := func(h model.TCPHint) bool { return h.PacingBitsPerSecond > 0 }
	if len(w.stacks) > 0 && slices.ContainsFunc(hints, isPaced) {
		refused = append(refused, "pacing: routes have none, connections of tcpHints.cgroups do")
	}
	isLong := func(h model.TCPHint) bool { return h.RtoMinNanos > cgroups.MostRtoMinNanos }
	if w.cgroups != nil && slices.ContainsFunc(hints, isLong) {
		refused = append(refused, fmt.Sprintf("rto_min: connections of cgroups take %v at most", time.Duration(cgroups.MostRtoMinNanos)))
	}
	return refused
}

func (w *Worker) publish(now *effectiveHints, isNew bool, refused []string, done outcome) {
	report := model.TCPHintReport{Revision: now.hints.Revision, Refused: refused}
	for i, hint := range now.possible {
		report.Hints = append(report.Hints, w.applied(hint, done.routes[i], done.cgroups[i]))
	}
	if isNew || !slices.Equal(report.Hints, w.sent.Hints) || !slices.Equal(report.Refused, w.sent.Refused) {
		w.sent = report
		if now.node != "" {
			w.report(now.node, report)
		}
		if len(refused) > 0 {
			w.log.Warn("hints of a controller are applied in part", "node", now.node, "refused", refused)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.Node, w.status.Revision = now.node, now.hints.Revision
	w.status.Namespaces, w.status.Cgroups = done.stacks, done.members
	w.status.Hints = append([]model.AppliedTCPHint{}, report.Hints...)
	w.status.Refused = append([]string{}, refused...)
}

// applied is what is in force of a hint that so many routes and cgroups have.
func (w *Worker) applied(hint model.TCPHint, routes, members uint32) model.AppliedTCPHint {
	applied := model.AppliedTCPHint{Routes: routes, Cgroups: members}
	if routes+members == 0 {
		return applied
	}
	applied.InitialWindowSegments, applied.CongestionControl = hint.InitialWindowSegments, hint.CongestionControl
	if routes > 0 {
		applied.RtoMinNanos = rounded(hint.RtoMinNanos, w.tick)
	}
	if members > 0 {
		applied.RtoMinNanos = max(applied.RtoMinNanos, cgroups.RtoMinNanos(hint.RtoMinNanos, w.tick))
		applied.PacingBitsPerSecond = min(hint.PacingBitsPerSecond, cgroups.MostPacingBitsPerSecond)
	}
	return applied
}

// close restores what was there before.
func (w *Worker) close() {
	if err := w.cgroups.Close(); err != nil {
		w.log.Error("cannot remove hints from cgroups: sluice-agent cleanup tries again", "error", err)
	}
	for _, s := range w.stacks {
		if s.open == nil {
			continue
		}
		if err := errors.Join(s.release()...); err != nil {
			w.log.Error("cannot remove hints: sluice-agent cleanup tries again", "where", s.name, "error", err)
		}
	}
}
