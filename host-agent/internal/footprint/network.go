// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// network identifies a network namespace by its inode.
func network(path string) (uint64, error) {
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		return 0, fmt.Errorf("network namespace %s: %w", path, err)
	}
	return info.Ino, nil
}

func ownNetwork() (uint64, error) { return network("/proc/thread-self/ns/net") }

// errElsewhere says that the traces are in a network namespace other than ours.
var errElsewhere = errors.New("run cleanup inside the agent's own network namespace")

// checkNetwork refuses to undo what was done in another network namespace, as long as that one
// still exists: its devices are out of reach from here. One that is gone took its devices with it.
func checkNetwork(inode uint64) error {
	here, err := ownNetwork()
	if err != nil || inode == 0 || inode == here {
		return err
	}
	for _, pattern := range []string{"/run/netns/*", "/proc/[0-9]*/ns/net"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			// Processes end while we look: what cannot be read is not it.
			if found, err := network(path); err == nil && found == inode {
				return fmt.Errorf("%w (that of %s)", errElsewhere, owner(path))
			}
		}
	}
	return nil
}

func owner(path string) string {
	if filepath.Dir(path) == "/run/netns" {
		return filepath.Base(path)
	}
	name, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "comm"))
	if err != nil {
		return path
	}
	return fmt.Sprintf("process %s, %s", filepath.Base(filepath.Dir(filepath.Dir(path))), name[:max(len(name)-1, 0)])
}
