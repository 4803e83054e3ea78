// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ticker ticks as the standard library's does, by a timer of the kernel's: for the runtime's own ones
// its monitor thread becomes active too.
type Ticker struct {
	// C receives at each tick; what finds the last one still there is dropped.
	C          <-chan struct{}
	descriptor int
	file       *os.File
}

// NewTicker starts a ticker whose period is above 0.
func NewTicker(period time.Duration) (*Ticker, error) {
	descriptor, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	ticks := make(chan struct{}, 1)
	t := &Ticker{C: ticks, descriptor: descriptor, file: os.NewFile(uintptr(descriptor), "timer")}
	if err := t.Reset(period); err != nil {
		_ = t.file.Close()
		return nil, err
	}
	go t.wait(ticks)
	return t, nil
}

func (t *Ticker) wait(ticks chan<- struct{}) {
	raw, err := t.file.SyscallConn()
	if err != nil {
		return // stopped already
	}
	for {
		if err := raw.Read(expired); err != nil {
			return // stopped
		}
		select {
		case ticks <- struct{}{}:
		default:
		}
	}
}

// expired takes what a timer has counted; false if that is nothing. It never blocks, so the runtime
// need not be notified.
func expired(descriptor uintptr) bool {
	var expirations uint64
	_, _, errno := unix.RawSyscall(unix.SYS_READ, descriptor,
		uintptr(unsafe.Pointer(&expirations)), unsafe.Sizeof(expirations))
	return errno != unix.EAGAIN && errno != unix.EINTR
}

// Reset begins anew, with a period above 0. Not after Stop.
func (t *Ticker) Reset(period time.Duration) error {
	every := unix.NsecToTimespec(period.Nanoseconds())
	if err := unix.TimerfdSettime(t.descriptor, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil); err != nil {
		return fmt.Errorf("timer of %v: %w", period, err)
	}
	return nil
}

// Stop ends it; nothing comes any more.
func (t *Ticker) Stop() error { return t.file.Close() }
