// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock keeps two agents from using one run directory; it goes with the process.
type Lock struct {
	directory *os.File
}

// Acquire makes the run directory if needed and locks it. It fails when another agent holds it.
func Acquire(runDirectory string) (*Lock, error) {
	if err := makePassable(runDirectory); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	directory, err := os.Open(runDirectory)
	if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	err = unix.Flock(int(directory.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		directory.Close()
		return nil, fmt.Errorf("run directory %s is in use by a running agent: stop it first, or give each agent its own",
			runDirectory)
	}
	if err != nil {
		directory.Close()
		return nil, fmt.Errorf("lock run directory %s: %w", runDirectory, err)
	}
	return &Lock{directory}, nil
}

// Release gives the directory up and removes it if nothing of others is in it.
func (l *Lock) Release() error {
	_ = os.Remove(l.directory.Name())
	return l.directory.Close()
}

// makePassable makes a directory that all may pass, and its parents, whatever the umask: applications must find the
// way to their socket. What else lies here is for its owner alone. One that is there is left as it is.
func makePassable(path string) error {
	const mode = 0o711
	err := os.Mkdir(path, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makePassable(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, mode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
