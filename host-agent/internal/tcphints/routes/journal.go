// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
)

// Journals in a run directory. No two may be about one namespace.
const (
	hintsJournal      = "hints.json"
	congestionJournal = "congestion-routes.json"
)

// ChangedRoute is a route whose metrics are ours, with what they were.
type ChangedRoute struct {
	Key
	Before Values `json:"before"`
	// Ours are the latest values that it was given, the last of them at the end: an agent may be killed between two.
	Ours []Values `json:"ours"`
}

// given are the values that we gave a route that is listed with some; false: these are foreign, and stay. The kernel does
// not list a congestion control that is not loaded any more. It still has that, and uses it as soon as one of its name
// is loaded.
func (c *ChangedRoute) given(listed Values, loaded []string) (Values, bool) {
	at := slices.IndexFunc(c.Ours, func(ours Values) bool {
		if !slices.Contains(loaded, ours.CongestionControl) {
			ours.CongestionControl = ""
		}
		return ours == listed
	})
	if at < 0 {
		return listed, false
	}
	return c.Ours[at], true
}

// changedNamespace is a network namespace in which routes were changed, or added: those are found by their protocol.
type changedNamespace struct {
	Path    string         `json:"path"`
	Inode   uint64         `json:"inode"`
	Changed []ChangedRoute `json:"changed"`
}

// Journal is what has to be undone. It is written before each change.
type Journal struct {
	path       string
	namespaces map[string]*changedNamespace // by path
}

// OpenJournal begins that of controllers' hints; the caller has undone an earlier one's.
func OpenJournal(runDirectory string) *Journal { return begin(runDirectory, hintsJournal) }

// OpenCongestionJournal begins that of an agent's own choices of congestion controls.
func OpenCongestionJournal(runDirectory string) *Journal {
	return begin(runDirectory, congestionJournal)
}

func begin(runDirectory, name string) *Journal {
	return &Journal{path: filepath.Join(runDirectory, name), namespaces: map[string]*changedNamespace{}}
}

func (j *Journal) save() error {
	if len(j.namespaces) == 0 {
		if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("journal of routes: %w", err)
		}
		return nil
	}
	text, err := json.Marshal(j.namespaces)
	if err != nil {
		return fmt.Errorf("journal of routes: %w", err)
	}
	if err := os.WriteFile(j.path+".new", text, 0o600); err != nil {
		return fmt.Errorf("journal of routes: %w", err)
	}
	if err := os.Rename(j.path+".new", j.path); err != nil {
		return fmt.Errorf("journal of routes: %w", err)
	}
	return nil
}

// Undo restores the routes that a killed agent left changed. The caller holds the run directory's lock. A namespace
// that has gone took its routes with it.
func Undo(runDirectory string) error {
	return errors.Join(OpenJournal(runDirectory).undoAll(), OpenCongestionJournal(runDirectory).undoAll())
}

func (j *Journal) undoAll() error {
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal of routes: %w", err)
	}
	if err := json.Unmarshal(text, &j.namespaces); err != nil {
		return fmt.Errorf("journal of routes %s: %w", j.path, err)
	}
	var failures []error
	for path, left := range j.namespaces {
		if err := j.undo(left); err != nil {
			failures = append(failures, fmt.Errorf("restore routes of %s: %w", path, err))
		}
	}
	return errors.Join(append(failures, j.save())...)
}

func (j *Journal) undo(left *changedNamespace) error {
	path, err := netspace.Find(left.Path, left.Inode)
	if err != nil {
		return err
	}
	if path == "" {
		delete(j.namespaces, left.Path)
		return nil
	}
	n, err := Open(path, j)
	if err != nil {
		return err
	}
	n.path = left.Path // by which the journal has it
	return n.Close()
}
