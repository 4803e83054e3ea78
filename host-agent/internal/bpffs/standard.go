// SPDX-License-Identifier: Apache-2.0

package bpffs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/flock"
)

// Standard is where the system's BPF file system is mounted.
const Standard = "/sys/fs/bpf"

// marker is a directory on a file system that an agent mounted at Standard. It goes with the file
// system, so it cannot be mistaken for one on another that was mounted since.
const marker = "mounted-by-sluice-agent"

// kernelFiles are there on every BPF file system of some kernels.
var kernelFiles = []string{"maps.debug", "progs.debug"}

func belowStandard(directory string) bool { return strings.HasPrefix(directory, Standard+"/") }

// withStandard does something about what is mounted at Standard while no other agent does. Agents
// that see the same file system see the same directory above it, whatever their network namespaces.
func withStandard(do func() error) error {
	above, err := os.Open(filepath.Dir(Standard))
	if err != nil {
		return fmt.Errorf("BPF file system: %w", err)
	}
	defer above.Close()
	if err := flock.Wait(above); err != nil {
		return fmt.Errorf("BPF file system: %w", err)
	}
	return do()
}

func prepareBelowStandard(directory string) error {
	on, err := mounted(Standard)
	if err != nil {
		return err
	}
	if !on {
		if err := mount(Standard); err != nil {
			return err
		}
		if err := makeDirectory(filepath.Join(Standard, marker)); err != nil {
			return errors.Join(err, unix.Unmount(Standard, 0))
		}
	}
	return makeDirectory(directory)
}

// removeEmptyParents removes what Prepare made above directory, up to the first parent that is not
// empty or that something is mounted at. One that stayed would keep the file system mounted.
func removeEmptyParents(directory string) error {
	for parent := filepath.Dir(directory); parent != Standard; parent = filepath.Dir(parent) {
		err := os.Remove(parent)
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EBUSY) {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("BPF directory: %w", err)
		}
	}
	return nil
}

// releaseStandard unmounts the file system at Standard if an agent mounted it and nothing is on it.
func releaseStandard() error {
	if on, err := mounted(Standard); err != nil || !on {
		return err
	}
	names, err := Entries(Standard)
	if err != nil || !slices.Contains(names, marker) {
		return err
	}
	for _, name := range names {
		if name != marker && !slices.Contains(kernelFiles, name) {
			return nil
		}
	}
	path := filepath.Join(Standard, marker)
	if err := os.Remove(path); err != nil {
		return err
	}
	err = unix.Unmount(Standard, 0)
	if errors.Is(err, unix.EBUSY) {
		return makeDirectory(path) // somebody is about to use it: the next agent that stops tries again
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", Standard, err)
	}
	return nil
}
