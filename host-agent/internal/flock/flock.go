// SPDX-License-Identifier: Apache-2.0

// Package flock has processes take turns by locks on files, which end with whoever holds them.
package flock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Wait waits for the lock of an open file; it is held until the file is closed.
func Wait(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		}
	}
}
