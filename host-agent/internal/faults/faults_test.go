// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

type events []model.Event

func (e *events) Report(event model.Event) { *e = append(*e, event) }

func TestReportsOfRepeatedFailuresAreRateLimited(t *testing.T) {
	var reported events
	log := New(slog.New(slog.DiscardHandler), &reported)
	log.Report("set a window", nil)
	for range 3 {
		log.Report("set a window", errors.New("no such class"))
		log.Report("set a limit", errors.New("no such class"))
	}
	if len(reported) != 2 || reported[0].Kind != model.EnforcementFailed ||
		reported[0].Detail != "cannot set a window: no such class" {
		t.Fatalf("%+v, want each failure once", reported)
	}
	log.reported["set a window"] -= pauseNanos
	log.Report("set a window", errors.New("no such class"))
	if len(reported) != 3 {
		t.Errorf("%d reports after the pause, want one more", len(reported))
	}
}
