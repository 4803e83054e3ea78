// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
)

// A kernel has 512 bytes of stack for a program and what it calls. Some count each frame in pieces of 32 bytes, others
// in smaller ones. One piece is left.
func TestStacksLeaveAFrame(t *testing.T) {
	const most, piece = 480, 32
	spec, err := loadBpf()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{
		Programs: ebpf.ProgramOptions{LogLevel: ebpf.LogLevelStats},
	})
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	defer loaded.Close()
	inLog := regexp.MustCompile(`stack depth ([\d+]+)`)
	for name, program := range loaded.Programs {
		found := inLog.FindStringSubmatch(program.VerifierLog)
		if found == nil {
			t.Errorf("%s: the verifier does not say its stack: %q", name, program.VerifierLog)
			continue
		}
		// The verifier names frames in the order of the functions.
		frames, calls, at := map[string]int{}, map[string][]string{}, ""
		depths := strings.Split(found[1], "+")
		for _, instruction := range spec.Programs[name].Instructions {
			if symbol := instruction.Symbol(); symbol != "" && len(frames) < len(depths) {
				depth, err := strconv.Atoi(depths[len(frames)])
				if err != nil {
					t.Fatal(err)
				}
				at, frames[symbol] = symbol, (max(depth, 1)+piece-1)/piece*piece
			}
			if instruction.IsFunctionCall() {
				calls[at] = append(calls[at], instruction.Reference())
			}
		}
		if len(frames) != len(depths) {
			t.Fatalf("%s: %d functions, of which the verifier knows %s", name, len(frames), found[1])
		}
		var deepest func(function string) int
		deepest = func(function string) (bytes int) {
			for _, called := range calls[function] {
				bytes = max(bytes, deepest(called))
			}
			return bytes + frames[function]
		}
		if bytes := deepest(spec.Programs[name].Name); bytes > most {
			t.Errorf("%s uses %d bytes of stack, at most %d: %s", name, bytes, most, found[1])
		}
	}
}
