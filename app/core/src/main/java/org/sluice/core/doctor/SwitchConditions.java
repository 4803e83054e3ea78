// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.doctor.Condition.PortCondition;
import org.sluice.core.doctor.Condition.SwitchCondition;
import org.sluice.core.registry.Capacities;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Symptom;

/** The switches that the platform has a connection to, as the doctor evaluates them. */
final class SwitchConditions {
  private final Platform platform;
  private final Capacities capacities;

  SwitchConditions(Platform platform, Capacities capacities) {
    this.platform = platform;
    this.capacities = capacities;
  }

  /** Who controls them, and how they are read. */
  List<SwitchCondition> conditions(List<SwitchCounters> counters) {
    Map<String, SwitchCounters> byDatapath = byDatapath(counters);
    List<SwitchCondition> conditions = new ArrayList<>();
    for (String datapath : platform.switches().connected()) {
      conditions.add(
          SwitchCondition.of(
                  datapath,
                  platform.mastership().masterOf(datapath),
                  platform.mastership().isLocal(datapath))
              .withCounters(Optional.ofNullable(byDatapath.get(datapath))));
    }
    return conditions;
  }

  /** Ports that are up, of switches whose master this node is. */
  List<PortCondition> ports() {
    Map<PortId, PortId> peers = platform.topology().peers();
    List<PortCondition> ports = new ArrayList<>();
    for (String datapath : mastered()) {
      for (SwitchPort port : platform.switches().ports(datapath)) {
        ports.add(
            PortCondition.of(
                port.id(),
                capacities.capacity(port.id()).map(Capacities.Capacity::bitsPerSecond).orElse(0L),
                Optional.ofNullable(peers.get(port.id()))));
      }
    }
    return ports;
  }

  /**
   * What is not as it should be with switches whose master this node is, or with what is configured
   * for any, and may pass.
   */
  Set<Symptom> symptoms(List<SwitchCounters> counters, boolean fastCountersWanted) {
    Set<Symptom> symptoms = new HashSet<>(platform.diagnosis().symptoms());
    Map<String, SwitchCounters> byDatapath = byDatapath(counters);
    for (String datapath : mastered()) {
      SwitchCounters read = byDatapath.get(datapath);
      if (fastCountersWanted && read != null && read.source() == CounterSource.SLOW) {
        symptoms.add(Symptom.of(Symptom.Kind.SLOW_COUNTERS, datapath));
      }
    }
    for (PortId port : platform.configuration().capacitiesBitsPerSecond().keySet()) {
      if (!platform.switches().hasPort(port)) {
        symptoms.add(Symptom.of(Symptom.Kind.NO_SUCH_PORT, port.datapath(), port.toString()));
      }
    }
    return symptoms;
  }

  private List<String> mastered() {
    return platform.switches().connected().stream()
        .filter(platform.mastership()::isLocal)
        .collect(Collectors.toList());
  }

  private static Map<String, SwitchCounters> byDatapath(List<SwitchCounters> counters) {
    return counters.stream().collect(Collectors.toMap(SwitchCounters::datapath, read -> read));
  }
}
