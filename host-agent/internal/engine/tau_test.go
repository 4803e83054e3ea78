// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func TestTauOfARoundTripTime(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	for _, c := range []struct {
		name     string
		tau      tau
		measured RoundTrips
		want     time.Duration
	}{
		{"nothing measured", tau{}, RoundTrips{}, 2500 * us},
		{"five round trips", tau{}, RoundTrips{400 * us, 0}, 2 * ms},
		{"at least half a millisecond", tau{}, RoundTrips{30 * us, 0}, 500 * us},
		{"at most twenty", tau{}, RoundTrips{80 * ms, 0}, 20 * ms},
		{"half the slowest peer's", tau{}, RoundTrips{100 * us, 8 * ms}, 4 * ms},
		{"a quarter of a processor", tau{turn: 300 * us}, RoundTrips{30 * us, 0}, 1200 * us},
		{"hardly changed", tau{derived: 2 * ms}, RoundTrips{420 * us, 0}, 2 * ms},
		{"changed", tau{derived: 2 * ms}, RoundTrips{500 * us, 0}, 2500 * us},
		{"known no more", tau{derived: 2 * ms}, RoundTrips{}, 2 * ms},
		{"configured", tau{configured: 7 * ms}, RoundTrips{400 * us, 0}, 7 * ms},
		{"set by a controller", tau{set: 9 * ms, configured: 7 * ms}, RoundTrips{400 * us, 0}, 9 * ms},
	} {
		tau := c.tau
		tau.derive(c.measured)
		if got := tau.period(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestATurnIsMeasuredInProcessorTime(t *testing.T) {
	tau := tau{}
	tau.measureWork(time.Second, false) // a base only
	for range 400 {
		tau.countTurn()
	}
	tau.measureWork(1200*time.Millisecond, false)
	if tau.turn != 500*time.Microsecond {
		t.Errorf("%v a turn, want 0.2 s / 400", tau.turn)
	}
	before := processorTime()
	testnet.Until(t, "work takes time", func() bool { return processorTime() > before })
}

func TestTwoAgentsReachTheShortestPeriod(t *testing.T) {
	fast := RoundTrips{Base: 100 * time.Microsecond}
	first, second := tau{derived: maxTau}, tau{derived: maxTau}
	for range 20 {
		fast.PeerTau = second.period()
		first.derive(fast)
		fast.PeerTau = first.period()
		second.derive(fast)
	}
	if first.period() > 2*minTau || second.period() > 2*minTau {
		t.Errorf("%v and %v, want about %v", first.period(), second.period(), minTau)
	}
}
