// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Port is the configuration of `sluice-agent port`.
type Port struct {
	// Host is this agent's name on the link; needed with Controllers.
	Host                 string             `yaml:"host"`
	Controllers          []string           `yaml:"controllers"`
	TLS                  certificates.Files `yaml:"tls"`
	Port                 string             `yaml:"port"`
	Ingress              string             `yaml:"ingress"`
	Egress               string             `yaml:"egress"`
	CapacityMbps         float64            `yaml:"capacityMbps"`
	BufferPackets        int                `yaml:"bufferPackets"`
	MarkThresholdPackets int                `yaml:"markThresholdPackets"` // 0: no marking
	// Marking is by the queue's length and slope; nil: above MarkThresholdPackets.
	Marking *Marking `yaml:"marking"`
	// BacklogHoldMicros is how long one reading of the queue's length counts for marks; 0: each packet's own.
	BacklogHoldMicros int `yaml:"backlogHoldMicros"`
	// ThresholdPackets is what packets are counted by where the queue does not mark; 0: derived.
	ThresholdPackets int    `yaml:"thresholdPackets"`
	NonEct           string `yaml:"nonEct"`
	Reverse          bool   `yaml:"reverse"`
	ReplaceRootQdisc bool   `yaml:"replaceRootQdisc"`
	// Levels are queues that are served strictly in their order; nil: one queue.
	Levels *PortLevels `yaml:"levels"`
	// MetricsAddress is where Prometheus collects, HOST:PORT; empty: nowhere.
	MetricsAddress string `yaml:"metricsAddress"`
	RunDirectory   string `yaml:"runDirectory"`
	BPFDirectory   string `yaml:"bpfDirectory"`
}

// PortLevels are a queue for each DSCP, of which the first that holds anything is served.
type PortLevels struct {
	// DSCP of the levels, the first is served first; all others go to the last.
	DSCP []int `yaml:"dscp"`
}

const (
	minPortLevels = 2
	maxPortLevels = 4
)

func (l *PortLevels) check(c *checker) {
	c.require(len(l.DSCP) >= minPortLevels && len(l.DSCP) <= maxPortLevels, "levels.dscp", dscpList(l.DSCP),
		"must list the DSCPs of 2 to 4 levels, the first is served first, for example [16, 0]; or remove the section levels")
	for i, dscp := range l.DSCP {
		field := fmt.Sprintf("levels.dscp[%d]", i)
		c.require(dscp >= 0 && dscp <= maxDSCP, field, dscp, "must be a DSCP between 0 and 63, for example 16 (CS2)")
		c.require(!slices.Contains(l.DSCP[:i], dscp), field, dscp, "is named twice: every level has its own")
	}
}

// Marking is how ECN-capable packets are chosen that are set to CE.
type Marking struct {
	Kind string `yaml:"kind"`
	// K1Packets: above it packets are marked while the queue grows; K2Packets: from it on always, 0: twice K1.
	K1Packets int `yaml:"k1Packets"`
	K2Packets int `yaml:"k2Packets"`
}

// MarkingSlope marks by a queue's length and slope (DA-DCTCP).
const MarkingSlope = "slope"

// complete sets what is not written down, and checks the rest.
func (m *Marking) complete(c *checker, bufferPackets int) {
	c.require(m.Kind == MarkingSlope, "marking.kind", m.Kind,
		"must be slope; to mark above one length, remove the section and set markThresholdPackets")
	if m.K2Packets == 0 {
		m.K2Packets = min(2*m.K1Packets, bufferPackets-1)
	}
	c.require(m.K1Packets >= 1 && m.K1Packets < bufferPackets, "marking.k1Packets", m.K1Packets,
		"must be at least 1 and less than bufferPackets")
	c.require(m.K2Packets >= m.K1Packets && m.K2Packets < bufferPackets, "marking.k2Packets", m.K2Packets,
		"must be 0 (twice k1Packets), or at least k1Packets and less than bufferPackets")
}

// UpperThresholdPackets is the length from which on everything is marked; 0: marks do not go by the slope.
func (p Port) UpperThresholdPackets() int {
	if p.Marking == nil {
		return 0
	}
	return p.Marking.K2Packets
}

// What happens above the threshold to packets that cannot be marked.
const (
	NonEctPass = "pass"
	NonEctDrop = "drop"
)

const (
	maxBufferPackets     = 100_000
	maxBacklogHoldMicros = 10_000
)

var portName = regexp.MustCompile(`^of:[0-9a-f]{16}/([1-9][0-9]{0,9})$`)

// maxPortNumber is OpenFlow's OFPP_MAX: numbers above it are not of physical or logical ports.
const maxPortNumber = 0xffffff00

func isPortName(name string) bool {
	parts := portName.FindStringSubmatch(name)
	if parts == nil {
		return false
	}
	number, err := strconv.ParseUint(parts[1], 10, 64)
	return err == nil && number <= maxPortNumber
}

// LoadPort reads and checks a port's configuration.
func LoadPort(file string) (Port, error) {
	text, err := read(file)
	if err != nil {
		return Port{}, err
	}
	return parsePort(file, text)
}

func parsePort(file string, text []byte) (Port, error) {
	p := Port{
		BufferPackets: 100, NonEct: NonEctPass, Reverse: true,
		RunDirectory: "/run/sluice-port", BPFDirectory: "/sys/fs/bpf/sluice-port",
	}
	if err := decode(file, text, &p); err != nil {
		return Port{}, err
	}
	c := &checker{file: file}
	p.check(c)
	return p, c.result()
}

func (p *Port) check(c *checker) {
	c.require(isPortName(p.Port), "port", p.Port,
		"must be a datapath id and a port number, for example of:0000000000000001/5")
	c.interfaceName("ingress", p.Ingress)
	c.interfaceName("egress", p.Egress)
	c.require(p.Ingress == "" || p.Ingress != p.Egress, "egress", p.Egress, "must differ from ingress")
	c.rate("capacityMbps", p.CapacityMbps)
	c.require(p.BufferPackets >= 1 && p.BufferPackets <= maxBufferPackets, "bufferPackets", p.BufferPackets,
		"must be between 1 and 100000")
	c.require(p.MarkThresholdPackets >= 0 && p.MarkThresholdPackets < p.BufferPackets,
		"markThresholdPackets", p.MarkThresholdPackets, "must be 0 (no marking) or less than bufferPackets")
	if p.Marking != nil {
		c.require(p.MarkThresholdPackets == 0, "markThresholdPackets", p.MarkThresholdPackets,
			"belongs to a queue that marks above one length: remove it, or the section marking")
		c.require(p.BacklogHoldMicros == 0, "backlogHoldMicros", p.BacklogHoldMicros,
			"belongs to a queue that marks above one length: remove it, or the section marking")
		p.Marking.complete(c, p.BufferPackets)
		p.MarkThresholdPackets = p.Marking.K1Packets
	}
	c.require(p.BacklogHoldMicros >= 0 && p.BacklogHoldMicros <= maxBacklogHoldMicros,
		"backlogHoldMicros", p.BacklogHoldMicros, "must be between 0 (each packet by what it finds) and 10000")
	c.require(p.ThresholdPackets == 0 || p.MarkThresholdPackets == 0, "thresholdPackets", p.ThresholdPackets,
		"belongs to a queue that does not mark: remove it, packets are counted by markThresholdPackets")
	c.require(p.ThresholdPackets >= 0 && p.ThresholdPackets < p.BufferPackets, "thresholdPackets", p.ThresholdPackets,
		"must be 0 (2 ms of the capacity, 4 to 20 packets) or less than bufferPackets")
	if p.Host != "" || len(p.Controllers) > 0 {
		c.hostName(p.Host)
	}
	c.link(p.Controllers, p.TLS)
	if p.Levels != nil {
		p.Levels.check(c)
	}
	c.require(p.NonEct == NonEctPass || p.NonEct == NonEctDrop, "nonEct", p.NonEct, "must be pass or drop")
	c.metricsAddress(p.MetricsAddress)
	c.directory("runDirectory", p.RunDirectory)
	c.bpfDirectory(p.BPFDirectory)
}

// CapacityBitsPerSecond is the port's capacity.
func (p Port) CapacityBitsPerSecond() uint64 { return uint64(p.CapacityMbps * bitsPerMegabit) }

// BacklogHold is how long one reading of the queue's length counts for marks.
func (p Port) BacklogHold() time.Duration {
	return time.Duration(p.BacklogHoldMicros) * time.Microsecond
}

// LevelDSCPs are the levels' code points, the first level's first; empty: one queue.
func (p Port) LevelDSCPs() []uint8 {
	if p.Levels == nil {
		return nil
	}
	return codePoints(p.Levels.DSCP)
}

// CountThresholdPackets is what packets are counted by: those that found more in the queue.
func (p Port) CountThresholdPackets() int {
	switch {
	case p.MarkThresholdPackets > 0:
		return p.MarkThresholdPackets
	case p.ThresholdPackets > 0:
		return p.ThresholdPackets
	}
	return min(model.ThresholdPackets(p.CapacityBitsPerSecond()), p.BufferPackets-1)
}
