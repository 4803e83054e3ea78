// SPDX-License-Identifier: Apache-2.0

// Package generated checks that what is committed of the BPF programs is what their sources give.
package generated

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const directive = "//go:generate "

func TestCommittedProgramsComeFromTheirSources(t *testing.T) {
	for _, directory := range []string{"../shim", "../port", "../tcphints/cgroups"} {
		t.Run(filepath.Base(directory), func(t *testing.T) {
			output := t.TempDir()
			generate(t, directory, output)
			for _, name := range []string{"bpf_bpfel.o", "bpf_bpfel.go"} {
				committed, err := os.ReadFile(filepath.Join(directory, name))
				if err != nil {
					t.Fatal(err)
				}
				fresh, err := os.ReadFile(filepath.Join(output, name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(committed, fresh) {
					t.Errorf("%s is not what its source gives: run `make generate` and commit", name)
				}
			}
		})
	}
}

// generate does what `go generate` would, into another directory.
func generate(t *testing.T, directory, output string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "generate.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), directive)
	if !found {
		t.Fatalf("%s: no %s", directory, directive)
	}
	line, _, _ = strings.Cut(line, "\n")
	const tool = "go tool bpf2go "
	if !strings.HasPrefix(line, tool) {
		t.Fatalf("%s: %q does not begin with %q", directory, line, tool)
	}
	// The shell splits the quoted compiler flags.
	command := exec.Command("sh", "-c", tool+"-go-package "+filepath.Base(directory)+
		" -output-dir "+output+" "+strings.TrimPrefix(line, tool))
	command.Dir = directory
	if message, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v (this test needs clang-14, llvm-14 and libbpf-dev)\n%s", err, message)
	}
}
