// SPDX-License-Identifier: Apache-2.0

package endpoints

import "net/netip"

// owners are whose an address is.
type owners map[netip.Addr]*Endpoint

// set makes an endpoint the owner of these addresses and of no others.
func (o owners) set(e *Endpoint, addresses []netip.Addr) {
	o.remove(e)
	for _, address := range addresses {
		o[address] = e
	}
}

// remove forgets whose an endpoint's addresses are; those that another one has by now stay that one's.
func (o owners) remove(e *Endpoint) {
	for _, address := range e.IPs {
		if o[address] == e {
			delete(o, address)
		}
	}
}

// of are the endpoints that have any of these addresses.
func (o owners) of(addresses []netip.Addr) map[*Endpoint]bool {
	found := map[*Endpoint]bool{}
	for _, address := range addresses {
		if owner := o[address]; owner != nil {
			found[owner] = true
		}
	}
	return found
}
