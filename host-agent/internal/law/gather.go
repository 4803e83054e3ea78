// SPDX-License-Identifier: Apache-2.0

package law

import (
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Gather puts a destination into the one group of a law that does not distinguish ports: its rate is for all
// that the endpoint sends. marked: marks came back from the destination, with which control begins where there
// was none.
func (e *Endpoint) Gather(destination netip.Addr, nicBitsPerSecond uint64, marked bool) error {
	index, err := e.groupOf(model.AnyPort)
	if err != nil {
		return err
	}
	g := &e.groups[index]
	// The congested port is not reported; it is taken to be no slower than the NIC.
	g.share = model.UnitShare{Port: model.AnyPort, CapacityBitsPerSecond: nicBitsPerSecond}
	if marked && g.idle {
		e.activate(g)
	}
	e.join(index, destination)
	return nil
}
