// SPDX-License-Identifier: Apache-2.0

package endpoints

import "github.com/sluice-sdn/sluice/host-agent/internal/htb"

// gate holds endpoints to their limits by buckets while the limits of their classes are lifted.
type gate struct{ table *Table }

// Close puts the limits into buckets.
func (g gate) Close(index int) {
	if e := g.table.At(index); e != nil && !e.classes.limiter.polices {
		e.classes.police(func(limit uint64) htb.Police {
			return e.classes.limiter.bucket(limit, e.classes.largestFrame)
		}, e.allowance.ceiling())
	}
}

// Open has buckets drop nothing again.
func (g gate) Open(index int) {
	if e := g.table.At(index); e != nil && !e.classes.limiter.polices {
		e.classes.police(func(uint64) htb.Police { return htb.Police{} }, e.allowance.ceiling())
	}
}

// police sets the endpoint's bucket, and those of its congested ports' groups.
func (c *classes) police(bucket func(limit uint64) htb.Police, ceiling uint64) {
	c.host.Shim.PoliceEndpoint(c.index, bucket(ceiling))
	for slot, g := range c.groups {
		if slot > 0 && g != nil {
			c.host.Shim.PoliceGroup(c.index, slot, bucket(g.limit))
		}
	}
}
