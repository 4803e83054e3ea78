// SPDX-License-Identifier: Apache-2.0

// Package netspace finds network namespaces by their inodes. A path may lead to another one by now, or exist in the
// mount namespace alone of whoever wrote it down.
package netspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Own is the path of the caller's.
const Own = "/proc/thread-self/ns/net"

// InodeOf is the inode of the namespace that a path leads to.
func InodeOf(path string) (uint64, error) {
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		return 0, fmt.Errorf("network namespace %s: %w", path, err)
	}
	return info.Ino, nil
}

// Find is where a namespace is: at the path where it was, else at a thread that is in it, else at a mount, as `ip
// netns` makes, in whatever mount namespace; empty if there is none of these.
func Find(was string, inode uint64) (string, error) {
	if leadsTo(was, inode) {
		return was, nil
	}
	threads, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/ns/net")
	if err != nil {
		return "", err
	}
	for _, path := range threads {
		if leadsTo(path, inode) {
			return path, nil
		}
	}
	return findMount(inode)
}

// leadsTo is false also of what cannot be read: threads end meanwhile.
func leadsTo(path string, inode uint64) bool {
	found, err := InodeOf(path)
	return err == nil && found == inode
}

func findMount(inode uint64) (string, error) {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return "", err
	}
	read := map[string]bool{} // mount namespaces
	for _, process := range processes {
		space, err := os.Readlink(filepath.Join(process, "ns/mnt"))
		if err != nil || read[space] {
			continue
		}
		mounts, err := os.ReadFile(filepath.Join(process, "mountinfo"))
		if err != nil {
			continue
		}
		read[space] = true
		for line := range strings.Lines(string(mounts)) {
			// Mount ID, parent, device, root, mount point ...
			fields := strings.Fields(line)
			if len(fields) < 5 || fields[3] != fmt.Sprintf("net:[%d]", inode) {
				continue
			}
			if path := filepath.Join(process, "root", unescape(fields[4])); leadsTo(path, inode) {
				return path, nil
			}
		}
	}
	return "", nil
}

// unescape reads a path as the kernel lists it.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace
