// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const otherEndpoint = endpointIndex + 1

// otherMAC is that endpoint's.
var otherMAC = [6]byte{2, 0, 0, 0, 0, 6}

// learning is a fixture whose endpoint has no address yet; another one has other4.
func learning(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	options := EndpointOptions{AntiSpoof: true, Learn: true}
	if err := f.AddEndpoint(otherEndpoint, model.Place{Ifindex: testIfindex}, nil, options); err != nil {
		t.Fatal(err)
	}
	claim := testnet.ARP(otherMAC, other4, peer4)
	copy(claim[6:], otherMAC[:])
	if f.dropped(claim) {
		t.Fatal("the other endpoint cannot claim its address")
	}
	// The same device again, now as the endpoint in question.
	if err := f.AddEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, nil, options); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) dropped(frame []byte) bool {
	f.t.Helper()
	return f.run(f.objects.FromVm, frame, skbContext{}).verdict == verdictDrop
}

func (f *fixture) learnt() []netip.Addr {
	f.t.Helper()
	_, addresses, complete := f.Learned(endpointIndex)
	if !complete {
		f.t.Fatal("half an address")
	}
	return addresses
}

func TestMessagesThatAddressesAreLearnedFrom(t *testing.T) {
	six, linkLocal := netip.MustParseAddr("fd00::7"), netip.MustParseAddr("fe80::7")
	anothers := netip.MustParseAddr("fe80::ff:fe00:6")
	none4, none6 := netip.IPv4Unspecified(), netip.IPv6Unspecified()
	multicast, mapped4 := netip.MustParseAddr("ff02::1"), netip.AddrFrom16(own4.As16())
	stranger := [6]byte{2, 0, 0, 0, 0, 9}
	udp := func(source, destination netip.Addr, port uint16) []byte {
		return testnet.Frame{Source: source, Destination: destination, Protocol: testnet.UDP, Port: port, PayloadBytes: 20}.Build()
	}
	for _, c := range []struct {
		name  string
		frame []byte
		drop  bool
		want  []netip.Addr
	}{
		{"ARP request", testnet.ARP(testnet.VMMAC, own4, peer4), false, []netip.Addr{own4}},
		{"gratuitous ARP", testnet.ARP(testnet.VMMAC, own4, own4), false, []netip.Addr{own4}},
		{"ARP probe", testnet.ARP(testnet.VMMAC, none4, own4), false, nil},
		{"ARP with another's MAC in it", testnet.ARP(stranger, own4, peer4), true, nil},
		{"ARP for another's address", testnet.ARP(testnet.VMMAC, other4, peer4), true, nil},
		{"ARP for no host's address", testnet.ARP(testnet.VMMAC, netip.MustParseAddr("224.0.0.1"), peer4), true, nil},
		{"first IPv4 packet", udp(own4, peer4, 9), false, []netip.Addr{own4}},
		{"first IPv4 packet from another's address", udp(other4, peer4, 9), true, nil},
		{"DHCP", udp(none4, netip.MustParseAddr("255.255.255.255"), 67), false, nil},
		{"loopback", udp(netip.MustParseAddr("127.0.0.1"), peer4, 9), true, nil},
		{"first IPv6 packet", udp(six, peer6, 9), false, []netip.Addr{six}},
		{"link-local of its MAC", udp(ownLinkLocal, multicast, 9), false, nil},
		{"link-local of another's MAC", udp(anothers, multicast, 9), true, nil},
		{"link-local of another's MAC, announced", testnet.Neighbour(testnet.Solicitation, anothers, multicast, peer6), true, nil},
		{"link-local, not announced", udp(linkLocal, multicast, 9), true, nil},
		{"duplicate address detection", testnet.Neighbour(testnet.Solicitation, none6, multicast, six), false, []netip.Addr{six}},
		{"solicitation with a source", testnet.Neighbour(testnet.Solicitation, six, peer6, peer6), false, []netip.Addr{six}},
		{"solicitation from link-local", testnet.Neighbour(testnet.Solicitation, linkLocal, peer6, peer6), false, nil},
		{"advertisement", testnet.Neighbour(testnet.Advertisement, linkLocal, multicast, six), false, []netip.Addr{six}},
		{"advertisement of an IPv4 address", testnet.Neighbour(testnet.Advertisement, linkLocal, multicast, mapped4), true, nil},
		{"duplicate address detection of an IPv4 address", testnet.Neighbour(testnet.Solicitation, none6, multicast, mapped4), true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := learning(t)
			if dropped := f.dropped(c.frame); dropped != c.drop {
				t.Errorf("dropped: %v, want %v", dropped, c.drop)
			}
			if learnt := f.learnt(); !slices.Equal(learnt, c.want) {
				t.Errorf("learnt %v, want %v", learnt, c.want)
			}
			mac, _, _ := f.Learned(endpointIndex)
			if len(c.want) > 0 && [6]byte(mac) != testnet.VMMAC {
				t.Errorf("MAC %s", mac)
			}
		})
	}
}

func TestFurtherAddressesMustBeAnnounced(t *testing.T) {
	f := learning(t)
	first, second := udpOut().Build(), testnet.Frame{Source: peer4, Destination: own4, Protocol: testnet.UDP, PayloadBytes: 9}.Build()
	if f.dropped(first) || !f.dropped(second) {
		t.Error("want the first address taken from data and the second not")
	}
	if f.dropped(testnet.ARP(testnet.VMMAC, peer4, own4)) || f.dropped(second) {
		t.Error("an announced address is refused")
	}
}

func TestAnAddressHasOneOwnerUntilItsRemoval(t *testing.T) {
	f := learning(t)
	claim := testnet.ARP(testnet.VMMAC, other4, peer4)
	for want := uint64(1); want <= 2; want++ {
		if !f.dropped(claim) {
			t.Fatal("taken from its owner")
		}
		if address, count := f.RefusedClaim(endpointIndex); address != other4 || count != want {
			t.Errorf("refused %s %d times, want %s, %d", address, count, other4, want)
		}
	}
	if _, err := f.RemoveEndpoint(otherEndpoint, model.Place{Ifindex: testIfindex + 1}, 1); err != nil {
		t.Fatal(err)
	}
	if f.dropped(claim) || !slices.Equal(f.learnt(), []netip.Addr{other4}) {
		t.Error("not free although its owner has gone")
	}
}

func TestLearnedAddressesAreBoundedAndExpire(t *testing.T) {
	f := learning(t)
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 9, 0, byte(i)}) }
	announce := func(i int) bool { return !f.dropped(testnet.ARP(testnet.VMMAC, address(i), peer4)) }
	for i := range MaxAddresses {
		if !announce(1 + i) {
			t.Fatalf("address %d refused", i)
		}
	}
	if announce(100) {
		t.Error("more addresses than an endpoint can have")
	}
	if err := f.ForgetAddress(endpointIndex, address(3)); err != nil {
		t.Fatal(err)
	}
	if learnt := f.learnt(); len(learnt) != MaxAddresses-1 || slices.Contains(learnt, address(3)) {
		t.Errorf("%v after forgetting %s", learnt, address(3))
	}
	if !announce(100) || announce(3) || len(f.learnt()) != MaxAddresses {
		t.Error("one place was free, for one address")
	}
}

func TestWithoutAntiSpoofAddressesAreLearnedAndNothingIsDropped(t *testing.T) {
	f := learning(t)
	f.SetOptions(endpointIndex, EndpointOptions{Learn: true})
	if f.dropped(testnet.ARP(testnet.VMMAC, own4, peer4)) || f.dropped(testnet.ARP(testnet.VMMAC, other4, peer4)) {
		t.Error("dropped although antiSpoof is off")
	}
	if learnt := f.learnt(); !slices.Equal(learnt, []netip.Addr{own4}) {
		t.Errorf("learnt %v, want its own only", learnt)
	}
}

func TestConfiguredEndpointsLearnNoAddresses(t *testing.T) {
	f := newFixture(t)
	foreign := testnet.Neighbour(testnet.Advertisement, own6, peer6, peer6)
	if !f.dropped(foreign) || !f.dropped(testnet.ARP(testnet.VMMAC, other4, peer4)) {
		t.Error("another's address may be announced")
	}
	if f.dropped(testnet.Neighbour(testnet.Advertisement, own6, peer6, own6)) {
		t.Error("its own address may not be announced")
	}
	if !f.dropped(testnet.Neighbour(testnet.Advertisement, own6, peer6, netip.AddrFrom16(own4.As16()))) {
		t.Error("its IPv4 address may be announced as one of IPv6's")
	}
	if count := f.AddressCount(endpointIndex); count != 2 {
		t.Errorf("%d addresses, want the two listed", count)
	}
}

func TestARemovedEndpointsStateIsNotInherited(t *testing.T) {
	f := newFixture(t)
	if err := f.SetDestination(endpointIndex, peer4, 2); err != nil {
		t.Fatal(err)
	}
	f.fromVM(udpOut())
	slot := f.onlyPair().Slot
	retired, err := f.RemoveEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, 1)
	if err != nil || !slices.Equal(retired, []int{slot}) {
		t.Fatalf("retired %v, %v; want %d", retired, err, slot)
	}
	sent := udpOut().Build()
	if result := f.run(f.objects.FromVm, sent, skbContext{Priority: 6}); result.context.Priority != 6 {
		t.Error("its interface's packets are still touched")
	}
	if err := f.AddEndpoint(endpointIndex, model.Place{Ifindex: testIfindex}, []netip.Addr{own4}, EndpointOptions{AntiSpoof: true}); err != nil {
		t.Fatal(err)
	}
	f.fromVM(udpOut())
	if counters := f.Endpoint(endpointIndex); counters.SentPackets != 1 {
		t.Errorf("%+v: want fresh counters", counters)
	}
	if pair := f.onlyPair(); pair.Group != 0 || pair.SentPackets != 1 {
		t.Errorf("%+v: want a fresh pair in the default group", pair)
	}
}
