// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxThresholdPorts = 1024
	// maxThresholdQueues are those of the most levels that a port has.
	maxThresholdQueues = 4
)

// applyThresholds takes marking thresholds of ports, each from the newest master of the port's switch.
func (t *decisionTable) applyThresholds(m incoming) error {
	ports, err := markingThresholdsOf(m.GetMarkingThresholds())
	if err != nil {
		return err
	}
	ports = slices.DeleteFunc(ports, func(p model.PortThresholds) bool { return !t.ofLeader(m, subject{port: p.Port}) })
	if len(ports) > 0 {
		decide(t, func(to model.ThresholdDecisions) { to.ApplyMarkingThresholds(ports) })
	}
	return nil
}

func markingThresholdsOf(message *agentlinkpb.MarkingThresholds) ([]model.PortThresholds, error) {
	if count := len(message.GetPorts()); count > maxThresholdPorts {
		return nil, fmt.Errorf("marking_thresholds.ports: %d; send at most %d at once", count, maxThresholdPorts)
	}
	ports := make([]model.PortThresholds, 0, len(message.GetPorts()))
	for i, p := range message.GetPorts() {
		at := fmt.Sprintf("marking_thresholds.ports[%d]", i)
		if err := name(at+".port", p.GetPort()); err != nil {
			return nil, err
		}
		if count := len(p.GetPackets()); count < 1 || count > maxThresholdQueues {
			return nil, fmt.Errorf("%s.packets: %d; a port has from 1 to %d queues", at, count, maxThresholdQueues)
		}
		for j, packets := range p.GetPackets() {
			if packets == 0 {
				return nil, fmt.Errorf("%s.packets[%d]: must be at least 1; a queue that does not mark stays so", at, j)
			}
		}
		hold := p.GetHoldNanos()
		if hold == 0 || hold > uint64(maxCapHold.Nanoseconds()) {
			return nil, fmt.Errorf("%s.hold_nanos: %d must be from 1 to %d", at, hold, maxCapHold.Nanoseconds())
		}
		ports = append(ports, model.PortThresholds{Port: model.Port(p.GetPort()), Packets: p.GetPackets(), HoldNanos: int64(hold)})
	}
	return ports, nil
}
