// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/cgroups"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/routes"
)

// pollPeriod is how often routes and cgroups are read: others may change, add and remove them.
const pollPeriod = time.Second

// noTick: no choice has a timeout, which alone is rounded by the kernel's timer.
const noTick = time.Millisecond

// RouteStatus is a network namespace whose routes name congestion controls.
type RouteStatus struct {
	// Namespace is empty for the agent's own.
	Namespace string `json:"namespace,omitempty"`
	Routes    int    `json:"routes"`
}

// CgroupStatus is how many cgroups use a control.
type CgroupStatus struct {
	Control string `json:"use"`
	Cgroups int    `json:"cgroups"`
}

// chooser has routes and cgroups use congestion controls, in a goroutine of its own: tables may be long.
type chooser struct {
	journal *routes.Journal
	tables  []*table
	members []*members
	ended   chan struct{}
	done    sync.WaitGroup

	mu     sync.Mutex
	status chosenStatus
}

type chosenStatus struct {
	routes     []RouteStatus
	cgroups    []CgroupStatus
	conditions []string
}

// members are the cgroups that use one control.
type members struct {
	control string
	cgroups *cgroups.Cgroups
}

// table is the main table of a network namespace.
type table struct {
	name string // empty: the agent's own
	path string
	set  *hintset.Set
	open *routes.Namespace // nil: not there
}

// startChooser brings choices into force and has them followed until close.
func startChooser(settings Settings) *chooser {
	c := &chooser{
		journal: routes.OpenCongestionJournal(settings.RunDirectory), tables: tablesOf(settings.Routes),
		members: membersOf(settings.Cgroups, settings.BPFDirectory), ended: make(chan struct{}),
	}
	c.follow()
	c.done.Go(c.run)
	return c
}

// tablesOf are the namespaces of choices, in their order.
func tablesOf(choices []choice.Route) (tables []*table) {
	wanted := map[string][]model.TCPHint{}
	for _, each := range choices {
		hint := model.TCPHint{Destinations: each.Destinations, CongestionControl: each.Control}
		if wanted[each.Namespace] == nil {
			tables = append(tables, &table{name: each.Namespace, path: each.Namespace})
		}
		wanted[each.Namespace] = append(wanted[each.Namespace], hint)
	}
	for _, t := range tables {
		t.set = hintset.New(wanted[t.name])
		if t.name == "" {
			t.path = netspace.Own
		}
	}
	return tables
}

func membersOf(choices []choice.Cgroup, bpfDirectory string) (all []*members) {
	for _, control := range choice.Names {
		var paths []string
		for _, each := range choices {
			if each.Control == control {
				paths = append(paths, each.Path)
			}
		}
		if len(paths) > 0 {
			all = append(all, &members{control, cgroups.New(control, paths, bpfDirectory, noTick)})
		}
	}
	return all
}

func (c *chooser) run() {
	timer := time.NewTicker(pollPeriod)
	defer timer.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-timer.C:
			c.follow()
		}
	}
}

func (c *chooser) follow() {
	var now chosenStatus
	for _, t := range c.tables {
		count, err := t.follow(c.journal)
		if err != nil {
			now.conditions = append(now.conditions, fmt.Sprintf("congestionRoutes: %v", err))
		}
		if count > 0 {
			now.routes = append(now.routes, RouteStatus{Namespace: t.name, Routes: count})
		}
	}
	for _, m := range c.members {
		result := m.cgroups.Sync(hintset.New([]model.TCPHint{{CongestionControl: m.control}}))
		for _, failure := range result.Failures {
			now.conditions = append(now.conditions, fmt.Sprintf("congestionCgroups: %v", failure))
		}
		if result.Cgroups > 0 {
			now.cgroups = append(now.cgroups, CgroupStatus{Control: m.control, Cgroups: result.Cgroups})
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = now
}

// follow has the table's routes name what was chosen, also in a namespace that was made anew at the path.
func (t *table) follow(journal *routes.Journal) (count int, err error) {
	if t.open != nil && t.name != "" && !t.open.IsAt(t.path) {
		if err := t.close(); err != nil {
			return 0, err
		}
	}
	if t.open == nil {
		if t.open, err = routes.Open(t.path, journal); err != nil {
			return 0, err
		}
	}
	result := t.open.Sync(t.set)
	for _, each := range result.Routes {
		count += each
	}
	if err := errors.Join(result.Failures...); err != nil {
		return count, fmt.Errorf("network namespace %s: %w", t.path, err)
	}
	return count, nil
}

// close has the routes name what they had named before.
func (t *table) close() error {
	if t.open == nil {
		return nil
	}
	open := t.open
	t.open = nil
	return open.Close()
}

// close ends the choices.
func (c *chooser) close() error {
	if c == nil {
		return nil
	}
	close(c.ended)
	c.done.Wait()
	var failures []error
	for _, t := range c.tables {
		failures = append(failures, t.close())
	}
	for _, m := range c.members {
		failures = append(failures, m.cgroups.Close())
	}
	return errors.Join(failures...)
}

// overview is what is in force, and what is wrong.
func (c *chooser) overview() chosenStatus {
	if c == nil {
		return chosenStatus{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}
