// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"

	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
)

// uplinkGuard looks whether the uplink's classes are what they should be.
type uplinkGuard struct {
	restore func() (restored bool, err error)
	failure error // why they are not
}

var errTakenAway = errors.New("somebody removed or changed classes of the uplink; they are as they were again, without what was queued")

// look is due once a second.
func (g *uplinkGuard) look(log *faults.Log) {
	restored, err := g.restore()
	g.failure = err
	log.Report("keep the uplink's classes", err)
	if restored {
		log.Report("leave the uplink's classes alone", errTakenAway)
	}
}

// notEnforced is what is not in force although enforcement is on, and why.
func (l *hostLoop) notEnforced() []string {
	reasons := []string{}
	if !l.enforcing {
		return reasons
	}
	if l.guard.failure != nil {
		reasons = append(reasons, "no limit holds at the uplink: "+l.guard.failure.Error())
	}
	for _, n := range l.neighbours() {
		if n.Before {
			reasons = append(reasons, n.NotEnforced())
		}
	}
	return reasons
}
