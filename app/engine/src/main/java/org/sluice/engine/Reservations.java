// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;

/**
 * What endpoints must be let through at ports beyond what guarantees say: the rates of flows whose
 * deadlines were promised. They hold like floors.
 */
final class Reservations {
  private final Map<List<Object>, Double> bitsPerSecond = new HashMap<>();
  private final Map<List<Object>, Double> coming = new HashMap<>();
  private Set<PortId> ports = Set.of();

  /** Begins to gather all that holds from {@link #close} on. */
  void open() {
    coming.clear();
  }

  void add(EndpointId endpoint, PortId port, double rate) {
    coming.merge(List.of(endpoint, port), rate, Double::sum);
  }

  /** What was gathered holds; returns the ports where something has changed noticeably. */
  List<PortId> close() {
    Set<List<Object>> either = new HashSet<>(bitsPerSecond.keySet());
    either.addAll(coming.keySet());
    Set<PortId> changed = new HashSet<>();
    for (List<Object> key : either) {
      double before = bitsPerSecond.getOrDefault(key, 0.0);
      double now = coming.getOrDefault(key, 0.0);
      if (Math.abs(now - before) > SharePublisher.NOTICEABLE * before) {
        changed.add((PortId) key.get(1));
      }
    }
    bitsPerSecond.clear();
    bitsPerSecond.putAll(coming);
    Set<PortId> all = new HashSet<>();
    coming.keySet().forEach(key -> all.add((PortId) key.get(1)));
    ports = all;
    return new ArrayList<>(changed);
  }

  /** The rate of an endpoint at a port, bit/s. */
  double of(EndpointId endpoint, PortId port) {
    return ports.contains(port) ? bitsPerSecond.getOrDefault(List.of(endpoint, port), 0.0) : 0;
  }
}
