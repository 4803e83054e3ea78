// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// agentForgottenNanos without a message an address may have another host, or a host without an agent. What is sent there
// is answered within two turns of both hosts' loops, if it has one.
const agentForgottenNanos = int64(10 * time.Minute)

// agents are the addresses of other hosts that have an agent, by when its last message came.
type agents map[netip.Addr]int64

// Inherit takes over what an earlier agent knew; due before packets pass.
func (p *Peers) Inherit(nowNanos int64, addresses []netip.Addr) {
	for _, address := range addresses {
		p.foundAgent(nowNanos, address)
	}
}

// foundAgent notes that an agent has sent a message from an address.
func (p *Peers) foundAgent(nowNanos int64, address netip.Addr) {
	if _, known := p.agents[address]; !known {
		for other := range p.agents {
			if len(p.agents) < shim.MaxAgents {
				break
			}
			p.forgetAgent(other) // any: it is found again when there is traffic
		}
		p.faults.Report("note another host's agent", p.programs.SetHasAgent(address, true))
	}
	p.agents[address] = nowNanos
}

func (p *Peers) forgetAgents(beforeNanos int64) {
	for address, nanos := range p.agents {
		if nanos < beforeNanos {
			p.forgetAgent(address)
		}
	}
}

func (p *Peers) forgetAgent(address netip.Addr) {
	delete(p.agents, address)
	p.faults.Report("forget another host's agent", p.programs.SetHasAgent(address, false))
}
