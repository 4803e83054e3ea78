// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// kilobyte is a frame of 1000 bytes.
func kilobyte() testnet.Frame {
	frame := udpOut()
	frame.PayloadBytes = 1000 - testnet.EthernetBytes - 20 - 8
	return frame
}

// passing sends so many frames and returns how many passed.
func (f *fixture) passing(frame testnet.Frame, frames int) int {
	f.t.Helper()
	passed := 0
	for range frames {
		if f.fromVM(frame).verdict == verdictNext {
			passed++
		}
	}
	return passed
}

// A byte in 0.1 s: next to nothing is refilled while a test runs.
const trickle = 10

// of is a bucket of so many kilobytes that is hardly refilled.
func bucketOf(kilobytes int) htb.Police {
	return htb.Police{BytesPerSecond: trickle, Depth: time.Duration(kilobytes) * 1000 * time.Second / trickle}
}

func TestThePolicerPassesWhatItsBucketHolds(t *testing.T) {
	f := newFixture(t)
	if passed := f.passing(kilobyte(), 20); passed != 20 {
		t.Fatalf("%d of 20 passed without a bucket", passed)
	}
	f.PoliceEndpoint(endpointIndex, bucketOf(7))
	if passed := f.passing(kilobyte(), 20); passed != 7 {
		t.Errorf("%d frames passed, want the 7 that the bucket holds", passed)
	}
	if dropped := f.PolicedPackets(endpointIndex); dropped != 13 {
		t.Errorf("%d drops counted, want 13", dropped)
	}
	if counters := f.Endpoint(endpointIndex); counters.SentPackets != 40 {
		t.Errorf("%d packets offered, want 40", counters.SentPackets)
	}
	f.PoliceEndpoint(endpointIndex, htb.Police{})
	if passed := f.passing(kilobyte(), 5); passed != 5 {
		t.Errorf("%d of 5 passed after the end of policing", passed)
	}
}

func TestThePolicerNeedsTokensOfBothBuckets(t *testing.T) {
	f := newFixture(t)
	if err := f.SetDestination(endpointIndex, peer4, 2); err != nil {
		t.Fatal(err)
	}
	elsewhere := kilobyte()
	elsewhere.Destination = other4
	f.PoliceEndpoint(endpointIndex, bucketOf(10))
	f.PoliceGroup(endpointIndex, 2, bucketOf(4))
	if passed := f.passing(kilobyte(), 8); passed != 4 {
		t.Errorf("%d frames passed through the port, want 4", passed)
	}
	if passed := f.passing(elsewhere, 8); passed != 6 {
		t.Errorf("%d frames passed elsewhere, want the endpoint's other 6", passed)
	}
	if group, all := f.PolicedGroupPackets(endpointIndex, 2), f.PolicedPackets(endpointIndex); group != 4 || all != 2 {
		t.Errorf("%d and %d drops counted, want 4 of the port's and 2 of the endpoint's", group, all)
	}
	// What the endpoint's bucket refuses is not taken from the port's.
	f.PoliceGroup(endpointIndex, 2, bucketOf(9))
	f.passing(kilobyte(), 5)
	f.PoliceEndpoint(endpointIndex, bucketOf(100))
	if passed := f.passing(kilobyte(), 8); passed != 5 {
		t.Errorf("%d frames passed, want the 5 that are left of the port's 9", passed)
	}
}

func TestThePolicerFollowsItsRate(t *testing.T) {
	f := newFixture(t)
	f.PoliceEndpoint(endpointIndex, bucketOf(3))
	f.passing(kilobyte(), 10)
	// At another rate the lack of tokens lasts as long as it did, so a short depth would refuse all.
	f.PoliceEndpoint(endpointIndex, htb.Police{BytesPerSecond: 1e9, Depth: 1e3 * time.Hour})
	if passed := f.passing(kilobyte(), 50); passed != 50 {
		t.Errorf("%d of 50 passed at a high rate", passed)
	}
}

// pass has so much of a bucket's time pass: it keeps the instant when it is full again.
func pass(bucket *bpfBucket, time time.Duration) {
	bucket.FullTicks -= min(bucket.FullTicks, uint64(time.Nanoseconds())*ticksPerNano)
}

// A sender of twice the rate has exactly the rate over a second of the bucket's time, beside what it held at first.
func TestThePolicerPassesItsRate(t *testing.T) {
	const depth, step = 10 * time.Millisecond, time.Millisecond
	f := newFixture(t)
	for _, megabits := range []int{5, 20, 100} {
		bytesPerSecond := megabits * 125_000
		for name, set := range map[string]func(htb.Police) *bpfBucket{
			"endpoint": func(police htb.Police) *bpfBucket {
				f.PoliceEndpoint(endpointIndex, police)
				return &f.endpoints.At(endpointIndex).Bucket
			},
			"group": func(police htb.Police) *bpfBucket {
				f.PoliceGroup(endpointIndex, 0, police)
				return &f.groups.At(endpointIndex * groupSlots).Bucket
			},
		} {
			bucket := set(htb.Police{BytesPerSecond: uint64(bytesPerSecond), Depth: depth})
			passed, began := 0, clock.Nanos()
			for range time.Second / step {
				passed += 1000 * f.passing(kilobyte(), 2*bytesPerSecond/1_000_000+1)
				pass(bucket, step)
			}
			// Real time passes meanwhile, too.
			took := (time.Second + depth + time.Duration(clock.Nanos()-began)).Seconds()
			least, most := bytesPerSecond-1000, int(float64(bytesPerSecond)*took)+1000
			if passed < least || passed > most {
				t.Errorf("%s: %d bytes in a second at %d a second, want %d to %d", name, passed, bytesPerSecond, least, most)
			}
			set(htb.Police{})
		}
	}
}

func TestPolicingEndsWithTheLeaseAndEnforcement(t *testing.T) {
	f := newFixture(t)
	f.PoliceEndpoint(endpointIndex, bucketOf(1))
	if passed := f.passing(kilobyte(), 5); passed != 1 {
		t.Fatalf("%d of 5 passed, want 1", passed)
	}
	f.SetEnforcing(false)
	if passed := f.passing(kilobyte(), 5); passed != 5 {
		t.Errorf("%d of 5 passed without enforcement", passed)
	}
	f.SetEnforcing(true)
	if passed := f.passing(kilobyte(), 5); passed != 0 {
		t.Errorf("%d of 5 passed with it again", passed)
	}
	f.RenewLease(clock.Nanos() - 1)
	if passed := f.passing(kilobyte(), 5); passed != 5 {
		t.Errorf("%d of 5 passed after the lease", passed)
	}
}
