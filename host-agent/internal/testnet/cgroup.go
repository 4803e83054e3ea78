// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Cgroup is one of version 2, which the test's process can be in.
type Cgroup struct {
	t testing.TB
	// Name is its path below the mounted file system, Path the whole of it.
	Name, Path string
}

// cgroupsMade numbers them: tests of one process share no cgroup.
var cgroupsMade atomic.Int64

// NewCgroup makes one; it ends with the test.
func NewCgroup(t testing.TB) *Cgroup {
	t.Helper()
	name := fmt.Sprintf("sluice-test-%d-%d", os.Getpid(), cgroupsMade.Add(1))
	c := &Cgroup{t: t, Name: name, Path: filepath.Join(cgroupRoot(t), name)}
	c.Make()
	t.Cleanup(func() { _ = os.Remove(c.Path) })
	return c
}

// Make makes it, also anew.
func (c *Cgroup) Make() {
	c.t.Helper()
	if err := os.Mkdir(c.Path, 0o755); err != nil {
		c.t.Fatalf("%v (this test needs root)", err)
	}
}

// Remove removes it; it must be empty of processes.
func (c *Cgroup) Remove() {
	c.t.Helper()
	Until(c.t, c.Path+" goes", func() bool { return os.Remove(c.Path) == nil })
}

// Enter moves the test's process into it until leave is called, which the test's end does too. Other tests' sockets
// would be of the cgroup as well: it panics in a parallel test.
func (c *Cgroup) Enter() (leave func()) {
	c.t.Helper()
	c.t.Setenv("SLUICE_TEST_CGROUP", c.Path) // refused in parallel tests: what is the process's is not one test's
	before := filepath.Join(cgroupRoot(c.t), ownCgroup(c.t))
	moveTo(c.t, c.Path)
	leave = func() { moveTo(c.t, before) }
	c.t.Cleanup(leave)
	return leave
}

func moveTo(t testing.TB, path string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path, "cgroup.procs"), []byte(fmt.Sprint(os.Getpid())), 0); err != nil {
		t.Fatal(err)
	}
}

func cgroupRoot(t testing.TB) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, "/proc/self/mounts")) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[2] == "cgroup2" {
			return fields[1]
		}
	}
	t.Fatal("no cgroup2 file system is mounted")
	return ""
}

// ownCgroup is the one that the test's process is in.
func ownCgroup(t testing.TB) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, "/proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			return path
		}
	}
	t.Fatal("this process is in no cgroup of version 2")
	return ""
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
