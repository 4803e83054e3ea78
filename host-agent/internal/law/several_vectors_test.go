// SPDX-License-Identifier: Apache-2.0

package law

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const severalDirectory = vectorDirectory + "/several-ports"

// severalVector drives one endpoint with several congested ports (docs/control-law-vectors.md).
type severalVector struct {
	Description            string               `json:"description"`
	ToleranceBitsPerSecond float64              `json:"toleranceBitsPerSecond"`
	ToleranceRelative      float64              `json:"toleranceRelative"`
	Parameters             json.RawMessage      `json:"parameters"`
	Events                 []severalEvent       `json:"events"`
	Expected               []severalExpectation `json:"expected"`
}

type severalEvent struct {
	vectorEvent
	Port         model.Port   `json:"port"`
	Destinations []int        `json:"destinations"`
	PairPart     float64      `json:"pairPart"`
	Open         bool         `json:"open"`
	To           int          `json:"to"`
	Backlogged   []model.Port `json:"backlogged"`
}

type severalExpectation struct {
	TNanos int64 `json:"tNanos"`
	Ports  map[model.Port]struct {
		LimitBitsPerSecond float64 `json:"limitBitsPerSecond"`
		CEShare            float64 `json:"ceShare"`
		Idle               bool    `json:"asleep"`
	} `json:"ports"`
	Obeyed  map[int]model.Port `json:"obeyed"`
	Comment string             `json:"comment"`
}

func TestSeveralPortsVectors(t *testing.T) {
	for _, name := range vectorFiles(t, severalDirectory) {
		t.Run(name, func(t *testing.T) {
			var v severalVector
			readVector(t, severalDirectory, "several-ports-vector.schema.json", name, &v)
			v.run(t)
		})
	}
}

func (v severalVector) run(t *testing.T) {
	var parameters TwoTimeScaleParameters
	if err := strictly(v.Parameters, &parameters); err != nil {
		t.Fatal(err)
	}
	e := NewEndpoint(func() model.Law { return NewTwoTimeScale(parameters) }, model.Bounds{Weight: 1})
	next := 0
	for _, expected := range v.Expected {
		for ; next < len(v.Events) && v.Events[next].TNanos <= expected.TNanos; next++ {
			if err := v.Events[next].play(e); err != nil {
				t.Fatalf("event %d: %v", next, err)
			}
		}
		for port, want := range expected.Ports {
			got, ok := stateOf(e, port)
			if !ok {
				t.Fatalf("at %d ns: %s is not controlled", expected.TNanos, port)
			}
			if math.Abs(float64(got.LimitBitsPerSecond)-want.LimitBitsPerSecond) > v.ToleranceBitsPerSecond ||
				math.Abs(got.CEShare-want.CEShare) > v.ToleranceRelative*want.CEShare || got.Idle != want.Idle {
				t.Errorf("at %d ns: %+v, want %+v (%s)", expected.TNanos, got, want, expected.Comment)
			}
		}
		for destination, want := range expected.Obeyed {
			if got := obeyedPort(e, address(byte(destination))); got != want {
				t.Errorf("at %d ns: %d obeys %s, want %s (%s)", expected.TNanos, destination, got, want, expected.Comment)
			}
		}
	}
	if next != len(v.Events) {
		t.Errorf("%d events come after the last expectation", len(v.Events)-next)
	}
}

func (event severalEvent) play(e *Endpoint) error {
	switch event.Type {
	case "policy":
		e.SetBounds(model.Bounds{CeilingBitsPerSecond: event.CeilingBitsPerSecond,
			GuaranteeBitsPerSecond: event.GuaranteeBitsPerSecond, Weight: event.Weight})
		return nil
	case "unitShare":
		var behind []netip.Addr
		for _, destination := range event.Destinations {
			behind = append(behind, address(byte(destination)))
		}
		return e.SetShare(event.share(), behind, model.Terms{Weight: event.Weight, PairPart: event.PairPart})
	case "relayedShare":
		_, err := e.SetRelayedShare(event.share(), address(byte(event.To)))
		return err
	case "session":
		e.SetSession(event.Open)
		return nil
	case "feedback":
		e.Feedback(address(byte(event.To)), uint64(event.Packets), event.CEPackets)
		return nil
	case "sent":
		e.Sent(event.TNanos, address(byte(event.To)), event.Bytes)
		return nil
	case "tick":
		mask := uint8(0)
		for i := range model.MaxGroups {
			if state, ok := e.Group(i); ok {
				for _, port := range event.Backlogged {
					if state.Port == port {
						mask |= 1 << i
					}
				}
			}
		}
		e.Step(event.TNanos, mask)
		return nil
	default:
		return fmt.Errorf("event type %q is unknown", event.Type)
	}
}

func (event severalEvent) share() model.UnitShare {
	return model.UnitShare{
		Port: event.Port, UnitShareBitsPerSecond: event.UnitShareBitsPerSecond,
		CapacityBitsPerSecond: event.CapacityBitsPerSecond, ActiveWeight: event.ActiveWeight,
		Expired: event.Expired, LentPart: event.LentPart, EqualCost: event.EqualCost,
	}
}

func stateOf(e *Endpoint, port model.Port) (GroupState, bool) {
	for i := range model.MaxGroups {
		if state, ok := e.Group(i); ok && state.Port == port {
			return state, true
		}
	}
	return GroupState{}, false
}

func obeyedPort(e *Endpoint, to netip.Addr) model.Port {
	i, ok := e.Governing(to)
	if !ok {
		return "none"
	}
	state, _ := e.Group(i)
	return state.Port
}
