// SPDX-License-Identifier: Apache-2.0

package tcphints

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// tickLength is the period of the kernel's timer, of which TCP's timeouts are multiples.
func tickLength() (time.Duration, error) {
	var resolution unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &resolution); err != nil {
		return 0, fmt.Errorf("the kernel's timer period: %w", err)
	}
	return time.Duration(resolution.Nano()), nil
}

// rounded is a timeout as the kernel has it.
func rounded(nanos uint64, tick time.Duration) uint64 {
	period := uint64(tick)
	return (nanos + period - 1) / period * period
}

// feasible are hints without what this kernel cannot do, and what that is.
func feasible(hints []model.TCPHint, controls []string) (possible []model.TCPHint, refused []string) {
	possible = slices.Clone(hints)
	for i := range possible {
		name := possible[i].CongestionControl
		if name == "" || slices.Contains(controls, name) {
			continue
		}
		possible[i].CongestionControl = ""
		reason := fmt.Sprintf("congestion control %s: not loaded in this kernel (modprobe tcp_%s; it has %s)",
			name, name, strings.Join(controls, ", "))
		if !slices.Contains(refused, reason) {
			refused = append(refused, reason)
		}
	}
	return possible, refused
}
