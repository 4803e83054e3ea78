// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import java.util.HashMap;
import java.util.Map;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.instructions.Instructions;
import org.sluice.api.counters.CounterTargets;
import org.sluice.onos.registry.Capacities;

/** What is to be read of a switch: every port that is up, and the meters behind Sluice's rules. */
final class Targets {
  private final Capacities capacities;
  private final FlowRuleService flows;
  private final ApplicationId application;

  Targets(Capacities capacities, FlowRuleService flows, ApplicationId application) {
    this.capacities = capacities;
    this.flows = flows;
    this.application = application;
  }

  CounterTargets of(DeviceId device) {
    Map<Long, Long> ports = new HashMap<>();
    capacities
        .all()
        .forEach(
            (port, capacity) -> {
              if (port.datapath().equals(device.toString())) {
                ports.put(port.number(), capacity.bitsPerSecond());
              }
            });
    return CounterTargets.of(ports, markMeters(device));
  }

  /** Rules that send marked packets from one port through a meter. */
  private Map<Long, Long> markMeters(DeviceId device) {
    Map<Long, Long> meters = new HashMap<>();
    for (FlowEntry entry : flows.getFlowEntries(device)) {
      Criterion port = entry.selector().getCriterion(Criterion.Type.IN_PORT);
      if (entry.appId() == application.id()
          && port != null
          && entry.selector().getCriterion(Criterion.Type.IP_ECN) != null) {
        for (Instructions.MeterInstruction meter : entry.treatment().meters()) {
          meters.put(meter.meterId().id(), ((PortCriterion) port).port().toLong());
        }
      }
    }
    return meters;
  }
}
