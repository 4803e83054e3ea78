// SPDX-License-Identifier: Apache-2.0

package bpffs

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// unmounted puts the test into a mount namespace in which nothing is mounted at Standard.
func unmounted(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the runtime ends the thread with the goroutine
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Fatalf("a mount namespace of its own: %v (this test needs root)", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	for isMounted(t) {
		if err := unix.Unmount(Standard, unix.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
}

func isMounted(t *testing.T) bool {
	t.Helper()
	on, err := mounted(Standard)
	if err != nil {
		t.Fatal(err)
	}
	return on
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expectThere(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("%s was taken away: %v", path, err)
	}
}

var (
	first  = filepath.Join(Standard, "first")
	second = filepath.Join(Standard, "second")
)

func TestTheAgentUnmountsWhatItMounted(t *testing.T) {
	unmounted(t)
	must(t, Prepare(first))
	expectThere(t, first)
	must(t, os.Mkdir(filepath.Join(first, "pins"), 0o700))
	must(t, Remove(first))
	if isMounted(t) {
		t.Error("still mounted")
	}
	must(t, Remove(first)) // again: nothing there
}

// Wherever they are below Standard: parents go with the last of their agents.
func TestTheLastAgentUnmounts(t *testing.T) {
	for _, agents := range [][2]string{
		{first, second},
		{filepath.Join(Standard, "run", "of-mine", "one"), filepath.Join(Standard, "run", "of-mine", "two")},
	} {
		t.Run(agents[0], func(t *testing.T) {
			unmounted(t)
			must(t, Prepare(agents[0]))
			must(t, Prepare(agents[1]))
			must(t, Remove(agents[0]))
			expectThere(t, agents[1])
			must(t, Prepare(agents[0])) // it restarts
			must(t, Remove(agents[1]))
			expectThere(t, agents[0])
			must(t, Remove(agents[0]))
			if isMounted(t) {
				t.Error("still mounted")
			}
		})
	}
}

func TestAParentWithForeignPinsStaysMounted(t *testing.T) {
	unmounted(t)
	parent := filepath.Join(Standard, "shared")
	foreign := filepath.Join(parent, "foreign")
	must(t, Prepare(filepath.Join(parent, "agent")))
	must(t, os.Mkdir(foreign, 0o700))
	must(t, Remove(filepath.Join(parent, "agent")))
	expectThere(t, foreign)
}

func TestAParentInUseAsAMountPointStays(t *testing.T) {
	unmounted(t)
	parent := filepath.Join(Standard, "mounted")
	must(t, mount(Standard))
	must(t, os.Mkdir(parent, 0o700))
	must(t, mount(parent))
	must(t, Prepare(filepath.Join(parent, "agent")))
	must(t, Remove(filepath.Join(parent, "agent")))
	if !isMountPoint(parent) {
		t.Error("unmounted although the system had mounted it")
	}
}

func TestOtherPinsKeepTheFileSystemMounted(t *testing.T) {
	unmounted(t)
	must(t, Prepare(first))
	foreign := filepath.Join(Standard, "foreign")
	must(t, os.Mkdir(foreign, 0o700))
	must(t, Remove(first))
	expectThere(t, foreign)
	must(t, os.Remove(foreign))
	must(t, Prepare(first))
	must(t, Remove(first))
	if isMounted(t) {
		t.Error("still mounted although an agent mounted it and nothing is left")
	}
}

func TestAFileSystemMountedByTheSystemStays(t *testing.T) {
	unmounted(t)
	must(t, mount(Standard))
	must(t, Prepare(first))
	must(t, Remove(first))
	if !isMounted(t) {
		t.Error("unmounted although the system had mounted it")
	}
}

func TestAFileSystemInUseStaysUntilTheNextTime(t *testing.T) {
	unmounted(t)
	must(t, Prepare(first))
	user, err := os.Open(Standard)
	must(t, err)
	must(t, Remove(first))
	expectThere(t, filepath.Join(Standard, marker))
	must(t, user.Close())
	must(t, Prepare(second))
	must(t, Remove(second))
	if isMounted(t) {
		t.Error("still mounted")
	}
}

func TestACustomDirectoryIsAMountPointUntilRemoval(t *testing.T) {
	unmounted(t)
	directory := filepath.Join(t.TempDir(), "bpf")
	must(t, Prepare(directory))
	if on, err := mounted(directory); err != nil || !on {
		t.Errorf("no BPF file system there: %v", err)
	}
	must(t, Remove(directory))
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

// Somebody looks into it; or this process starts another one, which has a copy of an open directory for a moment.
func TestACustomDirectoryIsRemovedWhileSomebodyHasItOpen(t *testing.T) {
	unmounted(t)
	directory := filepath.Join(t.TempDir(), "bpf")
	must(t, Prepare(directory))
	user, err := os.Open(directory)
	must(t, err)
	defer user.Close()
	must(t, Remove(directory))
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}
