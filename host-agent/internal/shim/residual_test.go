// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// withoutIP is a frame of some kind that has no addresses, to all.
func withoutIP(ethertype uint16) []byte {
	frame := make([]byte, 60)
	copy(frame, []byte{255, 255, 255, 255, 255, 255})
	copy(frame[6:], testnet.VMMAC[:])
	binary.BigEndian.PutUint16(frame[12:], ethertype)
	return frame
}

// residualBucket holds so many kilobytes, and as many for sparse flows, and is hardly refilled.
func residualBucket(kilobytes int) htb.Residual {
	length := time.Duration(kilobytes) * 1000 * time.Second / trickle
	return htb.Residual{Reserving: htb.Reserving{BytesPerSecond: trickle, Burst: length, Reserve: length, Credit: length}}
}

// unaccountable are frames that belong to no pair, and leave a VM all the same.
func unaccountable() map[string][]byte {
	udp := func(source, destination netip.Addr, port uint16) []byte {
		return testnet.Frame{
			Source: source, Destination: destination, Protocol: testnet.UDP, SourcePort: 1000, Port: port, PayloadBytes: 958,
		}.Build()
	}
	return map[string][]byte{
		"unicast IP to a group's MAC":   testnet.Multicast(udp(own4, peer4, 2000)),
		"unicast IPv6 to a group's MAC": testnet.Multicast(udp(own6, peer6, 2000)),
		"multicast":                     testnet.Multicast(udp(own4, netip.MustParseAddr("239.1.2.3"), 2000)),
		"multicast to one MAC":          udp(own4, netip.MustParseAddr("239.1.2.3"), 2000),
		"broadcast to one MAC":          udp(own4, everybody4, 2000),
		"IPv6 multicast to one MAC":     udp(own6, netip.MustParseAddr("ff0e::1"), 2000),
		"DHCP":                          udp(netip.IPv4Unspecified(), everybody4, 67),
		"link-local":                    udp(ownLinkLocal, netip.MustParseAddr("fe80::5"), 2000),
		"to link-local":                 udp(own6, netip.MustParseAddr("fe80::5"), 2000),
		"ARP":                           testnet.ARP(testnet.VMMAC, own4, peer4),
		"no IP":                         withoutIP(0x88b5),
		"a frame with a length":         withoutIP(46),
	}
}

func TestPacketsThatBelongToNoPairAreResidual(t *testing.T) {
	for name, frame := range unaccountable() {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			result := f.run(f.objects.FromVm, frame, skbContext{})
			if result.verdict != verdictNext {
				t.Fatalf("verdict %d: a few of them must pass", result.verdict)
			}
			if got := f.Residual(endpointIndex); got.Packets != 1 || got.Bytes != uint64(len(frame)) || got.DroppedPackets != 0 {
				t.Errorf("%+v, want one packet of %d bytes", got, len(frame))
			}
			for pair := range f.Pairs() {
				t.Errorf("%+v: a pair", pair)
			}
			if priority := result.context.Priority; priority != class(0, 1) && priority != class(0, 2) {
				t.Errorf("class %x, not the default group's", priority)
			}
			f.LimitResidual(endpointIndex, residualBucket(0))
			if !f.dropped(frame) {
				t.Error("passes without a token")
			}
			if got := f.Residual(endpointIndex); got.Packets != 2 || got.DroppedPackets != 1 || got.DroppedBytes != uint64(len(frame)) {
				t.Errorf("%+v, want one of two dropped", got)
			}
			if f.dropped(udpOut().Build()) {
				t.Error("ordinary traffic is dropped with it")
			}
		})
	}
}

// Whoever receives a mark of it would have others slow down.
func TestResidualTrafficIsNotMarkable(t *testing.T) {
	for name, frame := range unaccountable() {
		if readFrame(frame).version == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for ecn := range uint8(4) {
				if readFrame(frame).version == 4 {
					frame[testnet.EthernetBytes+1] = ecn
					binary.BigEndian.PutUint16(frame[testnet.EthernetBytes+10:], 0)
					binary.BigEndian.PutUint16(frame[testnet.EthernetBytes+10:], ^testnet.Sum(frame[testnet.EthernetBytes:testnet.EthernetBytes+20]))
				} else {
					frame[testnet.EthernetBytes+1] = ecn << 4
				}
				result := f.run(f.objects.FromVm, frame, skbContext{})
				if left := testnet.ECNOf(result.frame); left != testnet.NotECT || !testnet.HeaderIntact(result.frame) {
					t.Errorf("ECN %d left as %d, header intact %v", ecn, left, testnet.HeaderIntact(result.frame))
				}
			}
			if forged := f.Endpoint(endpointIndex).ForgedCE; forged != 1 {
				t.Errorf("%d forged marks counted, want 1", forged)
			}
		})
	}
}

func TestPairsBeyondTheTableAreResidual(t *testing.T) {
	f := newFixture(t)
	var slot uint32
	for f.objects.FreeSlots.LookupAndDelete(nil, &slot) == nil {
	}
	if result := f.fromVM(tcpOut(testnet.ACK)); result.verdict != verdictNext || testnet.ECNOf(result.frame) != testnet.NotECT {
		t.Errorf("verdict %d, ECN %d", result.verdict, testnet.ECNOf(result.frame))
	}
	if got := f.Residual(endpointIndex).Packets; got != 1 || f.Totals().UnknownPairs != 1 {
		t.Errorf("%d residual packets, %d unknown pairs; want 1 of each", got, f.Totals().UnknownPairs)
	}
	f.LimitResidual(endpointIndex, residualBucket(0))
	if f.fromVM(tcpOut(testnet.ACK)).verdict != verdictDrop {
		t.Error("passes without a token")
	}
}

func TestDestinationsBeyondControlAreResidual(t *testing.T) {
	f := newFixture(t)
	if err := f.SetDestination(endpointIndex, peer4, Residual); err != nil {
		t.Fatal(err)
	}
	if result := f.fromVM(udpOut()); testnet.ECNOf(result.frame) != testnet.NotECT || f.Residual(endpointIndex).Packets != 1 {
		t.Errorf("ECN %d, %+v", testnet.ECNOf(result.frame), f.Residual(endpointIndex))
	}
	if pair := f.onlyPair(); pair.SentPackets != 1 {
		t.Errorf("%+v: want it counted for its pair", pair)
	}
	if err := f.SetDestination(endpointIndex, peer4, 0); err != nil {
		t.Fatal(err)
	}
	if result := f.fromVM(udpOut()); testnet.ECNOf(result.frame) != testnet.ECT0 || f.Residual(endpointIndex).Packets != 1 {
		t.Error("residual although it was taken back")
	}
}

// A flood of one kind must not take the tokens of those by which a VM finds others.
func TestARPGetsThroughBesideAFlood(t *testing.T) {
	f := newFixture(t)
	flood := testnet.Frame{
		Source: own4, Destination: netip.MustParseAddr("239.1.2.3"), Protocol: testnet.UDP, PayloadBytes: 1400,
	}
	dropped := 0
	for range 200 {
		if f.dropped(testnet.Multicast(flood.Build())) {
			dropped++
		}
	}
	if dropped < 150 {
		t.Fatalf("%d of 200 dropped: no flood", dropped)
	}
	for i := range 20 {
		if f.dropped(testnet.ARP(testnet.VMMAC, own4, peer4)) {
			t.Fatalf("ARP request %d dropped", i)
		}
	}
}

// A flood of groups and ports must not push the endpoint's other flows out of its table.
func TestResidualTrafficIsOneFlowPerKind(t *testing.T) {
	f := newFixture(t)
	for port := range uint16(50) {
		frame := udpOut()
		frame.Destination, frame.Port = netip.AddrFrom4([4]byte{239, 0, 0, byte(port)}), port
		f.fromVM(frame)
	}
	count := 0
	var key bpfFlowKey
	var flow bpfFlow
	for entries := f.flowTableOf(endpointIndex).Iterate(); entries.Next(&key, &flow); {
		count++
	}
	if count != 1 {
		t.Errorf("%d flows, want 1", count)
	}
}

func TestResidualRateHasAFloor(t *testing.T) {
	for _, c := range []struct{ ceiling, uplink, want uint64 }{
		{0, 0, 1_000_000}, {10_000_000, 0, 1_000_000}, {100_000_000, 1e9, 1_000_000}, {1_000_000_000, 1e10, 10_000_000},
		{40_000_000_000, 1e11, 400_000_000}, {0, 20_000_000, 400_000}, {0, 50_000_000, 1_000_000}, {60_000_000, 20_000_000, 600_000},
	} {
		if got := htb.ResidualRate(c.ceiling, c.uplink); got != c.want {
			t.Errorf("of %d on %d: %d, want %d", c.ceiling, c.uplink, got, c.want)
		}
	}
}
