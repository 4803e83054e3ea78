// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.instructions.Instructions;
import org.sluice.api.counters.CounterTargets;
import org.sluice.onos.registry.Capacities;

/**
 * What is to be read of a switch: every port that is up, and the meters behind Sluice's rules. Not
 * thread-safe.
 */
final class Targets {
  /** A switch may have thousands of rules: they are searched for meters not every second. */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<String, Known> known = new HashMap<>();
  private final Capacities capacities;
  private final FlowRuleService flows;
  private final ApplicationId application;

  Targets(Capacities capacities, FlowRuleService flows, ApplicationId application) {
    this.capacities = capacities;
    this.flows = flows;
    this.application = application;
  }

  /** The targets of a switch, as of now or some seconds ago. */
  CounterTargets of(DeviceId device) {
    long nowNanos = System.nanoTime();
    long epoch = capacities.epoch().get();
    Known before = known.get(device.toString());
    if (before != null && before.epoch == epoch && before.untilNanos - nowNanos > 0) {
      return before.targets;
    }
    CounterTargets now = find(device);
    known.put(device.toString(), new Known(now, epoch, nowNanos + VALID_NANOS));
    return now;
  }

  /** Forgets all other switches. */
  void retain(Set<String> devices) {
    known.keySet().retainAll(devices);
  }

  private CounterTargets find(DeviceId device) {
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

  private static final class Known {
    private final CounterTargets targets;
    private final long epoch;
    private final long untilNanos;

    private Known(CounterTargets targets, long epoch, long untilNanos) {
      this.targets = targets;
      this.epoch = epoch;
      this.untilNanos = untilNanos;
    }
  }
}
