// SPDX-License-Identifier: Apache-2.0

// Package bpffs keeps pinned BPF objects in a directory: what is pinned there survives the agent.
package bpffs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Prepare makes directory usable for pins: on a BPF file system, mode 0700. Where there is none it
// mounts one: at Standard if the directory lies below it, else at the directory itself.
func Prepare(directory string) error {
	directory = filepath.Clean(directory)
	if belowStandard(directory) {
		return withStandard(func() error { return prepareBelowStandard(directory) })
	}
	if err := makeDirectory(directory); err != nil {
		return err
	}
	if on, err := mounted(directory); err != nil || on {
		return err
	}
	return mount(directory)
}

func makeDirectory(directory string) error {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return fmt.Errorf("BPF directory: %w", err)
	}
	return nil
}

func mount(at string) error {
	if err := unix.Mount("bpf", at, "bpf", 0, "mode=0700"); err != nil {
		return fmt.Errorf("mount a BPF file system at %s: %w", at, err)
	}
	return nil
}

// Remove unpins everything below directory, removes it, and unmounts a file system that Prepare
// mounted; one at Standard only when nothing is left on it, of whomever. Parents below Standard go
// too once they are empty. A directory that is not there is fine.
func Remove(directory string) error {
	directory = filepath.Clean(directory)
	if directory == Standard {
		return fmt.Errorf("BPF directory %s is shared with other programs: choose a directory below it", directory)
	}
	if belowStandard(directory) {
		return withStandard(func() error {
			if err := removeDirectory(directory); err != nil {
				return err
			}
			if err := removeEmptyParents(directory); err != nil {
				return err
			}
			return releaseStandard()
		})
	}
	return removeDirectory(directory)
}

func removeDirectory(directory string) error {
	if _, err := os.Lstat(directory); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	on, err := mounted(directory)
	if err != nil {
		return err
	}
	if !on {
		// A mount point that Prepare made, whose file system is gone with its mount namespace.
		return ignoreNotEmpty(os.Remove(directory))
	}
	if isMountPoint(directory) {
		// One by one: another mount namespace may hold the file system itself for longer.
		if err := removePins(directory); err != nil {
			return err
		}
		// At once, though somebody may have it open: there is nothing on it any more.
		if err := unix.Unmount(directory, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("BPF directory %s: unmount: %w", directory, err)
		}
		return os.Remove(directory)
	}
	return os.RemoveAll(directory)
}

// Entries lists the names directly below directory; none if it is not there.
func Entries(directory string) ([]string, error) {
	entries, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// removePins removes what is below the root of a BPF file system. The kernel keeps files of its own
// there, which nobody can remove.
func removePins(root string) error {
	names, err := Entries(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func mounted(path string) (bool, error) {
	var info unix.Statfs_t
	if err := unix.Statfs(path, &info); err != nil {
		return false, fmt.Errorf("statfs %s: %w", path, err)
	}
	return info.Type == unix.BPF_FS_MAGIC, nil
}

func isMountPoint(path string) bool {
	var here, above unix.Stat_t
	if unix.Stat(path, &here) != nil || unix.Stat(filepath.Dir(path), &above) != nil {
		return false
	}
	return here.Dev != above.Dev
}

func ignoreNotEmpty(err error) error {
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
