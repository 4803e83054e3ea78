// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/cilium/ebpf"
)

// MaxAgents is of how many addresses it is known that their host has an agent.
const MaxAgents = 65_536

// SetHasAgent says whether an address is of a host that has an agent: what goes there leaves as ECT, what comes from
// there has its ECN field restored.
func (s *Shim) SetHasAgent(address netip.Addr, has bool) (err error) {
	if has {
		err = s.objects.Agents.Put(toAddress(address), uint8(1))
	} else if err = s.objects.Agents.Delete(toAddress(address)); errors.Is(err, ebpf.ErrKeyNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("agent of %s: %w", address, err)
	}
	s.agentsChanged()
	return nil
}

// DeclareToAll has everything leave as ECT, whoever it goes to, or not.
func (s *Shim) DeclareToAll(all bool) {
	var word uint32
	if all {
		word = 1
	}
	atomic.StoreUint32(&s.state.At(0).DeclaresToAll, word)
}

func (s *Shim) agentsChanged() { atomic.AddUint32(&s.state.At(0).AgentsEpoch, 1) }
