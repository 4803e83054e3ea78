// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/flock"
)

// recordsDirectory is the same for all agents: where an agent left its traces must be found when its configuration
// is broken, changed or gone.
const recordsDirectory = "/run"

const (
	maxPause = time.Minute
	// A start that many pauses after the one before is none of a quick succession.
	settled = 2 * maxPause
)

// Record is kept of each configuration file whose agent may have left something, until all of it is removed.
type Record struct {
	Configuration string `json:"configuration"`
	RunDirectory  string `json:"runDirectory,omitempty"` // empty: nothing was left
	BPFDirectory  string `json:"bpfDirectory,omitempty"`
	// QuickStarts are the last starts that followed each other without pause, Started is when the last was.
	QuickStarts int       `json:"quickStarts,omitempty"`
	Started     time.Time `json:"started,omitzero"`

	path string
}

// RecordOf reads what is recorded of a configuration's agent.
func RecordOf(configuration string) (*Record, error) {
	return recordIn(recordsDirectory, configuration)
}

func recordIn(directory, configuration string) (*Record, error) {
	absolute, err := filepath.Abs(configuration)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("sluice-agent-%.8x.json", sha256.Sum256([]byte(absolute)))
	r := &Record{Configuration: absolute, path: filepath.Join(directory, name)}
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("record of %s (%s): %w", absolute, r.path, err)
	}
	return r, nil
}

// Pause is how long the next of starts in quick succession is to wait, each longer than the one before: what one
// start found wrong is seldom mended a second later, and an attempt costs processor time.
func (r *Record) Pause(now time.Time) time.Duration {
	if now.Sub(r.Started) > settled {
		r.QuickStarts = 0
	}
	if r.QuickStarts < 2 {
		return 0
	}
	return min(time.Second<<min(r.QuickStarts-2, 10), maxPause)
}

// Begin records where an agent that starts now leaves its traces, and removes what an earlier one with this
// configuration file left elsewhere: no later one would find it.
func (r *Record) Begin(runDirectory, bpfDirectory string, now time.Time) error {
	if r.RunDirectory != runDirectory || r.BPFDirectory != bpfDirectory {
		if _, err := r.Undo(); err != nil {
			return err
		}
	}
	r.RunDirectory, r.BPFDirectory = runDirectory, bpfDirectory
	r.QuickStarts++
	r.Started = now
	return r.save()
}

// End keeps of the record what is still of use after the agent's end.
func (r *Record) End(onRequest bool) error {
	if onRequest {
		r.QuickStarts = 0
	}
	left, err := load(r.RunDirectory, r.BPFDirectory)
	if err != nil {
		return err
	}
	if left == nil && r.QuickStarts == 0 {
		return removeFile(r.path)
	}
	return r.save()
}

// OneAtATime does something while no other process does anything by this function: two units of a service manager
// clean up at one stop, and neither may be done before everything has gone.
func OneAtATime(do func() error) error {
	directory, err := os.Open(recordsDirectory)
	if err != nil {
		return err
	}
	defer directory.Close()
	if err := flock.Wait(directory); err != nil {
		return err
	}
	return do()
}

// Undo removes what the recorded agent left, if anything; refused while it runs.
func (r *Record) Undo() (found bool, err error) {
	if r.RunDirectory != "" {
		if found, err = CleanUp(r.RunDirectory, r.BPFDirectory); err != nil {
			return found, err
		}
	}
	return found, removeFile(r.path)
}

func (r *Record) save() error {
	if err := writeJSON(r.path, r); err != nil {
		return fmt.Errorf("record of %s: %w", r.Configuration, err)
	}
	return nil
}
