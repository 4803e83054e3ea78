// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// waitBeginNanos: a transfer of a few packets is over before a controller could do anything for it.
	waitBeginNanos = int64(10 * time.Millisecond)
	// waitEndNanos: what is held back by its own window leaves its class empty for as long as a round trip.
	waitEndNanos = int64(10 * time.Millisecond)
	// memberNanos after its last packet a pair still is one of those that wait.
	memberNanos = int64(50 * time.Millisecond)
)

// waiting is whether a class would send more than it may: it has held packets for waitBeginNanos, with gaps
// shorter than waitEndNanos. A rate says no such thing: one that loses packets gets little, one of many small
// ones gets what chance leaves.
type waiting struct {
	began       bool // it has held packets since sinceNanos, last at heldNanos
	sinceNanos  int64
	heldNanos   int64
	isConfirmed bool
}

// observe takes whether the class holds packets now.
func (w *waiting) observe(holds bool, nowNanos int64) {
	switch {
	case holds:
		if !w.began {
			w.began, w.sinceNanos = true, nowNanos
		}
		w.heldNanos = nowNanos
		w.isConfirmed = w.isConfirmed || nowNanos-w.sinceNanos >= waitBeginNanos
	case nowNanos-w.heldNanos >= waitEndNanos:
		*w = waiting{heldNanos: w.heldNanos}
	}
}

// Waits reports whether what was sent by a group of the shim's, last at lastSentNanos, would be more without
// its limit.
func (e *Endpoint) Waits(group int, nowNanos, lastSentNanos int64) bool {
	return e.table.enforcing && nowNanos-lastSentNanos < memberNanos && e.classes.waits(group)
}

// waits reports it of a group that has a port's limit.
func (c *classes) waits(slot int) bool {
	return slot >= 1 && slot <= model.MaxGroups && c.groups[slot] != nil && c.groups[slot].waiting.isConfirmed
}
