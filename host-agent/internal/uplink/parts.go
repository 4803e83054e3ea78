// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"maps"
	"math"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// floorsPart of the uplink may be guaranteed, as at every port (docs/two-time-scale-law.md): endpoints
// without a guarantee must not starve.
const floorsPart = 0.9

// parts are what everyone is to have of the uplink.
type parts struct {
	tenants   map[string]htb.Part
	endpoints map[int]htb.Part
}

// members are a tenant's endpoints, and what they claim together.
type members struct {
	indexes []int
	demands []demand
	// weight is the tenant's, sending that of its endpoints that send.
	weight, sending float64
	cap             float64 // bit/s
}

func (m *members) add(index int, d demand, sends bool) {
	m.indexes, m.demands = append(m.indexes, index), append(m.demands, d)
	m.weight += d.weight
	m.cap += d.cap
	if sends {
		m.sending += d.weight
	}
}

// at is what a tenant has at a level: its weight's part, of which the others have what one of its endpoints
// may not use; but not less than its endpoints would have each on its own, so that the guarantee of one is
// not at the cost of the others.
func (m *members) at(level float64) float64 {
	sum := 0.0
	for _, d := range m.demands {
		sum += d.at(level)
	}
	return min(max(m.weight*level, sum), m.cap)
}

// divideUplink divides the capacity among tenants, and each one's part among its endpoints.
func divideUplink(capacity uint64, leastQuantumBytes uint32, endpoints map[int]*endpoint) parts {
	wanted := parts{tenants: map[string]htb.Part{}, endpoints: map[int]htb.Part{}}
	scale := scaleOf(capacity, endpoints)
	byTenant, names, tenants, heaviest := map[string]*members{}, []string{}, []*members{}, 0.0
	for _, index := range slices.Sorted(maps.Keys(endpoints)) { // in order, so that the same claims give the same parts
		e := endpoints[index]
		t := byTenant[e.claim.Tenant]
		if t == nil {
			t = &members{}
			byTenant[e.claim.Tenant] = t
			names, tenants = append(names, e.claim.Tenant), append(tenants, t)
		}
		t.add(index, scale.demand(e.claim), e.sending > 0)
		heaviest = max(heaviest, t.weight)
	}
	turns := turnsFor(leastQuantumBytes, scale.leastWeight, heaviest)
	for i, rate := range divide(scale.capacity, tenants) {
		t := tenants[i]
		wanted.tenants[names[i]] = htb.Part{
			RateBitsPerSecond: uint64(rate), CeilingBitsPerSecond: max(uint64(min(t.cap, scale.capacity)), 1),
		}
		for j, rate := range divide(rate, t.demands) {
			e := endpoints[t.indexes[j]]
			wanted.endpoints[t.indexes[j]] = htb.Part{
				RateBitsPerSecond:    min(uint64(rate), e.claim.CeilingBitsPerSecond),
				CeilingBitsPerSecond: e.claim.CeilingBitsPerSecond,
				QuantumBytes:         turns.quantum(t.demands[j].weight, t, e.sending),
			}
		}
	}
	return wanted
}

// scale makes demands of claims: weights relative to the largest, so that sums stay finite, and floors that
// fit into their part of the uplink.
type scale struct {
	capacity    float64
	mostWeight  float64
	leastWeight float64 // relative
	floors      float64 // factor
}

func scaleOf(capacity uint64, endpoints map[int]*endpoint) scale {
	s := scale{capacity: float64(capacity), leastWeight: math.Inf(1), floors: 1}
	guaranteed := uint64(0)
	for _, e := range endpoints {
		s.mostWeight = max(s.mostWeight, e.claim.Weight)
		s.leastWeight = min(s.leastWeight, e.claim.Weight)
		guaranteed += min(e.claim.GuaranteeBitsPerSecond, e.claim.CeilingBitsPerSecond, capacity)
	}
	s.leastWeight = relative(s.leastWeight, s.mostWeight)
	if most := floorsPart * s.capacity; float64(guaranteed) > most {
		s.floors = most / float64(guaranteed)
	}
	return s
}

func relative(weight, most float64) float64 { return max(weight/most, leastRelativeWeight) }

func (s scale) demand(claim Claim) demand {
	limit := min(float64(claim.CeilingBitsPerSecond), s.capacity)
	return demand{
		weight: relative(claim.Weight, s.mostWeight),
		floor:  s.floors * min(float64(claim.GuaranteeBitsPerSecond), limit),
		cap:    limit,
	}
}

// turns give queues their turns: a weight's length, within what HTB takes.
type turns struct {
	leastBytes     float64
	bytesPerWeight float64
}

// turnsFor has the lightest endpoint's turn be two full frames, or as much less as the heaviest tenant's
// turn needs to stay within htb.MaxQuantumBytes, but a frame at least.
func turnsFor(frameBytes uint32, lightest, heaviest float64) turns {
	least := float64(frameBytes)
	lightestTurn := min(max(htb.MaxQuantumBytes*lightest/heaviest, least), 2*least)
	return turns{leastBytes: least, bytesPerWeight: lightestTurn / lightest}
}

// quantum is the turn of each of an endpoint's queues. Those of a tenant that send have the tenant's weight
// together, and so have an endpoint's queues its own: that the others are silent is their tenant's gain.
func (t turns) quantum(weight float64, of *members, sendingGroups int) uint32 {
	sending := of.sending
	if sendingGroups == 0 {
		sending += weight // as if it began
	}
	bytes := t.bytesPerWeight * of.weight * weight / sending / float64(max(sendingGroups, 1))
	return uint32(min(max(bytes, t.leastBytes), htb.MaxQuantumBytes))
}
