// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/cilium/ebpf"
)

const (
	vectorFile = "../../../api/vectors/da-dctcp/window.json"
	// one is 1 in the programs' fractions.
	one = 1 << 24
	// tolerance of a fraction: 24 bits, rounded once at each event of at most five.
	tolerance = 1e-6
)

// As the kinds of the programs.
const (
	opening = iota
	acknowledgement
	reduction
)

type vectorSet struct {
	Parameters struct {
		Gain, AveragingWeight, GradientDeadZone, FullUtilisation float64
		LeastSegments                                            uint32
	}
	Connections []struct {
		Name    string
		Opening struct {
			SegmentBytes, WindowBytes uint32
			RoundTripNanos            uint64
		}
		QueueBoundNanos uint64
		Events          []struct {
			Type                         string
			RoundTripNanos               uint64
			Bytes                        uint32
			Echo                         bool
			AcknowledgedTo, NextSequence uint32
			Expected                     expectation
		}
	}
}

type expectation struct{ Alpha, Gradient, Utilisation, Factor, WindowBytes float64 }

// The numbers that every implementation of the sender shares, from the functions that the congestion controls call.
func TestTheSharedVectorsHold(t *testing.T) {
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var set vectorSet
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	if p := set.Parameters; p.Gain != 1.0/16 || p.AveragingWeight != 1.0/8 || p.GradientDeadZone != 0.01 ||
		p.FullUtilisation != 0.8 || p.LeastSegments != 2 || len(set.Connections) == 0 {
		t.Fatalf("%+v: the programs are for other parameters", p)
	}
	var objects vectorsObjects
	if err := loadVectorsObjects(&objects, nil); err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	defer objects.Close()
	for _, connection := range set.Connections {
		t.Run(connection.Name, func(t *testing.T) {
			start := connection.Opening
			step := vectorsVectorStep{
				Kind: opening, Window: start.WindowBytes, RoundTripNanos: start.RoundTripNanos,
				QueueBoundNanos: connection.QueueBoundNanos, LeastWindow: set.Parameters.LeastSegments * start.SegmentBytes,
			}
			run(t, objects.RunStep, &step)
			for i, event := range connection.Events {
				step.Kind, step.RoundTripNanos = reduction, 0
				if event.Type == "acknowledgement" {
					step.Kind, step.RoundTripNanos = acknowledgement, event.RoundTripNanos
					step.Amount, step.Marked = event.Bytes, 0
					if event.Echo {
						step.Marked = event.Bytes
					}
					step.AcknowledgedTo, step.NextSequence = event.AcknowledgedTo, event.NextSequence
				}
				run(t, objects.RunStep, &step)
				compare(t, i, &step, event.Expected)
			}
		})
	}
}

func run(t *testing.T, program *ebpf.Program, step *vectorsVectorStep) {
	t.Helper()
	if _, err := program.Run(&ebpf.RunOptions{Context: step, ContextOut: step}); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, event int, step *vectorsVectorStep, want expectation) {
	t.Helper()
	fraction := func(name string, got int64, want float64) {
		if math.Abs(float64(got)/one-want) > tolerance*math.Max(1, math.Abs(want)) {
			t.Errorf("event %d: %s is %v, want %v", event, name, float64(got)/one, want)
		}
	}
	fraction("alpha", int64(step.Estimate.Alpha), want.Alpha)
	fraction("gradient", step.RoundTrips.Gradient, want.Gradient)
	fraction("factor", int64(step.Factor), want.Factor)
	utilisation := 0.0
	if step.RoundTrips.LatestNanos > 0 {
		utilisation = float64(step.RoundTrips.LatestNanos) / float64(step.RoundTrips.LeastNanos+step.QueueBoundNanos)
	}
	if math.Abs(utilisation-want.Utilisation) > 1e-9*want.Utilisation {
		t.Errorf("event %d: round trips of %d and at least %d ns, want a utilisation of %v",
			event, step.RoundTrips.LatestNanos, step.RoundTrips.LeastNanos, want.Utilisation)
	}
	// Whole bytes are given up, and what is less is owed to the next reduction.
	if math.Abs(float64(step.Window)-want.WindowBytes) > 1+tolerance*want.WindowBytes {
		t.Errorf("event %d: a window of %v bytes, want %v", event, step.Window, want.WindowBytes)
	}
}

// Small windows are reduced by as much as large ones, only not every time.
func TestWindowsOfFewSegmentsAreReducedToo(t *testing.T) {
	var objects vectorsObjects
	if err := loadVectorsObjects(&objects, nil); err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	defer objects.Close()
	step := vectorsVectorStep{Kind: reduction, LeastWindow: 2}
	var given uint32
	for range 40 {
		step.Window = 10
		step.Estimate.Alpha = one / 100 // a twentieth of a segment
		run(t, objects.RunStep, &step)
		given += 10 - step.Window
	}
	if given != 1 && given != 2 {
		t.Errorf("%d segments in 40 reductions by 0.05, want 2", given)
	}
}
