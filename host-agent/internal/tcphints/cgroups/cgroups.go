// SPDX-License-Identifier: Apache-2.0

// Package cgroups puts hints into force for the connections of cgroups, by a BPF program at each (sockops). It is
// pinned, so that connections of a killed agent's get back what they had: its lease ends.
package cgroups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
)

// pinInfix is between what a program is for and a cgroup's number among an agent's pins.
const pinInfix = "-cgroup-"

const mounts = "/proc/self/mounts"

// Cgroups are those that take hints. Not safe for concurrent use.
type Cgroups struct {
	tick      time.Duration
	directory string
	purpose   string
	members   []*member
	programs  *programs // nil: there were no hints yet
	set       *hintset.Set
	hinted    map[int]bool // those of the set that some destination has
}

// member is a cgroup that was configured.
type member struct {
	name  string
	pin   string
	inode uint64
	link  link.Link // nil: not there, or not needed yet
}

// Result is what is in force.
type Result struct {
	// Hinted are the hints (by their index) that some destination has.
	Hinted map[int]bool
	// Cgroups are how many take hints now.
	Cgroups int
	// Failures are what could not be done.
	Failures []error
}

// New prepares those with these names: paths, absolute or below the mounted cgroup2 file system. Nothing is changed
// before there are hints. The purpose is part of pins' names: of one agent's sets none may have another's.
func New(purpose string, names []string, bpfDirectory string, tick time.Duration) *Cgroups {
	c := &Cgroups{tick: tick, directory: bpfDirectory, purpose: purpose}
	for i, name := range names {
		pin := filepath.Join(bpfDirectory, fmt.Sprintf("%s%s%d", purpose, pinInfix, i))
		c.members = append(c.members, &member{name: name, pin: pin})
	}
	return c
}

// Probe reports whether this kernel takes hints for cgroups; it attaches nothing.
func Probe() error {
	if _, err := root(); err != nil {
		return err
	}
	p, err := load(time.Millisecond)
	if err != nil {
		return err
	}
	return p.close()
}

// RemovePins removes what an agent pinned below directory: the kernel then takes its programs off the cgroups.
func RemovePins(directory string) error { return removePins(directory, "*") }

func removePins(directory, purpose string) error {
	pins, err := filepath.Glob(filepath.Join(directory, purpose+pinInfix+"*"))
	if err != nil {
		return err
	}
	var failures []error
	for _, pin := range pins {
		if err := os.Remove(pin); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// Sync has the hints of a set hold in all cgroups that are there, those and no others, and renews their lease.
func (c *Cgroups) Sync(set *hintset.Set) Result {
	if c.set != set {
		c.set, c.hinted = set, hinted(set)
	}
	result := Result{Hinted: c.hinted}
	if c.programs == nil && len(c.hinted) == 0 {
		return result
	}
	if err := c.begin(); err != nil {
		result.Failures = append(result.Failures, err)
		return result
	}
	if err := errors.Join(c.programs.give(set, c.tick), c.programs.renew()); err != nil {
		result.Failures = append(result.Failures, err)
		return result
	}
	for _, m := range c.members {
		if err := m.follow(c.programs.collection.Programs[bpfProgHintConnections]); err != nil {
			result.Failures = append(result.Failures, fmt.Errorf("cgroup %s: %w", m.name, err))
			continue
		}
		result.Cgroups++
	}
	return result
}

func (c *Cgroups) begin() (err error) {
	if c.programs != nil {
		return nil
	}
	if err := removePins(c.directory, c.purpose); err != nil {
		return err
	}
	c.programs, err = load(c.tick)
	return err
}

func hinted(set *hintset.Set) map[int]bool {
	found := map[int]bool{}
	for _, prefix := range set.Prefixes() {
		for _, i := range set.At(prefix).Hints {
			found[i] = true
		}
	}
	return found
}

// follow attaches the program where it is not, also to a cgroup that was made anew under its name.
func (m *member) follow(program *ebpf.Program) error {
	path, err := pathOf(m.name)
	if err != nil {
		return err
	}
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		return errors.Join(err, m.release())
	}
	if m.link != nil && m.inode == info.Ino {
		return nil
	}
	if err := m.release(); err != nil {
		return err
	}
	attached, err := link.AttachCgroup(link.CgroupOptions{Path: path, Attach: ebpf.AttachCGroupSockOps, Program: program})
	if err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	if err := attached.Pin(m.pin); err != nil {
		return errors.Join(fmt.Errorf("pin: %w", err), attached.Close())
	}
	m.link, m.inode = attached, info.Ino
	return nil
}

// release takes the program off.
func (m *member) release() error {
	if m.link == nil {
		return nil
	}
	attached := m.link
	m.link = nil
	return errors.Join(attached.Unpin(), attached.Close())
}

// Close takes the programs off all cgroups.
func (c *Cgroups) Close() error {
	if c == nil || c.programs == nil {
		return nil
	}
	var failures []error
	for _, m := range c.members {
		if err := m.release(); err != nil {
			failures = append(failures, fmt.Errorf("cgroup %s: %w", m.name, err))
		}
	}
	failures = append(failures, c.programs.close())
	c.programs = nil
	return errors.Join(failures...)
}

// pathOf is where a cgroup of this name is, if it is there.
func pathOf(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	top, err := root()
	return filepath.Join(top, name), err
}

// root is where the cgroup2 file system is mounted.
func root() (string, error) {
	text, err := os.ReadFile(mounts)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[2] == "cgroup2" {
			return fields[1], nil
		}
	}
	return "", errors.New("no cgroup2 file system is mounted (mount -t cgroup2 none /sys/fs/cgroup)")
}
