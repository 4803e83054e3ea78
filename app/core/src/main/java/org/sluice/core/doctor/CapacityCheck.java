// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.Endpoint;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.core.doctor.Condition.PortCondition;
import org.sluice.core.spi.Symptom;

/** Capacities that are unknown, that cannot be right, or that are of no port. */
final class CapacityCheck implements Check {
  /** What a port carries is measured over short times: so much above its capacity is none. */
  private static final double TOLERANCE = 1.1;

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    Map<PortId, Long> known = new HashMap<>();
    Map<String, List<String>> unknown = new TreeMap<>();
    for (PortCondition port : condition.ports()) {
      if (port.capacityBitsPerSecond() > 0) {
        known.put(port.id(), port.capacityBitsPerSecond());
      } else {
        unknown
            .computeIfAbsent(port.id().datapath(), d -> new ArrayList<>())
            .add(port.id().toString());
      }
    }
    unknown.forEach(
        (datapath, ports) ->
            found.add(
                Finding.of(
                    WARNING,
                    datapath,
                    "The speed is unknown of "
                        + Check.some(ports)
                        + (ports.size() == 1
                            ? ": it is not controlled"
                            : ": they are not controlled"),
                    condition.platform().capacityRemedy(ports.get(0)))));
    condition.ports().forEach(port -> otherEnd(condition, port, known, found));
    condition.portStatuses().forEach(status -> load(condition, status, found));
    uplinks(condition, known, found);
    withoutPort(condition, found);
    return found;
  }

  private static void withoutPort(Condition condition, List<Finding> found) {
    Map<String, Set<String>> absent = new TreeMap<>();
    for (Symptom symptom : condition.symptoms()) {
      if (symptom.kind() == Symptom.Kind.NO_SUCH_PORT) {
        absent.computeIfAbsent(symptom.datapath(), d -> new TreeSet<>()).add(symptom.detail());
      }
    }
    absent.forEach(
        (datapath, ports) ->
            found.add(
                Finding.of(
                    WARNING,
                    datapath,
                    "A capacity is configured for "
                        + Check.some(List.copyOf(ports))
                        + ", but no switch has "
                        + (ports.size() == 1 ? "this port" : "these ports"),
                    condition.platform().symptomRemedy(Symptom.Kind.NO_SUCH_PORT, datapath))));
  }

  /** Both ends of a link can carry the same. */
  private static void otherEnd(
      Condition condition, PortCondition port, Map<PortId, Long> known, List<Finding> found) {
    Long here = known.get(port.id());
    Long there = port.otherEnd().map(known::get).orElse(null);
    if (here != null && there != null && here < there) {
      found.add(
          Finding.of(
              WARNING,
              port.otherEnd().get().toString(),
              String.format(
                  "Its capacity is %s Mbit/s, that of the link's other end %s %s Mbit/s",
                  MegabitRate.fromBits(there), port.id(), MegabitRate.fromBits(here)),
              condition.platform().capacityRemedy(port.otherEnd().get().toString())));
    }
  }

  private static void load(Condition condition, PortStatus status, List<Finding> found) {
    boolean isExceeded = status.loadBitsPerSecond() > status.capacityBitsPerSecond() * TOLERANCE;
    // A receive ceiling is what somebody wants, whatever arrives.
    if (isExceeded && !status.id().isReceiver()) {
      found.add(
          Finding.of(
              WARNING,
              status.id().toString(),
              String.format(
                  "It carries %s Mbit/s, more than its capacity of %s Mbit/s",
                  MegabitRate.fromBits(status.loadBitsPerSecond()),
                  MegabitRate.fromBits(status.capacityBitsPerSecond())),
              condition.platform().capacityRemedy(status.id().toString())));
    }
  }

  private static void uplinks(Condition condition, Map<PortId, Long> known, List<Finding> found) {
    Map<HostId, PortId> attachments = new HashMap<>();
    for (Endpoint endpoint : condition.endpoints()) {
      endpoint.attachment().ifPresent(port -> attachments.put(endpoint.id().host(), port));
    }
    for (Host host : condition.hosts()) {
      PortId port = attachments.get(host.id());
      Long capacity = port == null ? null : known.get(port);
      if (capacity != null && host.uplinkCapacityBitsPerSecond() > capacity) {
        found.add(
            Finding.of(
                WARNING,
                "host " + host.id(),
                String.format(
                    "Its agent is configured with an uplink of %s Mbit/s; the port %s that it is"
                        + " behind carries %s Mbit/s",
                    MegabitRate.fromBits(host.uplinkCapacityBitsPerSecond()),
                    port,
                    MegabitRate.fromBits(capacity)),
                "On "
                    + host.id()
                    + ": uplink.capacityMbps: "
                    + MegabitRate.fromBits(capacity)
                    + " in the agent's configuration (/etc/sluice/agent.yaml as a service); restart"
                    + " it, as a service or by hand, whichever it was"));
      }
    }
  }
}
