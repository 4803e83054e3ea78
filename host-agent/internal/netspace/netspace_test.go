// SPDX-License-Identifier: Apache-2.0

package netspace

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// hold has a process run commands of a shell in a mount namespace of its own; they print a network namespace's inode.
func hold(t *testing.T, commands string) (inode uint64, end func()) {
	t.Helper()
	process := exec.Command("sh", "-c", commands+"; read end")
	process.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	end = func() {
		_ = input.Close()
		_ = process.Wait()
	}
	t.Cleanup(end)
	line, _ := bufio.NewReader(output).ReadString('\n')
	if inode, err = strconv.ParseUint(strings.TrimSpace(line), 10, 64); err != nil {
		t.Fatal(err)
	}
	return inode, end
}

func TestANamespaceIsFoundWhereItsPathLeadsNowhere(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "of spaces")
	mount, elsewhere := filepath.Join(directory, "mount"), filepath.Join(directory, "not-there")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mount, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, commands := range map[string]string{
		"at a thread":                     "exec unshare -n sh -c 'stat -Lc %i /proc/self/ns/net; read end'",
		"at a mount in another namespace": "unshare -n mount --bind /proc/self/ns/net '" + mount + "'; stat -c %i '" + mount + "'",
	} {
		t.Run(name, func(t *testing.T) {
			inode, end := hold(t, commands)
			for _, was := range []string{elsewhere, mount, Own} {
				path, err := Find(was, inode)
				if err != nil || path == was || !leadsTo(path, inode) {
					t.Errorf("found at %q instead of %s (%v)", path, was, err)
				}
			}
			end()
			testnet.Until(t, "it has gone", func() bool {
				path, err := Find(elsewhere, inode)
				return err == nil && path == ""
			})
		})
	}
	own, err := InodeOf(Own)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := Find(Own, own); err != nil || path != Own {
		t.Errorf("found at %q, %v; want the path where it is still", path, err)
	}
}
