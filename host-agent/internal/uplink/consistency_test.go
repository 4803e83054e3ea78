// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// expectTree compares the kernel's classes with the claims, and their rates among each other.
func (b *bench) expectTree(trunk int) {
	b.t.Helper()
	classes := b.classes()
	tenants, owned, total := map[string]uint32{}, map[uint32]uint64{}, uint64(0)
	byClass := map[uint32]string{}
	for index, e := range b.scheduler.endpoints {
		class := classes[endpointClass(index)]
		if class == nil {
			b.t.Fatalf("endpoint %d has no class", index)
		}
		if former, known := tenants[e.claim.Tenant]; known && former != class.Parent {
			b.t.Fatalf("tenant %q has the classes %x and %x", e.claim.Tenant, former, class.Parent)
		}
		if other, known := byClass[class.Parent]; known && other != e.claim.Tenant {
			b.t.Fatalf("class %x is that of %q and %q", class.Parent, other, e.claim.Tenant)
		}
		tenants[e.claim.Tenant], byClass[class.Parent] = class.Parent, e.claim.Tenant
		if want := max(e.part.RateBitsPerSecond, 8000) / 8; class.Rate != want || class.Ceil != e.claim.CeilingBitsPerSecond/8 {
			b.t.Fatalf("endpoint %d: rate %d, ceiling %d bytes/s, want %d and %d",
				index, class.Rate, class.Ceil, want, e.claim.CeilingBitsPerSecond/8)
		}
		owned[class.Parent] += e.part.RateBitsPerSecond / 8
	}
	for handle, sum := range owned {
		if classes[handle] == nil || classes[handle].Rate < sum {
			b.t.Fatalf("class %x: %v, its endpoints own %d bytes/s", handle, classes[handle], sum)
		}
		total += classes[handle].Rate
	}
	if most := uint64(testCapacity/8 + 1000*len(owned)); total > most { // 8 kbit/s of each is the least
		b.t.Fatalf("tenants own %d bytes/s in sum, want at most %d", total, most)
	}
	if want := trunk + len(tenants) + 4*len(b.scheduler.endpoints); len(classes) != want {
		b.t.Fatalf("%d classes, want %d", len(classes), want)
	}
}

func TestTheKernelsClassesFollowRandomClaims(t *testing.T) {
	b := newBench(t)
	trunk := len(b.classes())
	random := rand.New(rand.NewPCG(5, 6))
	for range 250 {
		for range 1 + random.IntN(4) {
			index := 1 + random.IntN(12)
			if random.IntN(4) == 0 {
				b.must(b.scheduler.Remove(index))
				continue
			}
			b.must(b.scheduler.Put(index, Claim{
				Tenant: fmt.Sprint(random.IntN(5)), Weight: 0.1 + random.Float64(),
				GuaranteeBitsPerSecond: random.Uint64N(3) * random.Uint64N(30*megabit),
				CeilingBitsPerSecond:   megabit + random.Uint64N(testCapacity),
			}))
			if e := b.scheduler.endpoints[index]; random.IntN(3) == 0 {
				e.sending = random.IntN(4)
			}
		}
		b.must(b.scheduler.Apply())
		b.expectTree(trunk)
	}
}

func TestAFailedMoveIsRetried(t *testing.T) {
	b := newBench(t)
	trunk := len(b.classes())
	b.claim(Claim{Tenant: "a", Weight: 1}, Claim{Tenant: "b", Weight: 1}, Claim{Tenant: "b", Weight: 1})
	// Somebody else takes the endpoint's classes away.
	for _, handle := range []uint32{leafClass(2, sparse), leafClass(2, bulk), leafClass(2, 2), endpointClass(2)} {
		b.must(netlink.ClassDel(netlink.NewHtbClass(
			netlink.ClassAttrs{LinkIndex: b.device.Attrs().Index, Handle: handle, Parent: htb.Handle}, netlink.HtbClassAttrs{})))
	}
	b.must(b.scheduler.Put(2, Claim{Tenant: "a", Weight: 1, CeilingBitsPerSecond: testCapacity}))
	if err := b.scheduler.Apply(); err == nil {
		t.Error("that the classes are gone was not reported")
	}
	b.must(b.scheduler.Apply())
	b.expectTree(trunk)
	if len(b.closed) != 0 {
		t.Errorf("%d gates are still closed", len(b.closed))
	}
}
