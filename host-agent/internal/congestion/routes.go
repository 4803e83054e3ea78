// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/routes"
)

// lookPeriod is how often routes are looked at: others may change them, namespaces come.
const lookPeriod = time.Second

// RouteStatus is a network namespace whose routes name congestion controls.
type RouteStatus struct {
	// Namespace is empty for the agent's own.
	Namespace string `json:"namespace,omitempty"`
	Routes    int    `json:"routes"`
}

// routeKeeper has routes name congestion controls, in a goroutine of its own: tables may be long.
type routeKeeper struct {
	tables []*table
	ended  chan struct{}
	done   sync.WaitGroup

	mu         sync.Mutex
	status     []RouteStatus
	conditions []string
}

// table is the main table of a network namespace.
type table struct {
	name string // empty: the agent's own
	path string
	set  *hintset.Set
	open *routes.Namespace // nil: not there
}

// keepRoutes brings the choices into force and has them followed until close.
func keepRoutes(choices []choice.Route, runDirectory string) *routeKeeper {
	k := &routeKeeper{ended: make(chan struct{})}
	journal := routes.OpenCongestionJournal(runDirectory)
	wanted := map[string][]model.TCPHint{}
	var names []string
	for _, c := range choices {
		if !slices.Contains(names, c.Namespace) {
			names = append(names, c.Namespace)
		}
		wanted[c.Namespace] = append(wanted[c.Namespace], model.TCPHint{Destinations: c.Destinations, CongestionControl: c.Control})
	}
	for _, name := range names {
		t := &table{name: name, path: name, set: hintset.New(wanted[name], false)}
		if name == "" {
			t.path = routes.OwnNamespace
		}
		k.tables = append(k.tables, t)
	}
	k.follow(journal)
	k.done.Go(func() { k.run(journal) })
	return k
}

func (k *routeKeeper) run(journal *routes.Journal) {
	timer := time.NewTicker(lookPeriod)
	defer timer.Stop()
	for {
		select {
		case <-k.ended:
			return
		case <-timer.C:
			k.follow(journal)
		}
	}
}

func (k *routeKeeper) follow(journal *routes.Journal) {
	status, conditions := []RouteStatus{}, []string(nil)
	for _, t := range k.tables {
		count, err := t.follow(journal)
		if err != nil {
			conditions = append(conditions, fmt.Sprintf("congestionRoutes: %v", err))
		}
		if count > 0 {
			status = append(status, RouteStatus{Namespace: t.name, Routes: count})
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status, k.conditions = status, conditions
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
func (k *routeKeeper) close() error {
	if k == nil {
		return nil
	}
	close(k.ended)
	k.done.Wait()
	var failures []error
	for _, t := range k.tables {
		failures = append(failures, t.close())
	}
	return errors.Join(failures...)
}

// overview is what is in force, and what is wrong.
func (k *routeKeeper) overview() (status []RouteStatus, conditions []string) {
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status, k.conditions
}
