// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func serve(t *testing.T, handler Handler) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.sock")
	server, err := Serve(path, handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return path
}

func TestARequestIsAnswered(t *testing.T) {
	path := serve(t, func(request Request) (any, error) { return request, nil })
	result, err := Query(path, Request{Command: CommandLimit, Interface: "vm0", RateBitsPerSecond: 5})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"command":"limit","interface":"vm0","rateBitsPerSecond":5}`; string(result) != want {
		t.Errorf("%s, want %s", result, want)
	}
}

func TestRefusalsReachTheCaller(t *testing.T) {
	path := serve(t, func(Request) (any, error) { return nil, errors.New("no such endpoint") })
	if _, err := Query(path, Request{Command: CommandLimit}); err == nil || err.Error() != "no such endpoint" {
		t.Errorf("%v, want the handler's text", err)
	}
}

func TestOnlyRootOpensTheSocket(t *testing.T) {
	path := serve(t, nil)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %o, want 600", mode)
	}
}

func TestAMissingServerIsReportedWithAHint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sock")
	if _, err := Query(path, Request{}); err == nil || !strings.Contains(err.Error(), "is it running") {
		t.Errorf("%v, want a hint", err)
	}
}

func TestAMalformedRequestIsAnsweredAndTheServerContinues(t *testing.T) {
	path := serve(t, func(Request) (any, error) { return "fine", nil })
	for _, nonsense := range []string{"}{", strings.Repeat("[", maxRequestBytes+1)} {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		// The server may stop reading before we stop writing.
		_, _ = conn.Write([]byte(nonsense))
		answer := make([]byte, 1000)
		n, _ := conn.Read(answer)
		if !strings.Contains(string(answer[:n]), "malformed request") {
			t.Errorf("answer %q", answer[:n])
		}
		conn.Close()
	}
	if result, err := Query(path, Request{Command: CommandStatus}); err != nil || string(result) != `"fine"` {
		t.Errorf("afterwards: %s, %v", result, err)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.sock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := Serve(path, func(Request) (any, error) { return 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := Query(path, Request{}); err != nil {
		t.Error(err)
	}
}
