// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/flock"
)

// Exclusive waits until no other test of this machine uses something that a kernel has once, such as the name of a
// congestion control; the test has it until it ends.
func Exclusive(t testing.TB, what string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(os.TempDir(), "sluice-test-"+what+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if err := flock.Wait(file); err != nil {
		t.Fatal(err)
	}
}
