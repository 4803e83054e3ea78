// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A floor that came with a unit share must end as the rate of a kernel class, and outlive a reset
// of the laws.
func TestPublishedFloorIsEnforced(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{{
		Interface: "vm0", Tenant: "t1", Weight: 1, GuaranteeBitsPerSecond: 40_000_000,
	}})
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{
		Port: testPort, UnitShareBitsPerSecond: 1_000_000, CapacityBitsPerSecond: 50_000_000, ActiveWeight: 49,
		Endpoints: []model.ControlledEndpoint{{
			Interface: "vm0", Destinations: []netip.Addr{peerIP},
			Terms: model.Terms{Floor: model.Floor{Known: true, BitsPerSecond: 8_000_000}},
		}},
	}})
	held := func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 8_000_000
	}
	testnet.Until(t, "the floor is in force", held)
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: false, Law: model.TwoTimeScale})
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.TwoTimeScale})
	testnet.Until(t, "the floor is in force again", held)
}
