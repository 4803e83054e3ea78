// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// testIdle is far longer than a test runs.
const testIdle = time.Hour

var testLevels = Levels{ThresholdBytes: []uint64{3000, 6000}, DSCPs: []uint8{24, 16, 8}, Idle: testIdle}

// withLevels has plenty of priority.
func withLevels(t testing.TB, levels Levels) *fixture {
	t.Helper()
	f := newFixture(t)
	f.SetLevels(levels)
	f.SetPriority(endpointIndex, 0, htb.PriorityOf(100e9, 1500, 1e6))
	return f
}

// both are a TCP segment of IPv4 and one of IPv6, of 1000 bytes on the wire.
func both() map[string]testnet.Frame {
	four, six := tcpOut(testnet.ACK), tcpOut(testnet.ACK)
	six.Source, six.Destination = own6, peer6
	four.PayloadBytes, six.PayloadBytes = 1000-54, 1000-74
	return map[string]testnet.Frame{"IPv4": four, "IPv6": six}
}

// expectOnly has a frame leave with that code point and ECT(0), and nothing else of it changed.
func expectOnly(t *testing.T, sent, left []byte, dscp uint8) {
	t.Helper()
	if got := testnet.DSCPOf(left); got != dscp {
		t.Errorf("DSCP %d, want %d", got, dscp)
	}
	if ecn := testnet.ECNOf(left); ecn != testnet.ECT0 {
		t.Errorf("ECN %d, want ECT(0)", ecn)
	}
	unchangedButTrafficClass(t, sent, left)
}

func TestAFlowLosesPriorityAsItSends(t *testing.T) {
	for name, frame := range both() {
		t.Run(name, func(t *testing.T) {
			f := withLevels(t, testLevels)
			for i, dscp := range []uint8{24, 24, 24, 16, 16, 16, 8, 8} {
				if result := f.fromVM(frame); result.verdict != verdictNext {
					t.Fatalf("packet %d: verdict %d", i, result.verdict)
				} else {
					expectOnly(t, frame.Build(), result.frame, dscp)
				}
			}
			other := frame
			other.SourcePort++
			expectOnly(t, other.Build(), f.fromVM(other).frame, 24)
			if sent := f.Levels(endpointIndex).SentBytes; sent != [maxLevels]uint64{4000, 3000, 2000} {
				t.Errorf("%v bytes by levels, want 4000, 3000, 2000", sent)
			}
		})
	}
}

func TestTwoAndFourLevels(t *testing.T) {
	for _, levels := range []Levels{
		{[]uint64{1000}, []uint8{40, 0}, testIdle},
		{[]uint64{1000, 2000, 3000}, []uint8{1, 2, 3, 4}, testIdle},
	} {
		f := withLevels(t, levels)
		for i := range 6 {
			want := levels.DSCPs[min(i, len(levels.DSCPs)-1)]
			frame := both()["IPv6"]
			expectOnly(t, frame.Build(), f.fromVM(frame).frame, want)
		}
	}
}

func TestASuperPacketCountsAsItIsOnTheWire(t *testing.T) {
	f := withLevels(t, testLevels)
	frame := tcpOut(testnet.ACK)
	frame.PayloadBytes = 2 * 1448
	f.run(f.objects.FromVm, frame.Build(), skbContext{GSOSegments: 2, GSOSize: 1448})
	const wire = 2 * (1448 + 54)
	if sent := f.Levels(endpointIndex).SentBytes; sent[0] != wire {
		t.Errorf("%d bytes by the first level, want %d", sent[0], wire)
	}
	next := f.run(f.objects.FromVm, frame.Build(), skbContext{GSOSegments: 2, GSOSize: 1448})
	expectOnly(t, frame.Build(), next.frame, 16)
}

// aged sets when a flow has sent last.
func (f *fixture) aged(frame testnet.Frame, ago time.Duration) {
	f.t.Helper()
	f.change(frame, func(flow *bpfFlow) { flow.LastNanos = uint64(clock.Nanos() - ago.Nanoseconds()) })
}

func TestAnIdleFlowRestartsAtTheFirstLevel(t *testing.T) {
	for name, c := range map[string]struct {
		ago  time.Duration
		dscp uint8
	}{
		"a pause":                   {testIdle / 2, 16},
		"silence":                   {2 * testIdle, 24},
		"another CPU sent later on": {-time.Minute, 16},
	} {
		t.Run(name, func(t *testing.T) {
			f := withLevels(t, testLevels)
			frame := both()["IPv4"]
			for range 4 {
				f.fromVM(frame)
			}
			f.aged(frame, c.ago)
			expectOnly(t, frame.Build(), f.fromVM(frame).frame, c.dscp)
		})
	}
}

// A connection's beginning is no way back up: who repeats it sends on where it was.
func TestASYNDoesNotResetAFlowsLevel(t *testing.T) {
	f := withLevels(t, testLevels)
	frame := both()["IPv4"]
	for range 6 {
		f.fromVM(frame)
	}
	if dscp := testnet.DSCPOf(f.fromVM(tcpOut(testnet.SYN)).frame); dscp != 8 {
		t.Errorf("DSCP %d, want the last level's", dscp)
	}
}

// Whoever opens flows without end has no more than the group's priority, and a flow that found none stays down.
func TestPriorityIsBounded(t *testing.T) {
	f := withLevels(t, testLevels)
	const second = 1000 // bytes
	f.SetPriority(endpointIndex, 0, htb.Police{BytesPerSecond: second, Depth: 5 * time.Second})
	frame := both()["IPv4"]
	var first int
	for port := range uint16(50) {
		frame.SourcePort = 5000 + port
		if testnet.DSCPOf(f.fromVM(frame).frame) == 24 {
			first++
		}
	}
	if first != 5 {
		t.Errorf("%d packets by the first level, want the 5 that there is priority for", first)
	}
	if demoted := f.Levels(endpointIndex).DemotedFlows; demoted != 45 {
		t.Errorf("%d flows counted as demoted, want 45", demoted)
	}
	f.SetPriority(endpointIndex, 0, htb.Police{}) // without a bound
	expectOnly(t, frame.Build(), f.fromVM(frame).frame, 8)
	fresh := frame
	fresh.SourcePort = 9000
	expectOnly(t, fresh.Build(), f.fromVM(fresh).frame, 24)
}

// Each congested port has a priority of its own.
func TestEachGroupHasItsOwnPriority(t *testing.T) {
	f := withLevels(t, testLevels)
	if err := f.SetDestination(endpointIndex, other4, 2); err != nil {
		t.Fatal(err)
	}
	f.SetPriority(endpointIndex, 2, htb.Police{BytesPerSecond: 1, Depth: time.Second})
	frame := both()["IPv4"]
	expectOnly(t, frame.Build(), f.fromVM(frame).frame, 24)
	frame.Destination = other4
	expectOnly(t, frame.Build(), f.fromVM(frame).frame, 8)
}

func TestUntrackedPacketsUseTheLastLevel(t *testing.T) {
	fragment := udpOut()
	fragment.PayloadBytes = 4000
	six := fragment
	six.Source, six.Destination = own6, peer6
	for name, c := range map[string]struct {
		frame   []byte
		prepare func(f *fixture)
	}{
		"to a group":            {frame: unaccountable()["multicast"]},
		"a first fragment":      {frame: testnet.Fragments(fragment.Build(), 1500, 7)[0]},
		"a later fragment":      {frame: testnet.Fragments(fragment.Build(), 1500, 7)[1]},
		"a fragment of IPv6":    {frame: testnet.Fragments(six.Build(), 1500, 7)[1]},
		"beyond the port limit": {udpOut().Build(), func(f *fixture) { f.placeBeyond() }},
		"beyond the pairs": {udpOut().Build(), func(f *fixture) {
			f.state.At(0).Reserves[0] = bpfReserve{}
			f.endpoints.At(endpointIndex).Quotas[0].Most = 0
		}},
		"to a neighbour": {toNeighbour().Build(), func(f *fixture) { f.addNeighbour(other4, neighbourMAC) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := withLevels(t, testLevels)
			f.LimitResidual(endpointIndex, htb.ResidualOf(1e10, 1e6))
			if c.prepare != nil {
				c.prepare(f)
			}
			result := f.run(f.objects.FromVm, c.frame, skbContext{})
			if result.verdict != verdictNext {
				t.Fatalf("verdict %d", result.verdict)
			}
			if dscp := testnet.DSCPOf(result.frame); dscp != 8 {
				t.Errorf("DSCP %d, want the last level's", dscp)
			}
			unchangedButTrafficClass(t, c.frame, result.frame)
		})
	}
}

// placeBeyond has the peer be behind a port beyond those that the endpoint can be controlled for.
func (f *fixture) placeBeyond() {
	f.t.Helper()
	if err := f.SetDestination(endpointIndex, peer4, Residual); err != nil {
		f.t.Fatal(err)
	}
}

// The table keeps the flows used last: one that it forgot is not found to be idle, it is not known at all.
func TestAnEvictedFlowUsesPriorityAgain(t *testing.T) {
	f := withLevels(t, testLevels)
	frame := both()["IPv4"]
	for range 4 {
		f.fromVM(frame)
	}
	flows := f.flowTableOf(endpointIndex)
	var keys []bpfFlowKey
	var key bpfFlowKey
	var flow bpfFlow
	for entries := flows.Iterate(); entries.Next(&key, &flow); {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := flows.Delete(key); err != nil {
			t.Fatal(err)
		}
	}
	f.SetPriority(endpointIndex, 0, htb.Police{BytesPerSecond: 1, Depth: time.Second})
	expectOnly(t, frame.Build(), f.fromVM(frame).frame, 8)
}

func TestAVMsOwnDSCPIsReplacedAndCounted(t *testing.T) {
	for name, frame := range both() {
		t.Run(name, func(t *testing.T) {
			f := withLevels(t, testLevels)
			for i, dscp := range []uint8{0, 46, 56, 63, 24} {
				frame.DSCP, frame.SourcePort = dscp, uint16(2000+i)
				frame.ECN = uint8(i) & 3
				sent := frame.Build()
				result := f.run(f.objects.FromVm, sent, skbContext{})
				if got := testnet.DSCPOf(result.frame); got != 24 {
					t.Errorf("DSCP %d became %d, want 24", dscp, got)
				}
				unchangedButTrafficClass(t, sent, result.frame)
			}
			if counted := f.Levels(endpointIndex).OwnDSCPPackets; counted != 4 {
				t.Errorf("%d packets counted, want the 4 with a DSCP", counted)
			}
			if forged := f.Endpoint(endpointIndex).ForgedCE; forged != 1 {
				t.Errorf("%d forged marks, want 1", forged)
			}
		})
	}
}

func TestSignedSYNsHaveLevels(t *testing.T) {
	f := withLevels(t, testLevels)
	f.Sign(true)
	result := f.fromVM(tcpOut(testnet.SYN))
	if dscp, ecn := testnet.DSCPOf(result.frame), testnet.ECNOf(result.frame); dscp != 24 || ecn != testnet.ECT1 || !testnet.HeaderIntact(result.frame) {
		t.Errorf("DSCP %d, ECN %d, header intact %v", dscp, ecn, testnet.HeaderIntact(result.frame))
	}
}

func TestLevelsAreHiddenFromVMs(t *testing.T) {
	for name, frame := range both() {
		frame.Source, frame.Destination = frame.Destination, frame.Source
		for _, c := range []struct {
			dscp, ecn, want uint8
		}{
			{24, testnet.CE, 0}, {16, testnet.ECT0, 0}, {8, testnet.NotECT, 0}, {8, testnet.ECT1, 0},
			{0, testnet.CE, 0}, {46, testnet.ECT0, 46}, {46, testnet.NotECT, 46},
		} {
			t.Run(fmt.Sprintf("%s, DSCP %d, ECN %d", name, c.dscp, c.ecn), func(t *testing.T) {
				f := withLevels(t, testLevels)
				frame.DSCP, frame.ECN = c.dscp, c.ecn
				sent := frame.Build()
				for from, context := range map[string]skbContext{"the network": {IngressIfindex: uplinkIfindex}, "this host": {IngressIfindex: 5}} {
					result := f.run(f.objects.ToVm, sent, context)
					if dscp, ecn := testnet.DSCPOf(result.frame), testnet.ECNOf(result.frame); dscp != c.want || ecn != testnet.NotECT {
						t.Errorf("from %s the VM sees DSCP %d, ECN %d", from, dscp, ecn)
					}
					unchangedButTrafficClass(t, sent, result.frame)
				}
				if ce := f.onlyPair().CEPackets; (ce == 1) != (c.ecn == testnet.CE) {
					t.Errorf("%d marks counted", ce)
				}
			})
		}
	}
}

// The default DSCP as a level's is nothing to hide, and a flow that agreed on ECN keeps its own.
func TestECNFlowsKeepTheirECNFieldBesideLevels(t *testing.T) {
	f := withLevels(t, Levels{[]uint64{1000}, []uint8{16, 0}, testIdle})
	f.fromVM(tcpOut(testnet.SYN | testnet.ECE | testnet.CWR))
	f.toVM(tcpIn(testnet.SYN|testnet.ACK|testnet.ECE, testnet.NotECT))
	for _, dscp := range []uint8{0, 16} {
		frame := tcpIn(testnet.ACK, testnet.CE)
		frame.DSCP = dscp
		result := f.toVM(frame)
		if got, ecn := testnet.DSCPOf(result.frame), testnet.ECNOf(result.frame); got != 0 || ecn != testnet.ECT0 || !testnet.HeaderIntact(result.frame) {
			t.Errorf("DSCP %d: the VM sees %d and ECN %d", dscp, got, ecn)
		}
	}
}

func TestClassesAreTheSameWithLevels(t *testing.T) {
	plain, levelled := newFixture(t), withLevels(t, testLevels)
	frame := both()["IPv4"]
	for i := range 40 {
		a, b := plain.fromVM(frame), levelled.fromVM(frame)
		if a.context.Priority != b.context.Priority || a.verdict != b.verdict {
			t.Fatalf("packet %d: class %x without, %x with levels", i, a.context.Priority, b.context.Priority)
		}
	}
}

func TestWithoutLevelsDSCPsPass(t *testing.T) {
	for name, frame := range both() {
		f := newFixture(t)
		frame.DSCP, frame.ECN = 46, testnet.ECT0
		if sent := frame.Build(); !bytes.Equal(f.fromVM(frame).frame, sent) {
			t.Errorf("%s: changed on its way out", name)
		}
		frame.Source, frame.Destination = frame.Destination, frame.Source
		frame.ECN = testnet.NotECT
		if sent := frame.Build(); !bytes.Equal(f.toVM(frame).frame, sent) {
			t.Errorf("%s: changed on its way in", name)
		}
		if counters := f.Levels(endpointIndex); counters != (LevelCounters{}) {
			t.Errorf("%s: %+v", name, counters)
		}
	}
}

func TestWithoutEnforcementLevelsAreOff(t *testing.T) {
	f := withLevels(t, testLevels)
	f.SetEnforcing(false)
	for _, frame := range both() {
		frame.DSCP = 24
		if sent := frame.Build(); !bytes.Equal(f.fromVM(frame).frame, sent) {
			t.Error("changed on its way out")
		}
		frame.Source, frame.Destination = frame.Destination, frame.Source
		if sent := frame.Build(); !bytes.Equal(f.toVM(frame).frame, sent) {
			t.Error("changed on its way in")
		}
	}
}

// The host's own traffic keeps its DSCP, which says whose it is.
func TestTheHostsOwnTrafficHasNoLevels(t *testing.T) {
	f := withSystem(t, System{Sources: []netip.Prefix{netip.PrefixFrom(own4, 32)}})
	f.SetLevels(testLevels)
	for _, dscp := range []uint8{0, 16, 46} {
		result := f.fromHost(withDSCP(udpOut(), dscp), skbContext{})
		if got := testnet.DSCPOf(result.frame); got != dscp || testnet.ECNOf(result.frame) != testnet.ECT0 {
			t.Errorf("DSCP %d became %d", dscp, got)
		}
		in := withDSCP(tcpIn(testnet.ACK, testnet.ECT0), dscp)
		if got := testnet.DSCPOf(f.run(f.objects.ToHost, in, skbContext{}).frame); got != dscp {
			t.Errorf("DSCP %d arrives as %d", dscp, got)
		}
	}
}

func TestLevelsOfRandomFrames(t *testing.T) {
	f := withLevels(t, testLevels)
	allowed := slices.Clone(testLevels.DSCPs)
	atRandom(t, func(t *testing.T, data []byte) {
		r := &recipe{data}
		f.SetEnforcing(!r.seldom())
		f.LimitResidual(endpointIndex, htb.ResidualOf(1e10, 1e6))
		enforcing := f.state.At(0).Enforcing != 0
		context := r.superPacket()
		sent := r.frame(false)
		if !runnable(sent) {
			return
		}
		result := f.with(t, f.objects.FromVm, sent, context)
		if result.verdict != verdictNext {
			return
		}
		if !enforcing {
			if !bytes.Equal(sent, result.frame) {
				t.Errorf("touched although nothing is enforced: %x", sent)
			}
			return
		}
		if was := readFrame(sent); was.version != 0 && !slices.Contains(allowed, testnet.DSCPOf(result.frame)) {
			t.Errorf("DSCP %d leaves a VM: %x", testnet.DSCPOf(result.frame), sent)
		}
		unchangedButTrafficClass(t, sent, result.frame)
	})
	atRandom(t, func(t *testing.T, data []byte) {
		r := &recipe{data}
		f.SetEnforcing(true)
		sent := r.frame(true)
		if !runnable(sent) {
			return
		}
		result := f.with(t, f.objects.ToVm, sent, skbContext{IngressIfindex: uplinkIfindex})
		if was := readFrame(sent); result.verdict == verdictNext && was.version != 0 {
			if dscp := testnet.DSCPOf(result.frame); slices.Contains(allowed, dscp) {
				t.Errorf("a VM sees DSCP %d: %x", dscp, sent)
			}
			unchangedButTrafficClass(t, sent, result.frame)
		}
	})
}
