// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// datagram is one of 8000 bytes, in six fragments.
func datagram(source, destination netip.Addr, id uint16) [][]byte {
	return testnet.Fragments(testnet.Frame{
		Source: source, Destination: destination, Protocol: testnet.UDP, SourcePort: 1000, Port: 2000, PayloadBytes: 8000,
	}.Build(), 1500, id)
}

// pass sends frames and counts what passes.
func (f *fixture) pass(frames [][]byte) (passed int) {
	f.t.Helper()
	for _, frame := range frames {
		if !f.dropped(frame) {
			passed++
		}
	}
	return passed
}

// limitsOfFragments are the ways in which what a VM sends is dropped, each with room for two datagrams and a
// half.
var limitsOfFragments = map[string]func(*fixture){
	"leaf":     func(f *fixture) { f.SetLeafBuffer(endpointIndex, 0, bucketOf(20)) },
	"endpoint": func(f *fixture) { f.PoliceEndpoint(endpointIndex, bucketOf(20)) },
	"group":    func(f *fixture) { f.PoliceGroup(endpointIndex, 0, bucketOf(20)) },
	"neighbours": func(f *fixture) {
		f.addNeighbour(peer4, neighbourMAC)
		f.LimitNeighbours(endpointIndex, neighbourBucket(20, 0, 20), htb.Sparse{})
	},
	"residual": func(f *fixture) {
		residual := residualBucket(20)
		residual.Reserve = 0
		f.LimitResidual(endpointIndex, residual)
		if err := f.SetDestination(endpointIndex, peer4, Residual); err != nil {
			f.t.Fatal(err)
		}
	},
}

func TestFragmentsGetTheVerdictOfTheirDatagram(t *testing.T) {
	for name, limit := range limitsOfFragments {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetSparse(endpointIndex, 0, htb.Sparse{}) // all is bulk
			limit(f)
			for id, want := range []int{6, 6, 0, 0} {
				if passed := f.pass(datagram(own4, peer4, uint16(id))); passed != want {
					t.Errorf("datagram %d: %d of 6 fragments pass, want %d", id, passed, want)
				}
			}
			if e := f.Endpoint(endpointIndex); e.LargestFrameBytes < 8000 || e.LargestFrameBytes > 8300 {
				t.Errorf("largest frame %d, want the datagram's", e.LargestFrameBytes)
			}
			dropped := f.PolicedPackets(endpointIndex)
			for group := range groupSlots {
				dropped += f.PolicedGroupPackets(endpointIndex, group)
			}
			if dropped != 12 {
				t.Errorf("%d packets counted as dropped, want 12", dropped)
			}
		})
	}
}

func TestFragmentsOfSeveralDatagramsAreDistinguished(t *testing.T) {
	f := newFixture(t)
	f.SetSparse(endpointIndex, 0, htb.Sparse{})
	f.SetLeafBuffer(endpointIndex, 0, bucketOf(26)) // three of four
	all := [][][]byte{
		datagram(own4, peer4, 7), datagram(own4, other4, 7), datagram(own6, peer6, 7), datagram(own4, peer4, 8),
	}
	passed := make([]int, len(all))
	for at := range 6 {
		for i, fragments := range all {
			passed[i] += f.pass(fragments[at : at+1])
		}
	}
	if want := [4]int{6, 6, 6, 0}; [4]int(passed) != want {
		t.Errorf("%v fragments pass, want %v", passed, want)
	}
}

func TestFragmentsGetTheFirstFragmentsClass(t *testing.T) {
	f := newFixture(t)
	fragments := datagram(own4, peer4, 1)
	first := f.run(f.objects.FromVm, fragments[0], skbContext{}).context.Priority
	f.SetSparse(endpointIndex, 0, htb.Sparse{}) // a packet of its own would be bulk
	for _, fragment := range fragments[1:] {
		if class := f.run(f.objects.FromVm, fragment, skbContext{}).context.Priority; class != first {
			t.Errorf("class %x, want the first one's, %x", class, first)
		}
	}
}

// A VM must not get more by what its fragments claim.
func TestFragmentsCannotEvadeALimit(t *testing.T) {
	for name, forge := range map[string]func(fragments [][]byte) [][]byte{
		"a short length": func(fragments [][]byte) [][]byte {
			fragments[0][38], fragments[0][39] = 0, 8
			return fragments
		},
		"without a first one": func(fragments [][]byte) [][]byte { return fragments[1:] },
		"one again and again": func(fragments [][]byte) [][]byte {
			for range 10 {
				fragments = append(fragments, fragments[1])
			}
			return fragments
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetSparse(endpointIndex, 0, htb.Sparse{})
			f.PoliceGroup(endpointIndex, 0, bucketOf(20))
			passed := 0
			for id := range uint16(10) {
				for _, fragment := range forge(datagram(own4, peer4, id)) {
					if !f.dropped(fragment) {
						passed += len(fragment)
					}
				}
			}
			if passed > 21_000 {
				t.Errorf("%d bytes pass, want 20,000", passed)
			}
		})
	}
}

// Ordinary packets take room in the leaf too, but are not refused here: the leaf itself knows better.
func TestOnlyFragmentedDatagramsAreDroppedForLackOfBufferSpace(t *testing.T) {
	f := newFixture(t)
	f.SetSparse(endpointIndex, 0, htb.Sparse{})
	f.SetLeafBuffer(endpointIndex, 0, bucketOf(20))
	for range 30 {
		if f.dropped(kilobyte().Build()) {
			t.Fatal("an ordinary packet is refused")
		}
	}
	if passed := f.pass(datagram(own4, peer4, 1)); passed != 6 {
		t.Errorf("%d of 6 fragments pass: nobody has sent any for long", passed)
	}
	if !f.SendsFragments(endpointIndex, 0, clock.Nanos()) || f.SendsFragments(endpointIndex, 1, clock.Nanos()) {
		t.Error("want the default group alone to be known for fragments")
	}
	for range 15 {
		f.dropped(kilobyte().Build())
	}
	if passed := f.pass(datagram(own4, peer4, 2)); passed != 0 {
		t.Errorf("%d of 6 fragments pass a full leaf", passed)
	}
	f.SetLeafBacklog(endpointIndex, 0, 1000, clock.Nanos())
	if passed := f.pass(datagram(own4, peer4, 3)); passed != 6 {
		t.Errorf("%d of 6 fragments pass although the leaf has room", passed)
	}
	f.SetLeafBacklog(endpointIndex, 0, 19_000, clock.Nanos())
	if passed := f.pass(datagram(own4, peer4, 4)); passed != 0 {
		t.Errorf("%d of 6 fragments pass although the leaf is longer than was reckoned", passed)
	}
}
