// SPDX-License-Identifier: Apache-2.0

package service

import (
	"net"
	"path/filepath"
	"testing"
)

func TestTheServiceManagerIsNotified(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	for _, c := range []struct {
		notify func() error
		want   string
	}{{Ready, "READY=1"}, {Stopping, "STOPPING=1"}} {
		if err := c.notify(); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 100)
		n, err := listener.Read(buffer)
		if err != nil || string(buffer[:n]) != c.want {
			t.Errorf("%q (%v), want %q", buffer[:n], err, c.want)
		}
	}
}

func TestWithoutAServiceManagerNothingIsSent(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Ready(); err != nil {
		t.Error(err)
	}
}

func TestAMissingServiceManagerIsAnError(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	if Ready() == nil {
		t.Error("nobody listens, and that was no error")
	}
}
