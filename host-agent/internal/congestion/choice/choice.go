// SPDX-License-Identifier: Apache-2.0

// Package choice has network namespaces use a congestion control, and what they had used before afterwards.
package choice

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
)

// Names of our controls, as TCP has them.
const (
	DCTCP   = "sluice_dctcp"
	DADCTCP = "sluice_dadctcp"
)

// Names are all there are, as the programs number them.
var Names = []string{DCTCP, DADCTCP}

// conventional is what every kernel has, and lets every namespace use.
const conventional = "reno"

// sysctl is which congestion control new sockets of a network namespace have; the kernel shows that of the thread
// that opens it.
const sysctl = "/proc/sys/net/ipv4/tcp_congestion_control"

// firstOnly is a setting that only the machine's first network namespace shows.
const firstOnly = "/proc/sys/net/core/netdev_max_backlog"

// Choice is what the sockets of a network namespace shall use that choose none themselves.
type Choice struct {
	// Namespace is a path, as below /run/netns or in /proc/PID/ns.
	Namespace string `yaml:"namespace" json:"namespace"`
	Control   string `yaml:"use" json:"use"`
}

// Chosen is a choice in force, and what was there before.
type Chosen struct {
	Choice
	// Inode is the namespace's: its path may lead to another one by now.
	Inode  uint64 `json:"inode"`
	Before string `json:"before"`
}

// errInitial: what the first namespace uses goes to all that are made.
var errInitial = errors.New("is the machine's first network namespace, whose choice new namespaces copy and keep: " +
	"name others, or choose for the machine's own sockets by a route's congctl")

// Read returns what a choice would change; it changes nothing.
func Read(choice Choice) (chosen Chosen, err error) {
	chosen.Choice = choice
	namespace, inode, err := open(choice.Namespace)
	if err != nil {
		return chosen, err
	}
	defer namespace.Close()
	chosen.Inode = inode
	err = inside(namespace, func() (err error) {
		if _, err := os.Stat(firstOnly); err == nil {
			return fmt.Errorf("network namespace %s %w", choice.Namespace, errInitial)
		}
		chosen.Before, err = read()
		return err
	})
	if slices.Contains(Names, chosen.Before) {
		chosen.Before = conventional // it must not be left with one that is not there any more
	}
	return chosen, err
}

// Put has the namespace use the control.
func (c Chosen) Put() error {
	return c.change(func() error { return write(c.Control) })
}

// Restore has the namespace use what it had used before, wherever that is by now. One that has gone needs nothing, nor
// one in which somebody has chosen something else meanwhile.
func (c Chosen) Restore() error {
	return c.change(func() error {
		now, err := read()
		if err != nil || !slices.Contains(Names, now) {
			return err
		}
		return write(c.Before)
	})
}

// RestoreAll restores each.
func RestoreAll(all []Chosen) error {
	failures := make([]error, len(all))
	for i, c := range all {
		failures[i] = c.Restore()
	}
	return errors.Join(failures...)
}

func (c Chosen) change(do func() error) error {
	path, err := netspace.Find(c.Namespace, c.Inode)
	if err != nil || path == "" {
		return err
	}
	namespace, _, err := open(path)
	if err != nil {
		return err
	}
	defer namespace.Close()
	err = inside(namespace, do)
	if err != nil {
		return fmt.Errorf("network namespace %s: congestion control: %w", c.Namespace, err)
	}
	return nil
}

func read() (string, error) {
	text, err := os.ReadFile(sysctl)
	return strings.TrimSpace(string(text)), err
}

func write(control string) error { return os.WriteFile(sysctl, []byte(control), 0) }

func open(path string) (namespace *os.File, inode uint64, err error) {
	if namespace, err = os.Open(path); err != nil {
		return nil, 0, fmt.Errorf("network namespace: %w", err)
	}
	var info unix.Stat_t
	if err := unix.Fstat(int(namespace.Fd()), &info); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("network namespace %s: %w", path, err), namespace.Close())
	}
	return namespace, info.Ino, nil
}

// inside does something in a network namespace, in a thread that ends with it.
func inside(namespace *os.File, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the runtime then ends the thread
		if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("network namespace %s: %w", namespace.Name(), err)
			return
		}
		done <- do()
	}()
	return <-done
}
