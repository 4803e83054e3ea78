// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"fmt"
	"math"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// division is what endpoints are due of an uplink of 50 Mbit/s. That the kernel's classes have it is a test; that the
// kernel then lets so much through is BenchmarkRates.
type division struct {
	claims []Claim
	owns   []float64 // Mbit/s of each endpoint's class
	// floods are those that send all they can; sends is what they get then; 0: not checked.
	floods []int
	sends  []float64
	// turns of those that flood, as parts of each other, where they borrow what others leave; nil: nobody does.
	turns []float64
}

func silentTenants(count int, beside ...Claim) []Claim {
	for i := range count {
		beside = append(beside, Claim{Tenant: fmt.Sprint("silent ", i), Weight: 4})
	}
	return beside
}

var quarter = Claim{Tenant: "many", Weight: 0.25}

var divisions = map[string]division{
	"tenants by weight": {
		claims: []Claim{{Tenant: "gold", Weight: 2}, {Tenant: "iron", Weight: 1}},
		owns:   []float64{33.33, 16.67}, floods: []int{1, 2}, sends: []float64{33.33, 16.67},
	},
	"four endpoints of a tenant and one of another": {
		claims: []Claim{quarter, quarter, quarter, quarter, {Tenant: "one", Weight: 1}},
		owns:   []float64{6.25, 6.25, 6.25, 6.25, 25}, floods: []int{1, 2, 3, 4, 5}, sends: []float64{6.25, 6.25, 6.25, 6.25, 25},
	},
	"a guarantee above the weight's part": {
		claims: []Claim{{Tenant: "a", Weight: 1, GuaranteeBitsPerSecond: 30 * megabit}, {Tenant: "b", Weight: 1}, {Tenant: "c", Weight: 3}},
		owns:   []float64{30, 5, 15}, floods: []int{1, 2, 3}, sends: []float64{30, 5, 15},
	},
	"a ceiling, and the rest to others": {
		claims: []Claim{{Tenant: "a", Weight: 1, CeilingBitsPerSecond: 10 * megabit}, {Tenant: "b", Weight: 1}, {Tenant: "b", Weight: 1}},
		owns:   []float64{10, 20, 20}, floods: []int{1, 2, 3}, sends: []float64{10, 20, 20},
	},
	// What an endpoint does not use is its tenant's before it is anybody else's.
	"a tenant keeps what one of its endpoints leaves": {
		claims: []Claim{{Tenant: "a", Weight: 1}, {Tenant: "a", Weight: 1}, {Tenant: "b", Weight: 2}},
		owns:   []float64{12.5, 12.5, 25}, floods: []int{2, 3}, sends: []float64{0, 25, 25},
	},
	// 27 of 30 tenants are silent: nearly all of the uplink is lent.
	"what silent tenants leave is lent by weight": {
		claims: silentTenants(27,
			Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "a", Weight: 1},
			Claim{Tenant: "b", Weight: 4}, Claim{Tenant: "c", Weight: 2}),
		owns:   []float64{0.424, 0.424, 0.424, 0.424, 1.695, 0.847},
		floods: []int{1, 5, 6}, sends: []float64{20, 0, 0, 0, 20, 10}, turns: []float64{2, 2, 1},
	},
}

// divided puts a division's claims into force, as of some looks at who sends.
func (b *bench) divided(d *division) {
	b.t.Helper()
	b.claim(d.claims...)
	offered := make([]uint64, model.MaxGroups+1)
	for second := range int64(2) {
		b.must(b.scheduler.Observe((second+1)*1e9, func(endpoint int) []uint64 {
			offered[0] = 0
			for _, floods := range d.floods {
				if floods == endpoint {
					offered[0] = uint64(second + 1)
				}
			}
			return offered
		}))
	}
}

// owns checks, in Mbit/s, what endpoints 1, 2, ... own as the kernel has it, that their tenants own the sum, and that
// nothing on the way up holds them to less than their ceilings.
func (b *bench) owns(want ...float64) {
	b.t.Helper()
	classes, sums := b.classes(), map[uint32]float64{}
	for i, megabits := range want {
		class := classes[endpointClass(i+1)]
		if got := megabitsOf(class); math.Abs(got-megabits) > megabits*0.002 {
			b.t.Errorf("endpoint %d owns %.3f Mbit/s, want %.3f", i+1, got, megabits)
		}
		sums[class.Parent] += megabits
		if tenant := classes[class.Parent]; tenant.Ceil < class.Ceil || tenant.Parent != uplinkClass {
			b.t.Errorf("tenant of endpoint %d: %+v above %+v", i+1, tenant, class)
		}
		if ceiling := b.scheduler.endpoints[i+1].claim.CeilingBitsPerSecond; class.Ceil*8 != ceiling {
			b.t.Errorf("endpoint %d has a ceiling of %d bit/s, want %d", i+1, class.Ceil*8, ceiling)
		}
		for _, leaf := range []int{sparse, bulk} {
			if below := classes[leafClass(i+1, leaf)]; below == nil || below.Prio != classes[leafClass(1, bulk)].Prio {
				b.t.Errorf("endpoint %d: leaf %+v goes before or after those of others", i+1, below)
			}
		}
	}
	for handle, sum := range sums {
		if got := megabitsOf(classes[handle]); math.Abs(got-sum) > sum*0.002 {
			b.t.Errorf("tenant %x owns %.3f Mbit/s, its endpoints %.3f", handle, got, sum)
		}
	}
}

const uplinkClass = htb.Handle | 1

func megabitsOf(class *netlink.HtbClass) float64 { return float64(class.Rate) * 8 / megabit }

func TestTheKernelsClassesHaveTheirEndpointsDueRates(t *testing.T) {
	for name, d := range divisions {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.divided(&d)
			b.owns(d.owns...)
			classes := b.classes()
			for i, turn := range d.turns {
				got := float64(classes[leafClass(d.floods[i], bulk)].Quantum)
				want := turn * float64(classes[leafClass(d.floods[0], bulk)].Quantum) / d.turns[0]
				if math.Abs(got-want) > want*0.02 {
					t.Errorf("endpoint %d has turns of %.0f bytes, want %.0f", d.floods[i], got, want)
				}
			}
		})
	}
}

func TestChangedWeightsHoldInTheKernelAtOnce(t *testing.T) {
	b := newBench(t)
	for _, weights := range [][2]float64{{4, 1}, {1, 4}, {1, 1}, {3, 2}} {
		b.claim(Claim{Tenant: "a", Weight: weights[0]}, Claim{Tenant: "b", Weight: weights[1]})
		sum := weights[0] + weights[1]
		b.owns(50*weights[0]/sum, 50*weights[1]/sum)
	}
}

func TestLimitsAreExactInTheKernel(t *testing.T) {
	b := newBench(t)
	for _, megabits := range limits {
		b.limit(megabits)
		classes := b.classes()
		for _, handle := range []uint32{endpointClass(1), leafClass(1, group)} {
			if got := classes[handle].Ceil * 8; got != megabits*megabit {
				t.Errorf("class %x: %d bit/s of %d Mbit/s", handle, got, megabits)
			}
		}
		for _, leaf := range []int{sparse, bulk} { // what either sends counts for the group's limit
			if parent := classes[leafClass(1, leaf)].Parent; parent != leafClass(1, group) {
				t.Errorf("leaf %d is below %x", leaf, parent)
			}
		}
	}
}

// limits, Mbit/s, of an endpoint's group.
var limits = []uint64{2, 10, 25, 45}

// group is the default one's class, between its leaves'.
const group = 2

func (b *bench) limit(megabits uint64) {
	b.t.Helper()
	b.claim(Claim{Tenant: "a", Weight: 1, CeilingBitsPerSecond: megabits * megabit}, Claim{Tenant: "b", Weight: 1})
	b.must(b.tree.SetGroup(1, 0, megabits*megabit))
}
