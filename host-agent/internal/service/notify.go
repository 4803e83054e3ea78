// SPDX-License-Identifier: Apache-2.0

// Package service tells a service manager how the agent is, as sd_notify(3) describes it.
package service

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// Ready says that the agent works now. Where no service manager asked, it does nothing.
func Ready() error { return notify("READY=1") }

// Stopping says that the agent takes everything away now.
func Stopping() error { return notify("STOPPING=1") }

func notify(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	if strings.HasPrefix(name, "@") { // an abstract socket
		name = "\x00" + name[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the service manager %s: %w", state, err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("tell the service manager %s: %w", state, err)
	}
	return nil
}
