// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

const (
	megabit   = 1_000_000
	testFrame = 1514
)

func claimOf(tenant string, weight float64, guarantee, ceiling uint64) *endpoint {
	return &endpoint{claim: Claim{tenant, weight, guarantee * megabit, ceiling * megabit}, sending: 1}
}

func TestATenantsShareDoesNotGrowWithItsEndpoints(t *testing.T) {
	got := divideUplink(50*megabit, testFrame, map[int]*endpoint{
		1: claimOf("many", 0.25, 0, 50), 2: claimOf("many", 0.25, 0, 50), 3: claimOf("many", 0.25, 0, 50),
		4: claimOf("many", 0.25, 0, 50), 5: claimOf("one", 1, 0, 50),
	})
	if many, one := got.tenants["many"].RateBitsPerSecond, got.tenants["one"].RateBitsPerSecond; many+1 < 25*megabit || one+1 < 25*megabit {
		t.Errorf("%d and %d bit/s, want half each", many, one)
	}
	if one := got.endpoints[4].RateBitsPerSecond; one > 6_250_000 || one < 6_250_000-1 {
		t.Errorf("an endpoint of four has %d bit/s, want a quarter of 25 Mbit/s", one)
	}
}

// By weights alone each of gold's would have 5 of 50. The other one's part is what it would be if the
// guarantee were another tenant's.
func TestAnEndpointsGuaranteeDoesNotReduceItsTenantsOthers(t *testing.T) {
	got := divideUplink(50*megabit, testFrame, map[int]*endpoint{
		1: claimOf("gold", 1, 32, 50), 2: claimOf("gold", 1, 0, 50), 3: claimOf("iron", 8, 0, 50),
	})
	for index, want := range map[int]uint64{1: 32 * megabit, 2: 2 * megabit, 3: 16 * megabit} {
		if rate := got.endpoints[index].RateBitsPerSecond; rate > want || rate < want-1 {
			t.Errorf("endpoint %d has %d bit/s, want %d", index, rate, want)
		}
	}
	if gold := got.tenants["gold"].RateBitsPerSecond; gold > 34*megabit || gold < 34*megabit-1 {
		t.Errorf("the tenant has %d bit/s, want the sum of its endpoints'", gold)
	}
}

func TestCapacityBeyondAnEndpointsCeilingStaysInItsTenant(t *testing.T) {
	got := divideUplink(50*megabit, testFrame, map[int]*endpoint{
		1: claimOf("a", 1, 0, 5), 2: claimOf("a", 1, 0, 50), 3: claimOf("b", 2, 0, 50),
	})
	for index, want := range map[int]uint64{1: 5 * megabit, 2: 20 * megabit, 3: 25 * megabit} {
		if rate := got.endpoints[index].RateBitsPerSecond; rate > want || rate < want-1 {
			t.Errorf("endpoint %d has %d bit/s, want %d", index, rate, want)
		}
	}
}

func TestGuaranteesLeaveATenthToOthers(t *testing.T) {
	got := divideUplink(50*megabit, testFrame, map[int]*endpoint{
		1: claimOf("gold", 1, 60, 50), 2: claimOf("silver", 1, 40, 50), 3: claimOf("iron", 1, 0, 50),
	})
	for tenant, want := range map[string]uint64{"gold": 25 * megabit, "silver": 20 * megabit, "iron": 5 * megabit} {
		if rate := got.tenants[tenant].RateBitsPerSecond; rate > want || rate < want-1 {
			t.Errorf("%s has %d bit/s, want %d", tenant, rate, want)
		}
	}
}

func TestQuantaFollowTheWeightsOfActiveEndpoints(t *testing.T) {
	endpoints := map[int]*endpoint{
		1: claimOf("a", 1, 0, 50), 2: claimOf("a", 1, 0, 50), 3: claimOf("a", 2, 0, 50), 4: claimOf("b", 4, 0, 50),
	}
	check := func(what string, want ...uint32) {
		t.Helper()
		got := divideUplink(50*megabit, testFrame, endpoints).endpoints
		for i, bytes := range want {
			if quantum := got[i+1].QuantumBytes; quantum != bytes {
				t.Errorf("%s: endpoint %d has turns of %d bytes, want %d", what, i+1, quantum, bytes)
			}
		}
	}
	check("all send", 3028, 3028, 6056, 12112)
	endpoints[1].sending, endpoints[3].sending = 0, 0
	check("one of a's sends: it has a's turns", 6056, 12112, 8074, 12112)
	endpoints[4].sending = 2
	check("b sends towards two ports", 6056, 12112, 8074, 6056)
	endpoints[4].sending = 8
	check("b sends towards eight", 6056, 12112, 8074, 1514)
}

func TestQuantaStayWithinHTBsRange(t *testing.T) {
	for _, heavy := range []float64{1, 100, 1e6, math.MaxFloat64} {
		for index, part := range divideUplink(50*megabit, testFrame, map[int]*endpoint{
			1: claimOf("a", 1e-300, 0, 50), 2: claimOf("b", heavy, 0, 50), 3: claimOf("b", 1, 0, 50),
		}).endpoints {
			if part.QuantumBytes < testFrame || part.QuantumBytes > htb.MaxQuantumBytes {
				t.Errorf("weight %g: endpoint %d has turns of %d bytes", heavy, index, part.QuantumBytes)
			}
		}
	}
}

// HTB does not refuse rates that exceed their parent's in sum; guarantees would not hold then.
func TestRatesOfClassesAddUpToTheirParentsAtMost(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2_000 {
		const capacity = 10_000 * megabit
		endpoints := map[int]*endpoint{}
		for i := range 1 + random.IntN(40) {
			tenant := fmt.Sprint(random.IntN(6))
			e := claimOf(tenant, math.Pow(10, 6*random.Float64()-3), 0, 1+random.Uint64N(12_000))
			if random.IntN(3) == 0 {
				e.claim.GuaranteeBitsPerSecond = random.Uint64N(2 * capacity)
			}
			e.sending = random.IntN(3)
			endpoints[i+1] = e
		}
		got := divideUplink(capacity, testFrame, endpoints)
		sums, total := map[string]uint64{}, uint64(0)
		for index, part := range got.endpoints {
			sums[endpoints[index].claim.Tenant] += part.RateBitsPerSecond
			if part.RateBitsPerSecond > part.CeilingBitsPerSecond {
				t.Fatalf("endpoint %d owns more than its ceiling: %+v", index, part)
			}
		}
		for tenant, part := range got.tenants {
			total += part.RateBitsPerSecond
			if sums[tenant] > part.RateBitsPerSecond+1 || part.RateBitsPerSecond > part.CeilingBitsPerSecond {
				t.Fatalf("tenant %s: %+v, its endpoints own %d bit/s", tenant, part, sums[tenant])
			}
		}
		if total > capacity {
			t.Fatalf("tenants own %d bit/s of %d", total, uint64(capacity))
		}
	}
}
