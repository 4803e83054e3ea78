// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
)

// Run runs tasks and turns until ctx ends: a turn every tau while limits follow marks, more seldom
// otherwise, and at once for what should not wait. However much of that comes, there are two turns per
// tau at most. failed takes errors that Run survives.
func Run(ctx context.Context, inbox *Inbox, pacer *Pacer, turn func(nowNanos int64), failed func(error)) error {
	interval := pacer.Tau()
	ticker, err := clock.NewTicker(interval)
	if err != nil {
		return err
	}
	reset := func() {
		if err := ticker.Reset(interval); err != nil {
			failed(fmt.Errorf("timer of the host loop: %w", err))
		}
	}
	take := func(nowNanos int64) (changed bool) {
		before := interval
		pacer.beginTurn(nowNanos)
		turn(nowNanos)
		interval = pacer.endTurn(nowNanos)
		return interval != before
	}
	for {
		select {
		case <-ctx.Done():
			return ticker.Stop()
		case <-inbox.wake:
			inbox.RunTasks()
			if !pacer.soon {
				continue
			}
			if now := clock.Nanos(); now-pacer.turnedAt >= pacer.Tau().Nanoseconds()/2 {
				take(now)
				reset()
			} else if interval > pacer.Tau() {
				interval = pacer.Tau()
				reset()
			}
		case <-ticker.C:
			inbox.RunTasks()
			if take(clock.Nanos()) {
				reset()
			}
		}
	}
}
