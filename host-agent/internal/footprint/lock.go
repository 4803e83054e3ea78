// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Lock keeps two agents from using one run directory; it goes with the process.
type Lock struct {
	directory *os.File
}

// Acquire makes the run directory if needed and locks it. It fails when another agent holds it.
func Acquire(runDirectory string) (*Lock, error) {
	// Applications must find the way to their socket; what else lies here is for its owner alone.
	if err := os.MkdirAll(runDirectory, 0o711); err != nil {
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
