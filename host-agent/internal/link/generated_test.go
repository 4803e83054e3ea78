// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The generated code is committed; it must be what agent_link.proto gives.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	fresh := t.TempDir()
	generate := exec.Command("agentlinkpb/generate.sh", fresh)
	if output, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("generate.sh: %v\n%s", err, output)
	}
	for _, name := range []string{"agent_link.pb.go", "agent_link_grpc.pb.go"} {
		want, err := os.ReadFile(filepath.Join(fresh, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("agentlinkpb", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(withoutToolVersions(got), withoutToolVersions(want)) {
			t.Errorf("%s is out of date: run `go generate ./internal/link/agentlinkpb`", name)
		}
	}
}

// withoutToolVersions leaves out the lines that name protoc's version: any will do.
func withoutToolVersions(source []byte) []byte {
	var kept [][]byte
	for _, line := range bytes.Split(source, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("//")) && bytes.Contains(line, []byte("protoc")) {
			continue
		}
		kept = append(kept, line)
	}
	return bytes.Join(kept, []byte("\n"))
}
