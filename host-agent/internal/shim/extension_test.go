// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// Extension headers of IPv6, RFC 8200.
const (
	hopByHop    = 0
	routing     = 43
	fragment    = 44
	authentic   = 51
	destination = 60
)

// behind puts extension headers of 8 bytes each between an IPv6 header and what follows it.
func behind(frame []byte, chain ...uint8) []byte {
	const nextHeader, headerEnd = testnet.EthernetBytes + 6, testnet.EthernetBytes + 40
	longer := append([]byte{}, frame[:headerEnd]...)
	at := nextHeader
	for _, kind := range chain {
		upper := longer[at]
		longer[at] = kind
		at = len(longer)
		longer = append(longer, upper, 0, 0, 0, 0, 0, 0, 0)
	}
	longer = append(longer, frame[headerEnd:]...)
	binary.BigEndian.PutUint16(longer[testnet.EthernetBytes+4:], uint16(len(longer)-headerEnd))
	return longer
}

var chains = map[string][]uint8{
	"options for the destination": {destination},
	"options for every hop":       {hopByHop},
	"a fragment header":           {fragment},
	"an authentication header":    {authentic},
	"all of them":                 {hopByHop, destination, routing, fragment, authentic, destination},
}

// What a header hides from the shim it does not hide from the receiver.
func TestExtensionHeadersDoNotEvadeFilters(t *testing.T) {
	for name, chain := range chains {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			foreign := behind(testnet.Neighbour(testnet.Advertisement, own6, peer6, peer6), chain...)
			if !f.dropped(foreign) {
				t.Error("an advertisement of a foreign address leaves")
			}
			if f.dropped(behind(testnet.Neighbour(testnet.Advertisement, own6, peer6, own6), chain...)) {
				t.Error("an advertisement of the own address does not leave")
			}
			control := testnet.Frame{Source: own6, Destination: peer6, Protocol: testProtocol, PayloadBytes: 64}
			if !f.dropped(behind(control.Build(), chain...)) || f.Endpoint(endpointIndex).ForgedControl != 1 {
				t.Error("the control protocol leaves")
			}
			control.Source, control.Destination = peer6, own6
			in := f.run(f.objects.ToVm, behind(control.Build(), chain...), skbContext{IngressIfindex: uplinkIfindex})
			if in.verdict != verdictDrop {
				t.Error("the control protocol reaches a VM")
			}
			nobody := testnet.Frame{Source: netip.IPv6Unspecified(), Destination: peer6, Protocol: testnet.UDP, PayloadBytes: 8}
			if !f.dropped(testnet.Multicast(behind(nobody.Build(), chain...))) {
				t.Error("a packet without a source leaves")
			}
		})
	}
}

func TestPortsBehindExtensionHeaders(t *testing.T) {
	f := newFixture(t)
	frame := testnet.Frame{Source: own6, Destination: peer6, Protocol: testnet.UDP, SourcePort: 7, Port: 9, PayloadBytes: 8}
	if result := f.run(f.objects.FromVm, behind(frame.Build(), destination), skbContext{}); result.verdict != verdictNext {
		t.Fatalf("verdict %d", result.verdict)
	}
	key := bpfFlowKey{
		Local: toAddress(own6), Remote: toAddress(peer6), LocalPort: 7, RemotePort: 9,
		Endpoint: endpointIndex, Protocol: testnet.UDP,
	}
	var flow bpfFlow
	if err := f.flowTableOf(endpointIndex).Lookup(key, &flow); err != nil {
		t.Errorf("its flow: %v", err)
	}
}

// What does not hold the whole chain does not show what it is (RFC 7112).
func TestTruncatedOrTooLongHeaderChainsAreMalformed(t *testing.T) {
	plain := testnet.Frame{Source: own6, Destination: peer6, Protocol: testnet.UDP, PayloadBytes: 8}.Build()
	cut := behind(plain, destination)
	cut[testnet.EthernetBytes+40+1] = 9
	for name, frame := range map[string][]byte{
		"cut":              cut,
		"beyond the frame": behind(plain, destination)[:testnet.EthernetBytes+40+6],
		"nine headers":     behind(plain, 60, 60, 60, 60, 60, 60, 60, 60, 60),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if !f.dropped(frame) || f.Totals().MalformedPackets != 1 {
				t.Error("passes")
			}
		})
	}
}

func TestLaterFragmentsAreNotReadAsHeaders(t *testing.T) {
	f := newFixture(t)
	frame := behind(testnet.Neighbour(testnet.Advertisement, own6, peer6, peer6), fragment)
	frame[testnet.EthernetBytes+40+3] = 8
	if f.dropped(frame) {
		t.Error("data that look like an advertisement are taken for one")
	}
}

// An advertisement whose target comes in a second fragment is nobody's: RFC 6980 forbids it.
func TestTruncatedAdvertisementsAreDropped(t *testing.T) {
	f := newFixture(t)
	whole := testnet.Neighbour(testnet.Advertisement, own6, peer6, peer6)
	for _, frame := range [][]byte{whole[:len(whole)-16], behind(whole[:len(whole)-16], fragment)} {
		if !f.dropped(frame) {
			t.Errorf("%x leaves", frame)
		}
	}
}

// IPv4 addresses in IPv6 headers would be taken for IPv4's.
func TestMappedAddressesAreMalformed(t *testing.T) {
	mapped, none := netip.MustParseAddr("::ffff:10.0.0.1"), netip.MustParseAddr("::ffff:0.0.0.0")
	for _, frame := range [][]byte{
		testnet.Frame{Source: mapped, Destination: peer6, Protocol: testnet.UDP, PayloadBytes: 8}.Build(),
		testnet.Frame{Source: own6, Destination: mapped, Protocol: testnet.UDP, PayloadBytes: 8}.Build(),
		testnet.Neighbour(testnet.Solicitation, none, peer6, peer6),
	} {
		t.Run("", func(t *testing.T) {
			if f := newFixture(t); !f.dropped(frame) {
				t.Errorf("passes: %x", frame)
			}
		})
	}
}
