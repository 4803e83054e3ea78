// SPDX-License-Identifier: Apache-2.0

// Command guest gives a namespace, as if it were a virtual machine, a NIC as virtio-net is one: a tap inside and a tap in the
// caller's namespace, between which it passes frames with their virtio headers. It writes a line once both are there,
// and ends with either of them; both end with it.
//
//	guest NAMESPACE NIC PORT
package main

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/tap"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 3 {
		return fmt.Errorf("usage: guest NAMESPACE NIC PORT")
	}
	namespace, nic, port := arguments[0], arguments[1], arguments[2]
	runtime.LockOSThread() // a thread is in a namespace, not a process
	outside, err := tap.Open(port)
	if err != nil {
		return err
	}
	if err := enter(namespace); err != nil {
		return err
	}
	inside, err := tap.Open(nic)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return tap.Pass(inside, outside, -1)
}

func enter(namespace string) error {
	descriptor, err := unix.Open(namespace, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Setns(descriptor, unix.CLONE_NEWNET)
		unix.Close(descriptor)
	}
	if err != nil {
		return fmt.Errorf("network namespace %s: %w", namespace, err)
	}
	return nil
}
