// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

func TestBaseRoundTripIsTheMinimumOfTenSeconds(t *testing.T) {
	const second = int64(time.Second)
	pair := model.Pair{Source: ownIP, Destination: peerIP}
	r := roundTrips{peers: map[model.Pair]*peer{}}
	if !r.active(1, pair, shim.ReturnPath{}) || r.active(2, pair, shim.ReturnPath{}) {
		t.Error("want a new peer by the first feedback only")
	}
	measure := func(at int64, took, held time.Duration) {
		r.peers[pair].reported = at
		r.peers[pair].echoNanos = at
		r.answered(at+int64(took+held), wire.Echo{
			Pair: pair, Answer: true, LoopNanos: 5_000_000, SentNanos: at, HeldNanos: int64(held),
		})
	}
	base := func(at int64) time.Duration { r.peers[pair].reported = at; return r.paced(at).Base }
	measure(second, 300*time.Microsecond, 2*time.Millisecond)
	measure(2*second, 200*time.Microsecond, 0)
	for i := range int64(9) {
		measure((3+i)*second, time.Duration(400+i)*time.Microsecond, time.Millisecond)
	}
	if got := base(11 * second); got != 200*time.Microsecond {
		t.Errorf("%v, want the least", got)
	}
	if got := base(12*second + second/2); got != 400*time.Microsecond {
		t.Errorf("%v, want what is not older than 10 s", got)
	}
	if got := r.paced(12 * second).PeerTau; got != 5*time.Millisecond {
		t.Errorf("loop %v, want the peer's", got)
	}
	if got := r.paced(20 * second).Base; got != 0 {
		t.Errorf("%v of a peer without feedback", got)
	}
	r.answered(20*second, wire.Echo{Pair: pair, Answer: true, SentNanos: 11 * second})
	if got := base(30 * second); got != 0 {
		t.Errorf("%v from an answer that no echo awaits", got)
	}
}

// The loop waits for the nearest peer; each destination has its own round trip.
func TestTheShortestRoundTripPacesTheLoop(t *testing.T) {
	const second = int64(time.Second)
	r := roundTrips{peers: map[model.Pair]*peer{}}
	for i, took := range []time.Duration{10 * time.Millisecond, 300 * time.Microsecond, 2 * time.Millisecond} {
		pair := model.Pair{Source: ownIP, Destination: netip.AddrFrom4([4]byte{10, 9, 0, byte(i)})}
		r.active(second, pair, shim.ReturnPath{})
		r.peers[pair].echoNanos = second
		r.answered(second+int64(took), wire.Echo{Pair: pair, Answer: true, SentNanos: second})
		if got := r.peers[pair].base(2 * second); got != took {
			t.Errorf("base %v, want %v", got, took)
		}
	}
	if got := r.paced(2 * second).Base; got != 300*time.Microsecond {
		t.Errorf("paced by %v, want the nearest", got)
	}
}
