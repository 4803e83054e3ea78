// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	flagAntiSpoof   = 1
	flagPreserveECN = 2
	flagLearn       = 4
	flagPassVLANs   = 8
	flagKeepECN     = 16

	flagOtherMACs       = 32
	flagOtherAddresses  = 64
	flagAdvertiseRoutes = 128
	flagServeDHCP       = 256
	flagSendDiscovery   = 512
)

// MaxAddresses is how many addresses an endpoint can have.
const MaxAddresses = maxAddresses

// EndpointOptions are an endpoint's switches.
type EndpointOptions struct {
	// AntiSpoof drops what claims an address that is not the endpoint's.
	AntiSpoof   bool
	PreserveECN bool
	// Learn takes addresses from what the VM sends, as long as no other endpoint has them.
	Learn bool
	// PassVLANs lets the VM send frames with a VLAN tag; one in a VLAN may send its own in any case.
	PassVLANs bool
	// KeepECN leaves what it sends as it is, where its marks are not counted.
	KeepECN bool
	// May is what AntiSpoof drops otherwise.
	May Permissions
}

// Permissions are what a VM may send that is more than a plain host.
type Permissions struct {
	// OtherMACs: from Ethernet addresses that are not its own; without AntiSpoof it may in any case.
	OtherMACs bool
	// OtherAddresses: from IP addresses that are not its own, announcements of them included.
	OtherAddresses bool
	// AdvertiseRoutes: IPv6's router advertisements and redirects.
	AdvertiseRoutes bool
	// ServeDHCP: what DHCP servers send to clients.
	ServeDHCP bool
	// SendDiscovery: LLDP, BDDP, and frames to 01-80-C2-00-00-0x.
	SendDiscovery bool
}

// AddEndpoint makes an endpoint known to the programs: index in [1, MaxEndpoints) and not in use, at most
// MaxAddresses addresses, which no other endpoint can claim from now on. Its counters start at 0.
func (s *Shim) AddEndpoint(index int, place model.Place, addresses []netip.Addr, options EndpointOptions) error {
	if len(addresses) > MaxAddresses {
		return fmt.Errorf("endpoint %d: %d addresses, at most %d", index, len(addresses), MaxAddresses)
	}
	endpoint := s.endpoints.At(index)
	if *endpoint != (bpfEndpoint{}) { // it is one already: nothing is left of one that was removed
		if err := s.disown(index); err != nil {
			return err
		}
		*endpoint = bpfEndpoint{}
	}
	s.quotas.add(index)
	for group := range groupSlots {
		*s.groups.At(index*groupSlots + group) = bpfGroup{}
	}
	for i, address := range addresses {
		endpoint.Addresses[i] = toAddress(address)
		if err := s.objects.Owners.Put(endpoint.Addresses[i], uint32(index)); err != nil {
			return fmt.Errorf("endpoint %d: address %s: %w", index, address, err)
		}
	}
	s.ownersChanged()
	atomic.StoreUint32(&endpoint.AddressCount, uint32(len(addresses)))
	setBucket(&endpoint.Announcements, announcements)
	s.LimitResidual(index, htb.ResidualOf(htb.ResidualRate(0, 0), 0))
	s.SetOptions(index, options)
	if err := s.occupy(index, place); err != nil {
		return fmt.Errorf("endpoint %d: %w", index, err)
	}
	return nil
}

// word is a place as the programs have it, above 16 bits for an index (place_of of bpf/state.h).
func word(place model.Place) uint64 {
	return uint64(place.Ifindex)<<32 | uint64(place.VLAN)<<placeShift
}

const placeShift = 16

// occupy makes a place an endpoint's.
func (s *Shim) occupy(index int, place model.Place) error {
	if err := s.objects.Places.Put(word(place), uint32(index)); err != nil {
		return err
	}
	if place.VLAN != 0 {
		atomic.StoreUint32(&s.state.At(0).HasTrunks, 1)
	}
	atomic.StoreUint64(s.cached(place), word(place)|uint64(index))
	return nil
}

// indexOf is a place's endpoint.
func (s *Shim) indexOf(place model.Place) (int, error) {
	var index uint32
	if err := s.objects.Places.Lookup(word(place), &index); err != nil {
		return 0, fmt.Errorf("endpoint of interface %d, VLAN %d: %w", place.Ifindex, place.VLAN, err)
	}
	return int(index), nil
}

// vacate removes a place's endpoint, whether or not it has one.
func (s *Shim) vacate(place model.Place) error {
	cached := s.cached(place)
	if atomic.LoadUint64(cached)>>placeShift == word(place)>>placeShift {
		atomic.StoreUint64(cached, 0)
	}
	return ignoreAbsent(s.objects.Places.Delete(word(place)))
}

// cached is the word of the programs' cache where a place may stand (place_slot of bpf/state.h).
func (s *Shim) cached(place model.Place) *uint64 {
	return s.placeCache.At((place.Ifindex + 67*int(place.VLAN)) % s.placeCache.Len())
}

// RemoveEndpoint forgets an endpoint whose programs are detached; its index is free afterwards, its
// pairs are retired. It returns the pairs' slots.
func (s *Shim) RemoveEndpoint(index int, place model.Place, nowNanos int64) (retired []int, err error) {
	var failures []error
	if err := s.vacate(place); err != nil {
		failures = append(failures, fmt.Errorf("endpoint %d: %w", index, err))
	}
	failures = append(failures, s.disown(index), s.removeDestinations(index))
	for slot := range s.pairSlots.all() {
		if int(s.pairs.At(slot).Endpoint) == index {
			retired = append(retired, slot)
		}
	}
	for _, slot := range retired {
		failures = append(failures, s.Retire(slot, nowNanos))
	}
	for connection := range s.Connections() {
		if connection.Endpoint == index {
			failures = append(failures, s.RetireConnection(connection.Slot, nowNanos))
		}
	}
	*s.endpoints.At(index) = bpfEndpoint{}
	s.quotas.remove(index)
	return retired, errors.Join(failures...)
}

// disown makes all addresses of an endpoint, and its MAC, free for others.
func (s *Shim) disown(index int) error {
	macs := s.ForgetMAC(index)
	var owned []bpfAddress
	var address bpfAddress
	var owner uint32
	entries := s.objects.Owners.Iterate()
	for entries.Next(&address, &owner) {
		if int(owner) == index {
			owned = append(owned, address)
		}
	}
	failures := []error{macs, entries.Err()}
	for _, address := range owned {
		failures = append(failures, s.objects.Owners.Delete(address))
	}
	s.ownersChanged()
	return errors.Join(failures...)
}

func (s *Shim) removeDestinations(index int) error {
	var placed []bpfDestinationKey
	var key bpfDestinationKey
	var group uint32
	entries := s.objects.Destinations.Iterate()
	for entries.Next(&key, &group) {
		if int(key.Endpoint) == index {
			placed = append(placed, key)
		}
	}
	failures := []error{entries.Err()}
	for _, key := range placed {
		failures = append(failures, s.objects.Destinations.Delete(key))
	}
	return errors.Join(failures...)
}

// SetOptions changes an endpoint's switches.
func (s *Shim) SetOptions(index int, options EndpointOptions) {
	var flags uint32
	if options.AntiSpoof {
		flags |= flagAntiSpoof
	}
	if options.PreserveECN {
		flags |= flagPreserveECN
	}
	if options.Learn {
		flags |= flagLearn
	}
	if options.PassVLANs {
		flags |= flagPassVLANs
	}
	if options.KeepECN {
		flags |= flagKeepECN
	}
	if options.May.OtherMACs || !options.AntiSpoof {
		flags |= flagOtherMACs
	}
	if options.May.OtherAddresses {
		flags |= flagOtherAddresses
	}
	if options.May.AdvertiseRoutes {
		flags |= flagAdvertiseRoutes
	}
	if options.May.ServeDHCP {
		flags |= flagServeDHCP
	}
	if options.May.SendDiscovery {
		flags |= flagSendDiscovery
	}
	atomic.StoreUint32(&s.endpoints.At(index).Flags, flags)
}

// AddressCount is how many addresses an endpoint has: whether it has learned one.
func (s *Shim) AddressCount(index int) int {
	return min(int(atomic.LoadUint32(&s.endpoints.At(index).AddressCount)), MaxAddresses)
}

// Learned reads an endpoint's addresses and its MAC. complete is false while a program is just writing one:
// read again.
func (s *Shim) Learned(index int) (mac net.HardwareAddr, addresses []netip.Addr, complete bool) {
	endpoint := s.endpoints.At(index)
	for i := range s.AddressCount(index) {
		words := endpoint.Addresses[i]
		var owner uint32
		// A program enters the owner first, so half an address has none.
		if err := s.objects.Owners.Lookup(words, &owner); err != nil || int(owner) != index {
			return nil, nil, false
		}
		addresses = append(addresses, fromAddress(words))
	}
	return s.MAC(index), addresses, true
}

// MAC is an endpoint's; nil while it has none.
func (s *Shim) MAC(index int) net.HardwareAddr {
	if word := atomic.LoadUint64(&s.endpoints.At(index).Mac); word != 0 {
		return macOf(word)
	}
	return nil
}

// macOf reads a MAC as the programs have it: its bytes in their order, then two zeros.
func macOf(word uint64) net.HardwareAddr {
	var bytes [8]byte
	binary.NativeEndian.PutUint64(bytes[:], word)
	return slices.Clone(bytes[:macBytes])
}

// SetMAC gives an endpoint its MAC, which no other endpoint takes for its own from now on. Without, it is the first
// frame's.
func (s *Shim) SetMAC(index int, mac net.HardwareAddr) error {
	if err := s.ForgetMAC(index); err != nil || len(mac) != macBytes {
		return err
	}
	var bytes [8]byte
	copy(bytes[:], mac)
	word := binary.NativeEndian.Uint64(bytes[:])
	if err := s.objects.MacOwners.Put(word, uint32(index)); err != nil {
		return fmt.Errorf("endpoint %d: MAC %s: %w", index, mac, err)
	}
	atomic.StoreUint64(&s.endpoints.At(index).Mac, word)
	return nil
}

// ForgetMAC has an endpoint's MAC be that of its next frame.
func (s *Shim) ForgetMAC(index int) error {
	word := atomic.SwapUint64(&s.endpoints.At(index).Mac, 0)
	if word == 0 {
		return nil
	}
	var owner uint32
	err := s.objects.MacOwners.Lookup(word, &owner)
	if err == nil && int(owner) == index {
		if other := s.otherWith(word); other != 0 {
			err = s.objects.MacOwners.Put(word, uint32(other))
		} else {
			err = s.objects.MacOwners.Delete(word)
		}
	}
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("forget MAC %s: %w", macOf(word), err)
	}
	return nil
}

// otherWith is an endpoint that has a MAC, as a trunk's have the same; 0: there is none.
func (s *Shim) otherWith(mac uint64) int {
	for index := range s.endpoints.Len() {
		if atomic.LoadUint64(&s.endpoints.At(index).Mac) == mac {
			return index
		}
	}
	return 0
}

// ForeignMAC is the MAC of a frame from an endpoint whose MAC is another, and how many such frames there
// were.
func (s *Shim) ForeignMAC(index int) (mac net.HardwareAddr, count uint64) {
	endpoint := s.endpoints.At(index)
	count = atomic.LoadUint64(&endpoint.ForeignMacs)
	return macOf(atomic.LoadUint64(&endpoint.ForeignMac)), count
}

// RefusedClaim is an address that an endpoint claimed in vain, and how many claims were in vain.
func (s *Shim) RefusedClaim(index int) (address netip.Addr, count uint64) {
	endpoint := s.endpoints.At(index)
	count = atomic.LoadUint64(&endpoint.RefusedClaims)
	return fromAddress(endpoint.Refused), count
}

// ForgetAddress takes a learned address from an endpoint. A program may be adding another meanwhile.
func (s *Shim) ForgetAddress(index int, address netip.Addr) error {
	endpoint := s.endpoints.At(index)
	gone := toAddress(address)
	for {
		count := atomic.LoadUint32(&endpoint.AddressCount)
		used := min(int(count), MaxAddresses)
		at := slices.Index(endpoint.Addresses[:used], gone)
		if at < 0 {
			break
		}
		last := used - 1
		moved := endpoint.Addresses[last]
		endpoint.Addresses[at] = moved
		endpoint.Addresses[last] = bpfAddress{}
		if atomic.CompareAndSwapUint32(&endpoint.AddressCount, count, uint32(last)) {
			break
		}
		// One was added behind it: again, with that one as the last.
		endpoint.Addresses[last] = moved
		endpoint.Addresses[at] = gone
	}
	var owner uint32
	err := s.objects.Owners.Lookup(gone, &owner)
	if err == nil && int(owner) == index {
		err = s.objects.Owners.Delete(gone)
		s.ownersChanged()
	}
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("forget address %s: %w", address, err)
	}
	return nil
}
