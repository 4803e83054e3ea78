// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func neighbourMessage(kind uint8) []byte {
	return testnet.Neighbour(kind, ownLinkLocal, allNodes, own6)
}

func TestRouterServerAndSwitchMessagesOfVMsAreDropped(t *testing.T) {
	routes, serves, discovers := Permissions{AdvertiseRoutes: true}, Permissions{ServeDHCP: true}, Permissions{SendDiscovery: true}
	udp := func(source, destination netip.Addr, port uint16) []byte {
		return testnet.Frame{Source: source, Destination: destination, Protocol: testnet.UDP, SourcePort: 67, Port: port, PayloadBytes: 20}.Build()
	}
	cutTo := func(frame []byte, bytes int) []byte { return frame[:testnet.EthernetBytes+40+bytes] }
	toSwitches := func(last byte) []byte {
		frame := withoutIP(46)
		copy(frame, []byte{0x01, 0x80, 0xc2, 0, 0, last})
		return frame
	}
	for _, c := range []struct {
		name  string
		frame []byte
		may   Permissions // without which it is dropped
	}{
		{"router advertisement", neighbourMessage(134), routes},
		{"router advertisement without options", cutTo(neighbourMessage(134), 16), routes},
		{"router advertisement behind an option", behind(neighbourMessage(134), hopByHop), routes},
		{"first fragment of a router advertisement", behind(neighbourMessage(134), fragment), routes},
		{"redirect", neighbourMessage(137), routes},
		{"DHCP server's reply", udp(own4, everybody4, 68), serves},
		{"DHCP server's reply to one host", udp(own4, peer4, 68), serves},
		{"DHCPv6 server's reply", udp(ownLinkLocal, netip.MustParseAddr("fe80::5"), 546), serves},
		{"LLDP", withoutIP(0x88cc), discovers},
		{"BDDP", withoutIP(0x8942), discovers},
		{"a spanning tree's", toSwitches(0), discovers},
		{"to the last of the switches' groups", toSwitches(15), discovers},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if !f.dropped(c.frame) {
				t.Error("leaves a plain VM")
			}
			if e := f.Endpoint(endpointIndex); e.RoguePackets != 1 || e.SpoofedPackets != 0 {
				t.Errorf("%d rogue, %d spoofed packets; want one rogue", e.RoguePackets, e.SpoofedPackets)
			}
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, May: c.may})
			if f.dropped(c.frame) {
				t.Error("dropped although it is allowed")
			}
			f.SetOptions(endpointIndex, EndpointOptions{})
			if f.dropped(c.frame) {
				t.Error("dropped although antiSpoof is off")
			}
		})
	}
	for name, frame := range map[string][]byte{
		"router solicitation":                 neighbourMessage(133),
		"DHCPv6 request":                      udp(ownLinkLocal, netip.MustParseAddr("ff02::1:2"), 547),
		"to a group behind the switches' own": toSwitches(16),
	} {
		t.Run(name, func(t *testing.T) {
			if f := newFixture(t); f.dropped(frame) {
				t.Error("dropped")
			}
		})
	}
}

func TestPermittedRoutersMayUseOtherAddresses(t *testing.T) {
	foreign4, foreign6 := udpOut(), udpOut()
	foreign4.Source = other4
	foreign6.Source, foreign6.Destination = netip.MustParseAddr("fd00::bad"), peer6
	stranger := [6]byte{2, 0, 0, 0, 0, 9}
	fromStranger := udpOut().Build()
	copy(fromStranger[6:], stranger[:])
	strangersARP := testnet.ARP(stranger, own4, peer4)
	copy(strangersARP[6:], stranger[:])
	for _, c := range []struct {
		name  string
		frame []byte
		may   Permissions
	}{
		{"IPv4", foreign4.Build(), Permissions{OtherAddresses: true}},
		{"IPv6", foreign6.Build(), Permissions{OtherAddresses: true}},
		{"ARP", testnet.ARP(testnet.VMMAC, other4, peer4), Permissions{OtherAddresses: true}},
		{"advertisement", testnet.Neighbour(testnet.Advertisement, own6, peer6, peer6), Permissions{OtherAddresses: true}},
		{"MAC", fromStranger, Permissions{OtherMACs: true}},
		{"MAC in ARP", testnet.ARP(stranger, own4, peer4), Permissions{OtherMACs: true}},
		{"both MACs of ARP", strangersARP, Permissions{OtherMACs: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if !f.dropped(c.frame) {
				t.Error("a plain VM may")
			}
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, May: c.may})
			if f.dropped(c.frame) {
				t.Error("dropped although it is allowed")
			}
		})
	}
}

func TestAnEndpointsMACIsThatOfItsFirstFrame(t *testing.T) {
	f := learning(t)
	if mac := f.MAC(endpointIndex); mac != nil {
		t.Fatalf("%s before the first frame", mac)
	}
	claim := testnet.ARP(otherMAC, own4, peer4)
	copy(claim[6:], otherMAC[:])
	if !f.dropped(claim) {
		t.Error("another endpoint's MAC is taken")
	}
	if mac, count := f.ForeignMAC(endpointIndex); [6]byte(mac) != otherMAC || count != 1 {
		t.Errorf("%s, %d frames; want the other endpoint's, 1", mac, count)
	}
	group := withoutIP(0x88b5)
	copy(group[6:], []byte{3, 0, 0, 0, 0, 1})
	if !f.dropped(group) || !f.dropped(append(make([]byte, 12), group[12:]...)) {
		t.Error("a group's MAC, or none, is taken")
	}
	if f.dropped(withoutIP(0x88b5)) || [6]byte(f.MAC(endpointIndex)) != testnet.VMMAC {
		t.Errorf("MAC %s, want the first frame's", f.MAC(endpointIndex))
	}
	later := udpOut().Build()
	later[11] = 77
	if !f.dropped(later) {
		t.Error("a second MAC passes")
	}
	if err := f.ForgetMAC(endpointIndex); err != nil {
		t.Fatal(err)
	}
	if f.dropped(later) || f.MAC(endpointIndex)[5] != 77 {
		t.Error("a MAC that was forgotten is not learned anew")
	}
	if _, err := f.RemoveEndpoint(otherEndpoint, model.Place{Ifindex: testIfindex + 1}, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.ForgetMAC(endpointIndex); err != nil {
		t.Fatal(err)
	}
	if f.dropped(claim) {
		t.Error("a MAC is not free although its endpoint has gone")
	}
}

func TestLinkLocalAddressesAreAnnouncedOneByOne(t *testing.T) {
	f := learning(t)
	address := func(i int) netip.Addr {
		bytes := netip.MustParseAddr("fe80::").As16()
		bytes[8], bytes[15] = 0x5a, byte(i)
		return netip.AddrFrom16(bytes)
	}
	announce := func(i int) bool {
		f.dropped(testnet.Multicast(testnet.Neighbour(testnet.Solicitation, netip.IPv6Unspecified(), allNodes, address(i))))
		return !f.dropped(testnet.Frame{Source: address(i), Destination: allNodes, Protocol: testnet.UDP, PayloadBytes: 9}.Build())
	}
	if !announce(1) || !announce(2) {
		t.Error("two cannot be announced")
	}
	if announce(3) {
		t.Error("a third passes at once")
	}
	f.endpoints.At(endpointIndex).LinkLocalNanos = 0 // as if a minute had passed
	if !announce(3) {
		t.Error("a third cannot be announced after a minute")
	}
	if !f.dropped(testnet.Frame{Source: address(1), Destination: allNodes, Protocol: testnet.UDP, PayloadBytes: 9}.Build()) {
		t.Error("the first is still its own")
	}
	if addresses := f.learnt(); len(addresses) != 0 {
		t.Errorf("%v reported as the endpoint's", addresses)
	}
	// The same device again, as another endpoint.
	if err := f.AddEndpoint(otherEndpoint, model.Place{Ifindex: testIfindex}, nil, EndpointOptions{AntiSpoof: true, Learn: true}); err != nil {
		t.Fatal(err)
	}
	stolen := testnet.Neighbour(testnet.Advertisement, netip.MustParseAddr("fe80::ff:fe00:6"), allNodes, address(2))
	copy(stolen[6:], otherMAC[:])
	if !f.dropped(stolen) {
		t.Error("another endpoint announces it too")
	}
}
