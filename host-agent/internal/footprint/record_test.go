// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"os"
	"path/filepath"
	"testing"
)

func record(t *testing.T, directory, configuration string) *Record {
	t.Helper()
	r, err := recordIn(directory, configuration)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func begin(t *testing.T, r *Record, d directories) {
	t.Helper()
	if err := r.Begin(d.run, d.bpf); err != nil {
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
	begin(t, record(t, directory, "/etc/a.yaml"), d)
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
	begin(t, record(t, directory, "/etc/a.yaml"), d)
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
	begin(t, record(t, directory, "/etc/a.yaml"), d)
	elsewhere := directories{filepath.Join(t.TempDir(), "run"), d.bpf}
	r := record(t, directory, "/etc/a.yaml")
	begin(t, r, elsewhere)
	expectGone(t, d)
	if again := record(t, directory, "/etc/a.yaml"); again.RunDirectory != elsewhere.run {
		t.Errorf("recorded is %s", again.RunDirectory)
	}
}

func TestARecordEndsWithWhatItIsOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		left  bool
		files int
	}{
		{"stopped", false, 0},
		{"handed over", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, directory := leave(t), t.TempDir()
			r := record(t, directory, "/etc/a.yaml")
			begin(t, r, d)
			if !c.left {
				if _, err := UndoEarlier(d.run, d.bpf); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.End(); err != nil {
				t.Fatal(err)
			}
			expectFiles(t, directory, c.files)
		})
	}
}
