// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// errOtherNamespace: the traces are in a network namespace other than ours.
var errOtherNamespace = errors.New("run cleanup inside the agent's own network namespace")

// checkNetwork refuses to undo what was done in another network namespace, as long as that one
// still exists: its devices are out of reach from here. One that is gone took its devices with it.
func checkNetwork(inode uint64) error {
	here, err := ownNetwork()
	if err != nil || inode == 0 || inode == here {
		return err
	}
	holder, err := holderOf(inode)
	if err != nil || holder == "" {
		return err
	}
	return fmt.Errorf("%w (held by %s)", errOtherNamespace, holder)
}

// holderOf finds what holds a network namespace: a mount, as `ip netns` makes, or a thread; empty
// if nothing does.
func holderOf(inode uint64) (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mounts)) {
		// Mount ID, parent, device, root, mount point ...
		fields := strings.Fields(line)
		if len(fields) > 4 && fields[3] == fmt.Sprintf("net:[%d]", inode) {
			return fields[4], nil
		}
	}
	threads, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/ns/net")
	if err != nil {
		return "", err
	}
	for _, path := range threads {
		// Threads end meanwhile: one that cannot be read is not it.
		if found, err := network(path); err == nil && found == inode {
			return "process " + strings.Split(path, "/")[2], nil
		}
	}
	return "", nil
}
