// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Levels are the DSCPs that VMs' packets leave with, by how much their flow has sent.
type Levels struct {
	// ThresholdBytes ascend: a flow that has sent so much goes on by the next level.
	ThresholdBytes []int64 `yaml:"thresholdBytes"`
	// DSCP of the levels, one more than thresholds.
	DSCP []int `yaml:"dscp"`
	// IdleMillis: a flow that is silent for longer begins anew at the first level.
	IdleMillis int `yaml:"idleMillis"`
}

const (
	maxThresholds     = 3
	maxThresholdBytes = 1_000_000_000_000
	minIdleMillis     = 100
	maxIdleMillis     = 60_000
	// defaultIdleMillis: longer than packets stand in queues, and than TCP's least retransmission timeout (200
	// ms), so that no flow gains by waiting for it.
	defaultIdleMillis = 500
	// firstControlDSCP and all above are for the network's own control: CS6 and CS7 (RFC 4594, 3).
	firstControlDSCP = 48
)

// defaultDSCPs are class selectors (RFC 2474, 4.2.2.2: the greater is forwarded no later), from the default class up,
// below voice and its signalling (EF, CS5) and control. Not CS1, which is for less than the default (RFC 4594).
var defaultDSCPs = []int{32, 24, 16, 0} // CS4, CS3, CS2, default

// complete sets what is not written down, and checks the rest.
func (l *Levels) complete(c *checker) {
	if l.IdleMillis == 0 {
		l.IdleMillis = defaultIdleMillis
	}
	c.require(l.IdleMillis >= minIdleMillis && l.IdleMillis <= maxIdleMillis, "levels.idleMillis", l.IdleMillis,
		"must be between 100 and 60000: a shorter pause would let packets overtake those before them")
	count := len(l.ThresholdBytes)
	c.require(count >= 1 && count <= maxThresholds, "levels.thresholdBytes", count,
		"must list 1 to 3 thresholds, for 2 to 4 levels, for example [16384]; or remove the section levels")
	for i, threshold := range l.ThresholdBytes {
		field := fmt.Sprintf("levels.thresholdBytes[%d]", i)
		c.require(threshold >= 1 && threshold <= maxThresholdBytes, field, threshold,
			"must be a number of bytes between 1 and 1000000000000")
		c.require(i == 0 || threshold > l.ThresholdBytes[i-1], field, threshold,
			"must be more than the threshold before it: write them in ascending order")
	}
	if len(l.DSCP) == 0 && count >= 1 && count <= maxThresholds {
		l.DSCP = slices.Clone(defaultDSCPs[len(defaultDSCPs)-count-1:])
	}
	l.checkDSCPs(c)
}

func (l *Levels) checkDSCPs(c *checker) {
	count := len(l.ThresholdBytes)
	c.require(len(l.DSCP) == count+1 || count < 1 || count > maxThresholds, "levels.dscp", dscpList(l.DSCP),
		fmt.Sprintf("must list one DSCP for each level, one more than thresholds: %d; or remove it", count+1))
	for i, dscp := range l.DSCP {
		field := fmt.Sprintf("levels.dscp[%d]", i)
		c.require(dscp >= 0 && dscp < firstControlDSCP, field, dscp,
			"must be a DSCP between 0 and 47, for example 16 (CS2): those above are for the network's own control")
		c.require(!slices.Contains(l.DSCP[:i], dscp), field, dscp, "is named twice: every level has its own")
	}
}

func dscpList(dscps []int) string { return strings.Trim(fmt.Sprint(dscps), "[]") }

// Thresholds are the thresholds in bytes.
func (l *Levels) Thresholds() []uint64 {
	thresholds := make([]uint64, len(l.ThresholdBytes))
	for i, bytes := range l.ThresholdBytes {
		thresholds[i] = uint64(bytes)
	}
	return thresholds
}

// DSCPs are the code points.
func (l *Levels) DSCPs() []uint8 { return codePoints(l.DSCP) }

// Idle is how long a flow is silent that begins anew.
func (l *Levels) Idle() time.Duration { return time.Duration(l.IdleMillis) * time.Millisecond }
