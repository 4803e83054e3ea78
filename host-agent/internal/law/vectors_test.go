// SPDX-License-Identifier: Apache-2.0

package law

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const vectorDirectory = "../../../api/vectors"

// vector is one file of shared test vectors (docs/control-law-vectors.md).
type vector struct {
	Law               string          `json:"law"`
	Description       string          `json:"description"`
	ToleranceRelative float64         `json:"toleranceRelative"`
	Parameters        json.RawMessage `json:"parameters"`
	Events            []vectorEvent   `json:"events"`
	Expected          []struct {
		TNanos            int64   `json:"tNanos"`
		RateBitsPerSecond float64 `json:"rateBitsPerSecond"`
		Idle              *bool   `json:"idle"`
		Comment           string  `json:"comment"`
	} `json:"expected"`
}

type vectorEvent struct {
	TNanos                 int64   `json:"tNanos"`
	Type                   string  `json:"type"`
	Weight                 float64 `json:"weight"`
	GuaranteeBitsPerSecond uint64  `json:"guaranteeBitsPerSecond"`
	CeilingBitsPerSecond   uint64  `json:"ceilingBitsPerSecond"`
	UnitShareBitsPerSecond uint64  `json:"unitShareBitsPerSecond"`
	CapacityBitsPerSecond  uint64  `json:"capacityBitsPerSecond"`
	ActiveWeight           float64 `json:"activeWeight"`
	LentPart               float64 `json:"lentPart"`
	EqualCost              bool    `json:"equalCost"`
	Expired                bool    `json:"expired"`
	Packets                float64 `json:"packets"` // whole ones, but for notices
	CEPackets              uint64  `json:"cePackets"`
	Bytes                  uint64  `json:"bytes"`
	SentBytes              uint64  `json:"sentBytes"`
	Backlogged             bool    `json:"backlogged"`
	Marks                  float64 `json:"marks"`
	PeriodNanos            int64   `json:"periodNanos"`
	ShareBitsPerSecond     uint64  `json:"shareBitsPerSecond"`
}

// measurable is what a law shows to its tests: the limit before it is rounded.
type measurable interface {
	model.Law
	LimitBitsPerSecond() float64
}

func (v vector) newLaw() (measurable, error) {
	switch v.Law {
	case "two-time-scale":
		var parameters TwoTimeScaleParameters
		err := strictly(v.Parameters, &parameters)
		return NewTwoTimeScale(parameters), err
	case "sdn-gcc":
		var parameters SdnGccParameters
		err := strictly(v.Parameters, &parameters)
		return NewSdnGcc(parameters), err
	case "hygenicc":
		var parameters HyGenIccParameters
		err := strictly(v.Parameters, &parameters)
		return NewHyGenIcc(parameters), err
	default:
		return nil, fmt.Errorf("law %q is unknown", v.Law)
	}
}

// player turns a vector's events into calls.
type player struct {
	law                measurable
	packets, cePackets uint64
	lentPart           float64
	ticked             bool
	lastTick           int64
}

func (p *player) play(event vectorEvent) error {
	switch event.Type {
	case "policy":
		p.law.SetBounds(model.Bounds{
			CeilingBitsPerSecond:   event.CeilingBitsPerSecond,
			GuaranteeBitsPerSecond: event.GuaranteeBitsPerSecond,
			Weight:                 event.Weight,
		})
	case "unitShare":
		p.lentPart = event.LentPart
		p.law.SetShare(model.UnitShare{
			UnitShareBitsPerSecond: event.UnitShareBitsPerSecond,
			CapacityBitsPerSecond:  event.CapacityBitsPerSecond,
			ActiveWeight:           event.ActiveWeight,
			Expired:                event.Expired,
			EqualCost:              event.EqualCost,
		})
	case "feedback":
		p.packets += uint64(event.Packets)
		p.cePackets += event.CEPackets
	case "tick":
		elapsed := int64(0)
		if p.ticked {
			elapsed = event.TNanos - p.lastTick
		}
		limit := p.law.Step(model.Interval{
			NowNanos: event.TNanos, ElapsedNanos: elapsed,
			Packets: p.packets, CEPackets: p.cePackets,
			SentBytes: event.SentBytes, Backlogged: event.Backlogged, LentPart: p.lentPart,
		})
		p.ticked, p.lastTick = true, event.TNanos
		p.packets, p.cePackets = 0, 0
		if float64(limit) != math.Round(p.law.LimitBitsPerSecond()) {
			return fmt.Errorf("step returned %d, the limit is %v", limit, p.law.LimitBitsPerSecond())
		}
	case "notice":
		p.law.Notify(event.TNanos, model.Notice{
			Marks: event.Marks, Packets: event.Packets, PeriodNanos: event.PeriodNanos,
			ShareBitsPerSecond:    event.ShareBitsPerSecond,
			CapacityBitsPerSecond: event.CapacityBitsPerSecond,
		})
	default:
		return fmt.Errorf("event type %q is unknown", event.Type)
	}
	return nil
}

func strictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func vectorFiles(t *testing.T, directory string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(directory, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Vectors []string `json:"vectors"`
	}
	if err := strictly(data, &index); err != nil {
		t.Fatal(err)
	}
	return index.Vectors
}

// readVector reads a file that must fit its schema.
func readVector(t *testing.T, directory, schemaName, name string, into any) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(directory, schemaName))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(directory, name))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Fatal(err)
	}
	if err := strictly(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestVectors(t *testing.T) {
	for _, name := range vectorFiles(t, vectorDirectory) {
		t.Run(name, func(t *testing.T) {
			var v vector
			readVector(t, vectorDirectory, "control-law-vector.schema.json", name, &v)
			runVector(t, v)
		})
	}
}

func runVector(t *testing.T, v vector) {
	law, err := v.newLaw()
	if err != nil {
		t.Fatal(err)
	}
	p := player{law: law}
	next := 0
	for _, expected := range v.Expected {
		for next < len(v.Events) && v.Events[next].TNanos <= expected.TNanos {
			if err := p.play(v.Events[next]); err != nil {
				t.Fatalf("event %d: %v", next, err)
			}
			next++
		}
		got := law.LimitBitsPerSecond()
		if math.Abs(got-expected.RateBitsPerSecond) > v.ToleranceRelative*expected.RateBitsPerSecond {
			t.Errorf("at %d ns: rate %v, want %v (%s)",
				expected.TNanos, got, expected.RateBitsPerSecond, expected.Comment)
		}
		if expected.Idle != nil && law.Idle(expected.TNanos) != *expected.Idle {
			t.Errorf("at %d ns: idle %v, want %v (%s)",
				expected.TNanos, !*expected.Idle, *expected.Idle, expected.Comment)
		}
	}
	if next != len(v.Events) {
		t.Errorf("%d events come after the last expectation", len(v.Events)-next)
	}
}

// A file that is not in the index would be run by nobody.
func TestIndexNamesEveryVector(t *testing.T) {
	for _, directory := range []string{vectorDirectory, severalDirectory} {
		entries, err := os.ReadDir(directory)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, entry := range entries {
			isVector := !strings.HasSuffix(entry.Name(), ".schema.json") && entry.Name() != "index.json"
			if isVector && !entry.IsDir() { // a directory: vectors of something else
				found = append(found, entry.Name())
			}
		}
		listed := vectorFiles(t, directory)
		slices.Sort(listed)
		if !slices.Equal(found, listed) {
			t.Errorf("index of %s lists %v, the directory holds %v", directory, listed, found)
		}
	}
}
