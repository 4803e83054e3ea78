// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"math"
	"testing"
	"time"
)

// endpointOf is a division under offered loads, in bit/s, as an endpoint that offers them would see it.
type endpointOf struct {
	division
	nanos                int64
	uplinkBytes, near    uint64
	uplinkLoad, nearLoad float64
}

// run lets that go on for so long, and returns what is carried in the last second of it.
func (e *endpointOf) run(length time.Duration, ceiling uint64) (uplink, near float64) {
	const step = 20 * time.Millisecond
	carried := func(load float64, part uint64) float64 { return min(load, float64(part)) }
	steps := 0
	for begun := e.nanos; e.nanos-begun < length.Nanoseconds(); {
		e.nanos += step.Nanoseconds()
		e.uplinkBytes += uint64(e.uplinkLoad / 8 * step.Seconds())
		e.near += uint64(e.nearLoad / 8 * step.Seconds())
		e.divide(e.nanos, ceiling, e.uplinkBytes, e.near)
		if e.nanos-begun > length.Nanoseconds()-time.Second.Nanoseconds() {
			steps++
			uplink += carried(e.uplinkLoad, e.uplink.ceiling)
			near += carried(e.nearLoad, e.neighbours.ceiling)
		}
	}
	return uplink / float64(steps), near / float64(steps)
}

func TestACeilingIsDivided(t *testing.T) {
	const ceiling = 100e6
	e := &endpointOf{}
	for _, c := range []struct {
		what                 string
		uplinkLoad, nearLoad float64
		uplink, near         float64
	}{
		{"the uplink alone", 1e9, 0, 100e6, 0},
		{"neighbours alone", 0, 1e9, 0, 100e6},
		{"both want all", 1e9, 1e9, 50e6, 50e6},
		{"the uplink wants little", 20e6, 1e9, 20e6, 80e6},
		{"neighbours want little", 1e9, 30e6, 70e6, 30e6},
		{"both fit", 40e6, 50e6, 40e6, 50e6},
		{"both want all again", 1e9, 1e9, 50e6, 50e6},
		{"next to nothing is nothing", 1e9, 1e6, 100e6, 1e6},
	} {
		e.uplinkLoad, e.nearLoad = c.uplinkLoad, c.nearLoad
		uplink, near := e.run(5*time.Second, ceiling)
		if math.Abs(uplink-c.uplink) > 0.02*ceiling || math.Abs(near-c.near) > 0.02*ceiling {
			t.Errorf("%s: %.1f and %.1f Mbit/s, want %.1f and %.1f", c.what, uplink/1e6, near/1e6, c.uplink/1e6, c.near/1e6)
		}
		if sum := uplink + near; sum > 1.01*ceiling+1 {
			t.Errorf("%s: %.1f Mbit/s in all", c.what, sum/1e6)
		}
	}
	if e.divide(e.nanos, 0, e.uplinkBytes, e.near); e.uplink.ceiling != 0 || e.neighbours.ceiling != 0 {
		t.Errorf("%+v: want no parts without a ceiling", e.division)
	}
}

func TestALowerCeilingHoldsAtOnce(t *testing.T) {
	e := &endpointOf{uplinkLoad: 1e9, nearLoad: 1e9}
	e.run(time.Second, 100e6)
	e.divide(e.nanos, 10e6, e.uplinkBytes, e.near)
	if sum := e.uplink.ceiling + e.neighbours.ceiling; sum > 10e6 {
		t.Errorf("%+v: want 10 Mbit/s in all", e.division)
	}
}
