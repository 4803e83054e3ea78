// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"net/netip"

	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Control is the laws that decide an endpoint's limits, by what it is controlled for, as the host runs them.
type Control struct {
	*law.Endpoint
	kind model.LawKind
	// host is for laws that go by nothing else.
	host func() law.Host
	// returned are the marks that came back from each destination, under HyGenICC's law.
	returned map[netip.Addr]uint64
	faults   *faults.Log
}

func newControl(kind model.LawKind, host func() law.Host, bounds model.Bounds, faults *faults.Log) *Control {
	c := &Control{kind: kind, host: host, returned: map[netip.Addr]uint64{}, faults: faults}
	c.Endpoint = law.NewEndpoint(c.newLaw, bounds)
	return c
}

func (c *Control) newLaw() model.Law { return law.New(c.kind, c.host()) }

// reset has laws begin anew from the last shares.
func (c *Control) reset(kind model.LawKind, bounds model.Bounds) {
	c.kind = kind
	c.Restart(bounds)
}

// SetRelayedShare takes the share of a port from a destination's agent; laws but Sluice's have none. The
// controller's own share holds over it; the destination joins until the controller publishes who is
// behind the port.
func (c *Control) SetRelayedShare(share model.UnitShare, destination netip.Addr) error {
	if c.kind != model.TwoTimeScale {
		return nil
	}
	_, err := c.Endpoint.SetRelayedShare(share, destination)
	return err
}

// Sent takes bytes that left for a destination.
func (c *Control) Sent(nowNanos int64, destination netip.Addr, bytes uint64) {
	if c.kind == model.HyGenIcc {
		c.gather(destination, false)
	}
	c.Endpoint.Sent(nowNanos, destination, bytes)
}

// gather has a destination obey the one rate of a law that does not distinguish ports.
func (c *Control) gather(destination netip.Addr, marked bool) {
	c.faults.Report("control a destination", c.Gather(destination, c.host().NICBitsPerSecond, marked))
}

// Feedback takes what a destination's agent reported since its last report.
func (c *Control) Feedback(destination netip.Addr, packets, cePackets uint64) {
	if c.kind == model.HyGenIcc {
		c.gather(destination, cePackets > 0)
		c.returned[destination] += cePackets
	}
	c.Endpoint.Feedback(destination, packets, cePackets)
}

// ReturnedMarks are those that came back from a destination, under HyGenICC's law.
func (c *Control) ReturnedMarks(destination netip.Addr) uint64 { return c.returned[destination] }

// Forget takes a destination out of the control of all ports that its agent named.
func (c *Control) Forget(destination netip.Addr) {
	delete(c.returned, destination)
	c.Endpoint.Forget(destination)
}
