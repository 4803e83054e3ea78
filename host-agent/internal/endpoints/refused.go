// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
)

// refusalHoldNanos is how long an address that was learned stays refused after the controller does not
// name it any more: an endpoint that lost it does not claim it any more, and would get it again at once.
const refusalHoldNanos = int64(time.Minute)

// refused are the addresses that the controller does not let an endpoint use: others hold them, or the
// operator has written something else.
type refused struct {
	// until is when each of them is permitted again; 0: as long as the controller names it.
	until map[netip.Addr]int64
}

// list is the refused addresses, in order; never nil.
func (r *refused) list() []netip.Addr {
	return append([]netip.Addr{}, slices.SortedFunc(maps.Keys(r.until), netip.Addr.Compare)...)
}

// refuse takes over which addresses the controller refuses now.
func (e *Endpoint) refuse(now []netip.Addr) error {
	nowNanos := clock.Nanos()
	var failures []error
	for _, address := range now {
		if _, before := e.refused.until[address]; !before {
			e.table.host.Log.Warn("the controller refuses an address", "interface", e.Interface, "address", address)
			failures = append(failures, e.table.host.Shim.RefuseAddress(e.index, address))
		}
		if e.refused.until == nil {
			e.refused.until = map[netip.Addr]int64{}
		}
		e.refused.until[address] = 0
	}
	for address, until := range e.refused.until {
		if until != 0 || slices.Contains(now, address) {
			continue
		}
		if e.learns() {
			e.refused.until[address] = nowNanos + refusalHoldNanos
		} else {
			failures = append(failures, e.permit(address))
		}
	}
	return e.failed("refuse addresses", failures)
}

// permitAgain permits learned addresses whose time is over.
func (e *Endpoint) permitAgain(nowNanos int64) error {
	var failures []error
	for address, until := range e.refused.until {
		if until != 0 && nowNanos >= until {
			failures = append(failures, e.permit(address))
		}
	}
	return e.failed("permit addresses", failures)
}

func (e *Endpoint) permit(address netip.Addr) error {
	delete(e.refused.until, address)
	err := e.table.host.Shim.PermitAddress(address)
	if err == nil && !e.learns() && e.table.Of(address) == e {
		err = e.table.host.Shim.GiveAddress(e.index, address)
	}
	return err
}

// permitAll leaves nothing refused for an endpoint that goes.
func (e *Endpoint) permitAll() error {
	var failures []error
	for address := range e.refused.until {
		failures = append(failures, e.table.host.Shim.PermitAddress(address))
	}
	e.refused.until = nil
	return e.failed("permit addresses", failures)
}

func (e *Endpoint) failed(what string, failures []error) error {
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("%s: %s: %w", e.Interface, what, err)
	}
	return nil
}
