// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func record(t *testing.T, directory, configuration string) *Record {
	t.Helper()
	r, err := recordIn(directory, configuration)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func begin(t *testing.T, r *Record, d directories, now time.Time) {
	t.Helper()
	if err := r.Begin(d.run, d.bpf, now); err != nil {
		t.Fatal(err)
	}
}

func expectGone(t *testing.T, d directories) {
	t.Helper()
	if left, err := load(d.run, d.bpf); err != nil || left != nil {
		t.Errorf("%v, %v, want nothing left", left, err)
	}
}

func expectFiles(t *testing.T, directory string, want int) {
	t.Helper()
	if files, err := os.ReadDir(directory); err != nil || len(files) != want {
		t.Errorf("%v, %v, want %d files", files, err, want)
	}
}

func TestTracesAreFoundWithoutTheirConfiguration(t *testing.T) {
	d, directory := leave(t), t.TempDir()
	begin(t, record(t, directory, "/etc/a.yaml"), d, time.Now())
	if found, err := record(t, directory, "/etc/b.yaml").Undo(); err != nil || found {
		t.Errorf("another configuration's: found %v, %v", found, err)
	}
	if found, err := record(t, directory, "/etc/a.yaml").Undo(); err != nil || !found {
		t.Errorf("found %v, %v", found, err)
	}
	expectGone(t, d)
	expectFiles(t, directory, 0)
}

func TestTracesOfARunningAgentStay(t *testing.T) {
	d, directory := leave(t), t.TempDir()
	begin(t, record(t, directory, "/etc/a.yaml"), d, time.Now())
	lock, err := Acquire(d.run)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record(t, directory, "/etc/a.yaml").Undo(); err == nil {
		t.Error("removed from under a running agent")
	}
	expectFiles(t, directory, 1)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

// A start with other directories does not find what the one before left: nobody would.
func TestAChangedRunDirectoryLeavesNothing(t *testing.T) {
	d, directory := leave(t), t.TempDir()
	begin(t, record(t, directory, "/etc/a.yaml"), d, time.Now())
	elsewhere := directories{filepath.Join(t.TempDir(), "run"), d.bpf}
	r := record(t, directory, "/etc/a.yaml")
	begin(t, r, elsewhere, time.Now())
	expectGone(t, d)
	if again := record(t, directory, "/etc/a.yaml"); again.RunDirectory != elsewhere.run {
		t.Errorf("recorded is %s", again.RunDirectory)
	}
}

func TestARecordEndsWithWhatItIsOf(t *testing.T) {
	for _, c := range []struct {
		name            string
		left, onRequest bool
		files, repeats  int
	}{
		{"stopped", false, true, 0, 0},
		{"handed over", true, true, 1, 0},
		{"failed", false, false, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, directory := leave(t), t.TempDir()
			r := record(t, directory, "/etc/a.yaml")
			begin(t, r, d, time.Now())
			if !c.left {
				if _, err := UndoEarlier(d.run, d.bpf); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.End(c.onRequest); err != nil {
				t.Fatal(err)
			}
			expectFiles(t, directory, c.files)
			if again := record(t, directory, "/etc/a.yaml"); again.QuickStarts != c.repeats {
				t.Errorf("%d quick starts, want %d", again.QuickStarts, c.repeats)
			}
		})
	}
}

func TestStartsInQuickSuccessionWaitLongerAndLonger(t *testing.T) {
	directory := t.TempDir()
	d := directories{filepath.Join(directory, "run"), filepath.Join(directory, "bpf")}
	now := time.Now()
	for i, seconds := range []int{0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60} {
		r := record(t, directory, "/etc/a.yaml")
		pause := r.Pause(now)
		if pause != time.Duration(seconds)*time.Second {
			t.Errorf("start %d waits %v, want %d s", i+1, pause, seconds)
		}
		now = now.Add(pause)
		begin(t, r, d, now)
		now = now.Add(3 * time.Second)
	}
	if pause := record(t, directory, "/etc/a.yaml").Pause(now.Add(settled)); pause != 0 {
		t.Errorf("after a run that lasted, %v", pause)
	}
}
