// SPDX-License-Identifier: Apache-2.0

package uplink

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// How long a sparse frame of one endpoint takes through an uplink of 50 Mbit/s that five endpoints, its own
// among them, keep full: where endpoints own their parts, and where all of them only borrow.
func BenchmarkSparseLatency(b *testing.B) {
	for name, claim := range map[string]func(*bench){
		"owned": func(u *bench) {
			quarter := Claim{Tenant: "many", Weight: 0.25}
			u.claim(quarter, quarter, quarter, quarter, Claim{Tenant: "one", Weight: 1})
		},
		"borrowed": func(u *bench) {
			u.must(u.tree.AddTenant(1, htb.Part{RateBitsPerSecond: testCapacity, CeilingBitsPerSecond: testCapacity}))
			for i := range 5 {
				u.must(u.tree.AddEndpoint(i+1, 1, htb.Part{CeilingBitsPerSecond: testCapacity, QuantumBytes: 2 * testFrame}))
				u.must(u.tree.FitLeaves(i+1, 0, testCapacity, 200_000, 0))
			}
		},
	} {
		for size, frame := range map[string][]byte{"small": make([]byte, 100), "full": make([]byte, 1514)} {
			b.Run(name+"/"+size, func(b *testing.B) {
				u := newBench(b)
				claim(u)
				u.flood(1, 2, 3, 4, 5)
				u.waitUntilBacklogged(1, 2, 3, 4, 5)
				capture := testnet.NewCapture(b, u.far)
				sender := testnet.NewSender(b, u.device)
				sender.Priority(leafClass(1, sparse))
				numbered(frame, 0)
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					sender.Send(frame)
					capture.Next(time.Second, isNumbered)
					took = append(took, time.Since(began))
					b.StopTimer()
					time.Sleep(5 * time.Millisecond) // between two frames of a sparse flow
					capture.Waiting(isNumbered)
					b.StartTimer()
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
			})
		}
	}
}

// A change of one weight among all endpoints that a host can have changes what all of them own.
func BenchmarkApply(b *testing.B) {
	u := newBench(b)
	weight := 1.0
	for index := 1; index <= htb.MaxClasses; index++ {
		u.must(u.scheduler.Put(index, Claim{Tenant: "t", Weight: weight, CeilingBitsPerSecond: testCapacity}))
	}
	u.must(u.scheduler.Apply())
	for b.Loop() {
		weight++
		u.must(u.scheduler.Put(1, Claim{Tenant: "t", Weight: weight, CeilingBitsPerSecond: testCapacity}))
		u.must(u.scheduler.Apply())
	}
}
