// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"regexp"
	"slices"
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
	for name, program := range loaded.Programs {
		depths := stackDepths(program.VerifierLog)
		if depths == nil {
			t.Errorf("%s: the verifier does not say its stack: %q", name, program.VerifierLog)
			continue
		}
		// The verifier names frames in the order of the functions.
		frames, calls, at := map[string]int{}, map[string][]string{}, ""
		for _, instruction := range spec.Programs[name].Instructions {
			if symbol := instruction.Symbol(); symbol != "" && len(frames) < len(depths) {
				at, frames[symbol] = symbol, (max(depths[len(frames)], 1)+piece-1)/piece*piece
			}
			if instruction.IsFunctionCall() {
				calls[at] = append(calls[at], instruction.Reference())
			}
		}
		if len(frames) != len(depths) {
			t.Fatalf("%s: %d functions, of which the verifier knows %d", name, len(frames), depths)
		}
		var deepest func(function string) int
		deepest = func(function string) (bytes int) {
			for _, called := range calls[function] {
				bytes = max(bytes, deepest(called))
			}
			return bytes + frames[function]
		}
		if bytes := deepest(spec.Programs[name].Name); bytes > most {
			t.Errorf("%s uses %d bytes of stack, at most %d: %d", name, bytes, most, depths)
		}
	}
}

var (
	inSum      = regexp.MustCompile(`stack depth ([\d+]+)`)
	ofFunction = regexp.MustCompile(`(?m)^subprog \d+ .* stack (\d+)$`)
)

// stackDepths are those of a program and its functions: in a sum, or, as Linux 7.3 writes them, in a line for each.
func stackDepths(log string) (depths []int) {
	texts := []string{}
	if sum := inSum.FindStringSubmatch(log); sum != nil {
		texts = strings.Split(sum[1], "+")
	}
	for _, function := range ofFunction.FindAllStringSubmatch(log, -1) {
		texts = append(texts, function[1])
	}
	for _, text := range texts {
		depth, err := strconv.Atoi(text)
		if err != nil {
			return nil
		}
		depths = append(depths, depth)
	}
	return depths
}

func TestStackDepthsAreReadAsEitherVerifierWritesThem(t *testing.T) {
	for _, log := range []string{
		"verification time 12 usec\nstack depth 224+0+16\nprocessed 9 insns",
		"stack depth max 240\nsubprog 0 (to_host) main insns_self 3 insns_total 3 stack 224\n" +
			"subprog 1 (a) global insns_self 3 insns_total 3 stack 0\nsubprog 2 (b) static insns_self 3 insns_total 3 stack 16\nprocessed",
	} {
		if depths := stackDepths(log); !slices.Equal(depths, []int{224, 0, 16}) {
			t.Errorf("%v of %q", depths, log)
		}
	}
}
