// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/flowsocket"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// answering is an agent whose controller gives one answer.
func answering(t *testing.T, answer *model.FlowAnswer, received *model.FlowRequest) (directory string) {
	t.Helper()
	directory = t.TempDir()
	server, err := flowsocket.Serve(footprint.FlowsSocketPath(directory),
		func(_ context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
			*received = request
			return *answer, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return directory
}

func TestFlowsAreRegistered(t *testing.T) {
	answer := &model.FlowAnswer{Registered: &model.RegisteredFlow{ID: 12, Promised: true}}
	var received model.FlowRequest
	directory := answering(t, answer, &received)
	output, err := execute("flow", "add", "10.0.0.1", "10.0.0.5:5001", "3MB", "1.5s", "--force", "--run-dir", directory)
	want := model.DeadlineRequest{
		Flow: model.FlowID{
			Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"), DestinationPort: 5001,
		},
		SizeBytes: 3_000_000, DueInNanos: uint64(1500 * time.Millisecond), Force: true,
	}
	if err != nil || output != "12: waiting, promised\n" || received.Register == nil || *received.Register != want {
		t.Errorf("%q, %v; received %+v", output, err, received.Register)
	}
	in := time.Now().Add(time.Hour).Format(time.RFC3339)
	if _, err = execute("flow", "add", "fd00::1", "[fd00::5]:80", "9", in, "--run-dir", directory); err != nil ||
		received.Register.Flow.DestinationPort != 80 || received.Register.SizeBytes != 9 {
		t.Errorf("%v; received %+v", err, received.Register)
	}

	earliest := uint64(412_300_000)
	answer.Registered, answer.CannotBeMet = nil, &model.CannotBeMet{EarliestNanos: &earliest}
	add := []string{"flow", "add", "10.0.0.1", "10.0.0.5", "3MB", "1ms", "--run-dir", directory}
	if output, err = execute(add...); err == nil || !strings.Contains(err.Error(), "412.3 ms") {
		t.Errorf("%q, %v", output, err)
	}
	output, err = execute(append(add, "--json")...)
	var problem map[string]any
	if json.Unmarshal([]byte(output), &problem) != nil || problem["earliestMillis"] != 412.3 || err == nil {
		t.Errorf("%q, %v", output, err)
	}
}

func TestFlowsAreListedAndRemoved(t *testing.T) {
	answer := &model.FlowAnswer{Flows: []model.RegisteredFlow{}}
	var received model.FlowRequest
	directory := answering(t, answer, &received)
	if output, err := execute("flow", "list", "--run-dir", directory); err != nil || !strings.Contains(output, "no flows") {
		t.Errorf("%q, %v", output, err)
	}
	answer.Flows = []model.RegisteredFlow{{
		ID: 5, Flow: model.FlowID{Source: netip.MustParseAddr("fd00::1"), SourcePort: 7, Destination: netip.MustParseAddr("fd00::5")},
		SizeBytes: 1000, RemainingBytes: 400, DueInNanos: 2_500_000_000, State: "sending",
	}}
	output, err := execute("flow", "list", "--run-dir", directory)
	for _, word := range []string{"[fd00::1]:7 > fd00::5", "1000", "400", "2.5s", "sending", "false"} {
		if err != nil || !strings.Contains(output, word) {
			t.Errorf("%q lacks %q, %v", output, word, err)
		}
	}
	removed := true
	*answer = model.FlowAnswer{Removed: &removed}
	if output, err = execute("flow", "remove", "5", "--run-dir", directory); err != nil || output != "5: removed\n" || received.Remove != 5 {
		t.Errorf("%q, %v, %+v", output, err, received)
	}
	removed = false
	if output, err = execute("flow", "remove", "5", "--run-dir", directory); err == nil {
		t.Errorf("%q", output)
	}
}
