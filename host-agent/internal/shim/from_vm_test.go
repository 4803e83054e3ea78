// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func TestOutwardECN(t *testing.T) {
	for _, c := range []struct {
		name   string
		frame  testnet.Frame
		want   uint8
		forged bool
	}{
		{"Not-ECT becomes ECT(0)", testnet.Frame{Source: own4, Destination: peer4, ECN: testnet.NotECT}, testnet.ECT0, false},
		{"ECT(0) stays", testnet.Frame{Source: own4, Destination: peer4, ECN: testnet.ECT0}, testnet.ECT0, false},
		{"ECT(1) stays", testnet.Frame{Source: own4, Destination: peer4, ECN: testnet.ECT1}, testnet.ECT1, false},
		{"CE is a forgery", testnet.Frame{Source: own4, Destination: peer4, ECN: testnet.CE}, testnet.ECT0, true},
		{"IPv6 Not-ECT", testnet.Frame{Source: own6, Destination: peer6, ECN: testnet.NotECT}, testnet.ECT0, false},
		{"IPv6 CE", testnet.Frame{Source: own6, Destination: peer6, ECN: testnet.CE}, testnet.ECT0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			c.frame.Protocol, c.frame.PayloadBytes = testnet.UDP, 32
			result := f.fromVM(c.frame)
			if result.verdict != verdictNext {
				t.Fatalf("verdict %d", result.verdict)
			}
			if ecn := testnet.ECNOf(result.frame); ecn != c.want {
				t.Errorf("ECN %d, want %d", ecn, c.want)
			}
			if !testnet.HeaderIntact(result.frame) {
				t.Error("the header checksum is wrong")
			}
			if forged := f.Endpoint(endpointIndex).ForgedCE == 1; forged != c.forged {
				t.Errorf("counted as forged: %v, want %v", forged, c.forged)
			}
		})
	}
}

func TestConnectionsAreSigned(t *testing.T) {
	for _, c := range []struct {
		name       string
		flags, ecn uint8
		version    int
		want       uint8
	}{
		{"SYN", testnet.SYN, testnet.NotECT, 4, testnet.ECT1},
		{"SYN-ACK", testnet.SYN | testnet.ACK, testnet.NotECT, 4, testnet.ECT1},
		{"FIN with data", testnet.FIN | testnet.ACK, testnet.ECT0, 4, testnet.ECT1},
		{"RST", testnet.RST, testnet.NotECT, 4, testnet.ECT1},
		{"IPv6 FIN", testnet.FIN | testnet.ACK, testnet.NotECT, 6, testnet.ECT1},
		{"data", testnet.ACK, testnet.NotECT, 4, testnet.ECT0},
		{"data that look like it", testnet.ACK, testnet.ECT1, 4, testnet.ECT0},
		{"IPv6 data that look like it", testnet.ACK, testnet.ECT1, 6, testnet.ECT0},
		{"a forged mark on a SYN", testnet.SYN, testnet.CE, 4, testnet.ECT1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			frame := testnet.Frame{
				Source: own4, Destination: peer4, Protocol: testnet.TCP, ECN: c.ecn,
				TCPFlags: c.flags, PayloadBytes: 32,
			}
			if c.version == 6 {
				frame.Source, frame.Destination = own6, peer6
			}
			f.Sign(true)
			result := f.fromVM(frame)
			if ecn := testnet.ECNOf(result.frame); ecn != c.want {
				t.Errorf("ECN %d, want %d", ecn, c.want)
			}
			if !testnet.HeaderIntact(result.frame) {
				t.Error("the header checksum is wrong")
			}
			if forged := f.Endpoint(endpointIndex).ForgedCE; (forged == 1) != (c.ecn == testnet.CE) {
				t.Errorf("%d counted as forged", forged)
			}
			f.Sign(false)
			want := c.ecn
			if want == testnet.NotECT || want == testnet.CE {
				want = testnet.ECT0
			}
			if ecn := testnet.ECNOf(f.fromVM(frame).frame); ecn != want {
				t.Errorf("ECN %d without signing, want %d", ecn, want)
			}
		})
	}
}

func TestNothingIsSignedWithoutEnforcement(t *testing.T) {
	f := newFixture(t)
	f.Sign(true)
	f.SetEnforcing(false)
	frame := tcpOut(testnet.SYN)
	if ecn := testnet.ECNOf(f.fromVM(frame).frame); ecn != testnet.NotECT {
		t.Errorf("ECN %d", ecn)
	}
}

func TestReservedBitIsClearedAndCounted(t *testing.T) {
	f := newFixture(t)
	frame := udpOut()
	frame.ReservedBit = true
	result := f.fromVM(frame)
	if result.frame[testnet.EthernetBytes+6]&0x80 != 0 {
		t.Error("the reserved bit is still set")
	}
	if !testnet.HeaderIntact(result.frame) {
		t.Error("the header checksum is wrong")
	}
	if counted := f.Endpoint(endpointIndex).ForgedReserved; counted != 1 {
		t.Errorf("counted %d, want 1", counted)
	}
}

func TestPacketsAreUnchangedWithoutEnforcement(t *testing.T) {
	for name, stop := range map[string]func(*fixture){
		"switched off": func(f *fixture) { f.SetEnforcing(false) },
		"lease over":   func(f *fixture) { f.RenewLease(clock.Nanos() - 1) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			stop(f)
			for _, ecn := range []uint8{testnet.NotECT, testnet.CE} {
				frame := udpOut()
				frame.ECN = ecn
				sent := frame.Build()
				result := f.run(f.objects.FromVm, sent, skbContext{Priority: 5})
				if !bytes.Equal(result.frame, sent) {
					t.Errorf("ECN %d: the frame was changed on its way out", ecn)
				}
				if result.context.Priority != htb.OpenClass {
					t.Errorf("class %x, want the open one", result.context.Priority)
				}
				in := tcpIn(testnet.ACK, testnet.CE).Build()
				if result := f.run(f.objects.ToVm, in, skbContext{IngressIfindex: uplinkIfindex}); !bytes.Equal(result.frame, in) {
					t.Error("the frame was changed on its way in")
				}
			}
			if counters := f.Endpoint(endpointIndex); counters.SentPackets != 2 || counters.CEPackets != 2 {
				t.Errorf("counting stopped: %+v", counters)
			}
		})
	}
}

func TestSpoofedSourcesAreDroppedAndCounted(t *testing.T) {
	foreign6, linkLocal := netip.MustParseAddr("fd00::bad"), netip.MustParseAddr("fe80::5")
	stranger := [6]byte{2, 0, 0, 0, 0, 9}
	arp := func(sender netip.Addr) []byte { return testnet.ARP(testnet.VMMAC, sender, peer4) }
	tagged := func(ethertype uint16) []byte {
		frame := testnet.Tagged(udpOut().Build(), 7)
		binary.BigEndian.PutUint16(frame[12:], ethertype)
		return frame
	}
	fromMAC := func(mac [6]byte, frame []byte) []byte { copy(frame[6:], mac[:]); return frame }
	build := func(source, destination netip.Addr, protocol uint8, port uint16) []byte {
		return testnet.Frame{Source: source, Destination: destination, Protocol: protocol, Port: port, PayloadBytes: 20}.Build()
	}
	for _, c := range []struct {
		name  string
		frame []byte
		drop  bool
	}{
		{"own IPv4", build(own4, peer4, testnet.UDP, 9), false},
		{"foreign IPv4", build(other4, peer4, testnet.UDP, 9), true},
		{"own IPv6", build(own6, peer6, testnet.UDP, 9), false},
		{"foreign IPv6", build(foreign6, peer6, testnet.UDP, 9), true},
		{"link-local, to a group", build(ownLinkLocal, allNodes, testnet.UDP, 9), false},
		{"link-local, to one of the link", build(ownLinkLocal, linkLocal, testnet.UDP, 9), false},
		{"link-local, to find a neighbour", testnet.Neighbour(testnet.Solicitation, ownLinkLocal, peer6, peer6), false},
		{"link-local, beyond the link", build(ownLinkLocal, peer6, testnet.UDP, 9), true},
		{"link-local, another's", build(netip.MustParseAddr("fe80::1"), allNodes, testnet.UDP, 9), true},
		{"link-local, another's, announced", testnet.Neighbour(testnet.Advertisement, netip.MustParseAddr("fe80::1"), allNodes, netip.MustParseAddr("fe80::1")), true},
		{"link-local, of no subnet in use", build(netip.MustParseAddr("fe80:0:0:1:0:ff:fe00:1"), allNodes, testnet.UDP, 9), true},
		{"no address yet: DHCP", build(netip.IPv4Unspecified(), everybody4, testnet.UDP, 67), false},
		{"no address, DHCP to one host", build(netip.IPv4Unspecified(), peer4, testnet.UDP, 67), true},
		{"no address, no DHCP", build(netip.IPv4Unspecified(), everybody4, testnet.UDP, 9), true},
		{"no address yet: neighbour discovery", testnet.Multicast(testnet.Neighbour(testnet.Solicitation, netip.IPv6Unspecified(), allNodes, own6)), false},
		{"no address, to one host", build(netip.IPv6Unspecified(), peer6, 58, 0), true},
		{"no address yet: multicast listener report", testnet.Multicast(behind(build(netip.IPv6Unspecified(), netip.MustParseAddr("ff02::16"), 58, 0), hopByHop)), false},
		{"no address, an option", behind(build(netip.IPv6Unspecified(), peer6, testnet.UDP, 9), hopByHop), true},
		{"no address, no neighbour discovery", build(netip.IPv6Unspecified(), peer6, testnet.UDP, 9), true},
		{"own ARP", arp(own4), false},
		{"ARP probe", arp(netip.IPv4Unspecified()), false},
		{"foreign ARP", arp(other4), true},
		{"ARP with another's MAC in it", testnet.ARP(stranger, own4, peer4), true},
		{"ARP probe with another's MAC in it", testnet.ARP(stranger, netip.IPv4Unspecified(), peer4), true},
		{"another's MAC", fromMAC(stranger, build(own4, peer4, testnet.UDP, 9)), true},
		{"another's MAC, without IP", fromMAC(stranger, arp(own4)), true},
		{"VLAN tag", tagged(0x8100), true},
		{"a provider's tag", tagged(0x88a8), true},
		{"a provider's tag of old", tagged(0x9100), true},
		{"MPLS", tagged(0x8847), true},
		{"MPLS multicast", tagged(0x8848), true},
		{"PPPoE discovery", tagged(0x8863), true},
		{"PPPoE", tagged(0x8864), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			result := f.run(f.objects.FromVm, c.frame, skbContext{})
			if dropped := result.verdict == verdictDrop; dropped != c.drop {
				t.Errorf("dropped: %v, want %v", dropped, c.drop)
			}
			if counted := f.Endpoint(endpointIndex).SpoofedPackets == 1; counted != c.drop {
				t.Errorf("counted: %v, want %v", counted, c.drop)
			}
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: false})
			if result := f.run(f.objects.FromVm, c.frame, skbContext{}); result.verdict == verdictDrop {
				t.Error("dropped although antiSpoof is off")
			}
		})
	}
}

func TestVMsCannotSendControlPackets(t *testing.T) {
	f := newFixture(t)
	for i, frame := range []testnet.Frame{
		{Source: own4, Destination: peer4, Protocol: testProtocol, PayloadBytes: 64},
		{Source: own6, Destination: peer6, Protocol: testProtocol, PayloadBytes: 64},
		{Source: own4, Destination: peer4, Protocol: testProtocol, PayloadBytes: 2},
		{Source: own6, Destination: peer6, Protocol: testProtocol, PayloadBytes: 92},
	} {
		if result := f.fromVM(frame); result.verdict != verdictDrop {
			t.Errorf("%s: verdict %d, want drop", frame.Source, result.verdict)
		}
		if counted := f.Endpoint(endpointIndex).ForgedControl; counted != uint64(i+1) {
			t.Errorf("counted %d, want %d", counted, i+1)
		}
	}
}

func TestAVMCannotSetItsClass(t *testing.T) {
	f := newFixture(t)
	result := f.run(f.objects.FromVm, udpOut().Build(), skbContext{Priority: htb.OpenClass})
	if result.context.Priority == htb.OpenClass {
		t.Error("the VM's own choice of class stands")
	}
}

// class is what internal/htb calls the class of a group's leaf: 1 sparse, 3 bulk.
func class(group, leaf uint32) uint32 {
	return htb.Handle | endpointIndex<<5 | 3*group + leaf
}

func TestAFlowIsSparseUntilItHasSentTooMuch(t *testing.T) {
	f := newFixture(t)
	frame := udpOut()
	frame.PayloadBytes = 1000
	frames := 0
	for f.fromVM(frame).context.Priority == class(0, 1) {
		if frames++; frames > 100 {
			t.Fatal("still sparse after 100 kB at once")
		}
	}
	// 15, and what it is lent while they may stand in the leaf.
	if frames < 26 || frames > 30 {
		t.Errorf("bulk after %d kB, want 15 and the leaf's 15", frames)
	}
	if priority := f.fromVM(frame).context.Priority; priority != class(0, bulkLeaf) {
		t.Errorf("class %x, want the bulk leaf", priority)
	}
	deadline := time.Now().Add(5 * time.Second)
	sparse := udpOut()
	for sparse.Port++; f.fromVM(sparse).context.Priority != class(0, 1); sparse.Port++ {
		if time.Now().After(deadline) {
			t.Fatal("flows beside it are not sparse")
		}
		time.Sleep(time.Millisecond) // what was lent is paid back
	}
	for f.fromVM(frame).context.Priority != class(0, 1) {
		if time.Now().After(deadline) {
			t.Fatal("a flow that sends little is still bulk")
		}
		time.Sleep(30 * time.Millisecond) // the flow's own pace
	}
}

// 38 kB of acknowledgements are more than what makes a flow bulk and is lent to it; with data it is.
func TestAcknowledgementsAreSparseHoweverMany(t *testing.T) {
	for name, source := range map[string]netip.Addr{"IPv4": own4, "IPv6": own6} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetSparse(endpointIndex, 0, htb.SparseOf(100_000_000, 1500, 0))
			frame := tcpOut(testnet.ACK)
			if frame.Source = source; source == own6 {
				frame.Destination = peer6
			}
			for i := range 700 {
				if i%100 == 0 {
					time.Sleep(5 * time.Millisecond) // the flow's own pace, of 10 Mbit/s
				}
				if priority := f.fromVM(frame).context.Priority; priority != class(0, 1) {
					t.Fatalf("acknowledgement %d: class %x, want the sparse leaf", i, priority)
				}
			}
			frame.PayloadBytes = 1000
			frames := 0
			for f.fromVM(frame).context.Priority == class(0, 1) {
				if frames++; frames > 1000 {
					t.Fatal("1 MB of data are still sparse")
				}
			}
		})
	}
}

func TestManySparseFlowsGetAQuarterTogether(t *testing.T) {
	f := newFixture(t)
	const limit = 12_000_000
	f.SetSparse(endpointIndex, 0, htb.SparseOf(limit, 1500, 0))
	started := clock.Nanos()
	var sparseBytes, port uint64
	for range 4000 {
		frame := udpOut()
		port++
		frame.Port, frame.PayloadBytes = uint16(port), 200
		result := f.fromVM(frame)
		if result.context.Priority == class(0, 1) {
			sparseBytes += uint64(len(result.frame))
		}
	}
	elapsed := float64(clock.Nanos()-started) / 1e9
	bound := limit/8/4*elapsed + float64(htb.SparseOf(limit, 1500, 0).DepthBytes)
	if float64(sparseBytes) > bound+2000 {
		t.Errorf("%d sparse bytes in %.3f s, at most %.0f", sparseBytes, elapsed, bound)
	}
	if offered := f.Offered(endpointIndex, 0).SparseBytes; offered != sparseBytes {
		t.Errorf("counted %d sparse bytes, want %d", offered, sparseBytes)
	}
}

func TestDestinationsChooseTheGroup(t *testing.T) {
	f := newFixture(t)
	group := func(destination netip.Addr) uint32 {
		frame := udpOut()
		frame.Destination = destination
		return (f.fromVM(frame).context.Priority - class(0, 1)) / 3
	}
	if err := f.SetDestination(endpointIndex, peer4, 2); err != nil {
		t.Fatal(err)
	}
	if g := group(peer4); g != 2 {
		t.Errorf("named before its first packet: group %d, want 2", g)
	}
	if g := group(other4); g != 0 {
		t.Errorf("not named: group %d, want 0", g)
	}
	if err := f.SetDestination(endpointIndex, other4, 8); err != nil {
		t.Fatal(err)
	}
	if g := group(other4); g != 8 {
		t.Errorf("named while sending: group %d, want 8", g)
	}
	if err := f.SetDestination(endpointIndex, other4, 0); err != nil {
		t.Fatal(err)
	}
	if g := group(other4); g != 0 {
		t.Errorf("taken back: group %d, want 0", g)
	}
}

// A sender of this kernel says how many segments a super-packet has; a guest, whose frames bring virtio headers, only
// how long they are.
func TestSuperPacketsCountAsOnTheWire(t *testing.T) {
	tcp6 := tcpOut(testnet.ACK)
	tcp6.Source, tcp6.Destination = own6, peer6
	udp := udpOut()
	for name, c := range map[string]struct {
		frame                   testnet.Frame
		payload, segment        int
		headers, packets, sized int // bytes, on the wire, bytes that queues are made for
	}{
		"TCP":                  {tcpOut(testnet.ACK), 2896, 1448, 54, 2, 2896 + 2*54},
		"TCP, the last short":  {tcpOut(testnet.ACK), 2897, 1448, 54, 3, 2897 + 3*54},
		"TCP over IPv6":        {tcp6, 2896, 1428, 74, 3, 2896 + 3*74},
		"UDP":                  {udp, 2500, 1000, 42, 3, 2500 + 3*42},
		"UDP, tiny segments":   {udp, 900, 1, 42, 900, 2 * 942},
		"one segment, no more": {udp, 900, 1400, 42, 1, 942},
	} {
		for from, segments := range map[string]int{"counted": c.packets, "not counted": 0} {
			t.Run(name+", "+from, func(t *testing.T) {
				f := newFixture(t)
				c.frame.PayloadBytes = c.payload
				f.run(f.objects.FromVm, c.frame.Build(), skbContext{GSOSegments: uint32(segments), GSOSize: uint32(c.segment)})
				pair, bytes := f.onlyPair(), uint64(c.payload+c.packets*c.headers)
				if pair.SentPackets != uint64(c.packets) || pair.SentBytes != bytes {
					t.Errorf("%d packets, %d bytes; want %d and %d", pair.SentPackets, pair.SentBytes, c.packets, bytes)
				}
				if largest := f.Endpoint(endpointIndex).LargestFrameBytes; largest != uint64(c.sized) {
					t.Errorf("largest frame %d, want %d", largest, c.sized)
				}
			})
		}
	}
}

func TestMalformedFramesAreDropped(t *testing.T) {
	f := newFixture(t)
	changed := func(offset int, value byte) []byte {
		frame := udpOut().Build()
		frame[offset] = value
		return frame
	}
	for name, frame := range map[string][]byte{
		"header length of 16":  changed(testnet.EthernetBytes, 0x44),
		"version 6 under 0800": changed(testnet.EthernetBytes, 0x65),
	} {
		before := f.Totals().MalformedPackets
		if result := f.run(f.objects.FromVm, frame, skbContext{}); result.verdict != verdictDrop {
			t.Errorf("%s: verdict %d, want drop", name, result.verdict)
		}
		if counted := f.Totals().MalformedPackets - before; counted != 1 {
			t.Errorf("%s: counted %d, want 1", name, counted)
		}
	}
}

func TestLimitsHoldAfterTheLeaseIfConfiguredAndFiltersAlways(t *testing.T) {
	foreign := udpOut()
	foreign.Source = other4
	for _, hold := range []bool{true, false} {
		f := newFixture(t)
		f.SetAfterLease(hold)
		f.RenewLease(clock.Nanos() - 1)
		if verdict := f.fromVM(foreign).verdict; verdict != verdictDrop {
			t.Errorf("hold %v: a foreign source passes", hold)
		}
		limited := f.fromVM(udpOut()).context.Priority != htb.OpenClass
		if limited != hold {
			t.Errorf("hold %v: limited %v", hold, limited)
		}
	}
}

func TestPacketsOfAnInterfaceWithoutEndpointAreDropped(t *testing.T) {
	f := newFixture(t)
	if err := f.vacate(model.Place{Ifindex: testIfindex}); err != nil {
		t.Fatal(err)
	}
	if verdict := f.fromVM(udpOut()).verdict; verdict != verdictDrop {
		t.Errorf("verdict %d, want drop: nothing limits it", verdict)
	}
	if held := f.Totals().HeldPackets; held != 1 {
		t.Errorf("counted %d, want 1", held)
	}
	f.SetEnforcing(false)
	sent := testnet.Frame{Source: other4, Destination: peer4, Protocol: testnet.UDP, ECN: testnet.CE}.Build()
	result := f.run(f.objects.FromVm, sent, skbContext{Priority: 6})
	if result.verdict != verdictNext || !bytes.Equal(result.frame, sent) || result.context.Priority != 6 {
		t.Error("a frame was touched though nothing is enforced")
	}
}

// A later interface takes the slot of an earlier one in the cache; each stays its own endpoint's.
func TestInterfacesThatCollideInTheCacheKeepTheirEndpoints(t *testing.T) {
	f := newFixture(t)
	meeting := testIfindex + f.placeCache.Len()
	if err := f.AddEndpoint(endpointIndex+1, model.Place{Ifindex: meeting}, []netip.Addr{other4}, EndpointOptions{AntiSpoof: true}); err != nil {
		t.Fatal(err)
	}
	passes := func(when string) {
		t.Helper()
		before := f.Endpoint(endpointIndex).SentPackets
		if verdict := f.fromVM(udpOut()).verdict; verdict != verdictNext {
			t.Errorf("%s: verdict %d, want next", when, verdict)
		}
		if counted := f.Endpoint(endpointIndex).SentPackets - before; counted != 1 {
			t.Errorf("%s: counted %d, want 1", when, counted)
		}
	}
	passes("both are there")
	if _, err := f.RemoveEndpoint(endpointIndex+1, model.Place{Ifindex: meeting}, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	passes("the other has gone")
	if _, err := f.RemoveEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, clock.Nanos()); err != nil {
		t.Fatal(err)
	}
	foreign := udpOut()
	foreign.Source = other4 // an endpoint would not be allowed to
	if verdict := f.fromVM(foreign).verdict; verdict != verdictDrop || f.Totals().HeldPackets != 1 {
		t.Errorf("both have gone: verdict %d, want drop, as of no endpoint", verdict)
	}
}
