// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/cilium/ebpf"
)

// unowned marks an address that no endpoint may have: programs refuse every claim of it.
const unowned = uint32(0)

// RefuseAddress takes an address from an endpoint; no endpoint of this host can claim it from now on. One
// that has it already keeps it.
func (s *Shim) RefuseAddress(index int, address netip.Addr) error {
	if err := s.ForgetAddress(index, address); err != nil {
		return err
	}
	err := s.objects.Owners.Update(toAddress(address), unowned, ebpf.UpdateNoExist)
	if err != nil && !errors.Is(err, ebpf.ErrKeyExist) {
		return fmt.Errorf("refuse address %s: %w", address, err)
	}
	s.ownersChanged()
	return nil
}

// PermitAddress ends that.
func (s *Shim) PermitAddress(address netip.Addr) error {
	var owner uint32
	err := s.objects.Owners.Lookup(toAddress(address), &owner)
	if err == nil && owner == unowned {
		err = s.objects.Owners.Delete(toAddress(address))
	}
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("permit address %s: %w", address, err)
	}
	return nil
}

// GiveAddress gives an address to an endpoint that does not learn its own.
func (s *Shim) GiveAddress(index int, address netip.Addr) error {
	endpoint := s.endpoints.At(index)
	count := s.AddressCount(index)
	if count == MaxAddresses {
		return fmt.Errorf("give address %s to endpoint %d: it has %d, at most", address, index, MaxAddresses)
	}
	if err := s.objects.Owners.Put(toAddress(address), uint32(index)); err != nil {
		return fmt.Errorf("give address %s to endpoint %d: %w", address, index, err)
	}
	endpoint.Addresses[count] = toAddress(address)
	atomic.StoreUint32(&endpoint.AddressCount, uint32(count+1))
	s.ownersChanged()
	return nil
}
