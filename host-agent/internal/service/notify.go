// SPDX-License-Identifier: Apache-2.0

// Package service notifies a service manager of the agent's state, as sd_notify(3) describes it.
package service

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// Ready notifies the service manager that the agent works now, where one has started it.
func Ready() error { return notify("READY=1") }

// Stopping notifies it that the agent takes everything away now.
func Stopping() error { return notify("STOPPING=1") }

// Managed reports whether a service manager has started the agent, and so would again.
func Managed() bool { return os.Getenv("NOTIFY_SOCKET") != "" }

func notify(state string) error {
	if !Managed() {
		return nil
	}
	name := os.Getenv("NOTIFY_SOCKET")
	if strings.HasPrefix(name, "@") { // an abstract socket
		name = "\x00" + name[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify the service manager of %s: %w", state, err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("notify the service manager of %s: %w", state, err)
	}
	return nil
}
