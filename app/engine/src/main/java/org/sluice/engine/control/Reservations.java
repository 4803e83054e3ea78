// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;

/**
 * What endpoints must be let through at ports beyond their guarantees: the rates of flows whose
 * deadlines were promised. They hold like floors.
 */
public final class Reservations {
  private Map<PortId, Map<EndpointId, Double>> bitsPerSecond = new HashMap<>();
  private Map<PortId, Map<EndpointId, Double>> coming = new HashMap<>();

  /** By endpoint: at the port where it is most, bit/s. */
  private final Map<EndpointId, Double> greatest = new HashMap<>();

  /** Begins to gather all that holds from {@link #close} on. */
  public void open() {
    coming.clear();
  }

  public void add(EndpointId endpoint, PortId port, double rate) {
    coming.computeIfAbsent(port, p -> new HashMap<>()).merge(endpoint, rate, Double::sum);
  }

  /** What was gathered holds; returns the ports where something has changed noticeably. */
  public Set<PortId> close() {
    Set<PortId> changed = new HashSet<>(bitsPerSecond.keySet());
    changed.addAll(coming.keySet());
    changed.removeIf(port -> isNear(at(bitsPerSecond, port), at(coming, port)));
    Map<PortId, Map<EndpointId, Double>> before = bitsPerSecond;
    bitsPerSecond = coming;
    coming = before;
    greatest.clear();
    bitsPerSecond.values().forEach(rates -> rates.forEach(this::addGreatest));
    return changed;
  }

  private void addGreatest(EndpointId endpoint, double rate) {
    greatest.merge(endpoint, rate, Math::max);
  }

  private static boolean isNear(Map<EndpointId, Double> before, Map<EndpointId, Double> now) {
    Set<EndpointId> either = new HashSet<>(before.keySet());
    either.addAll(now.keySet());
    return either.stream()
        .allMatch(
            endpoint -> {
              double rate = before.getOrDefault(endpoint, 0.0);
              double change = Math.abs(now.getOrDefault(endpoint, 0.0) - rate);
              return change <= SharePublisher.NOTICEABLE * rate;
            });
  }

  /** The rate of an endpoint at a port, bit/s. */
  double of(EndpointId endpoint, PortId port) {
    // Read for each crossing of each tick: a default of 0.0 would be an object each time.
    Double rate = at(bitsPerSecond, port).get(endpoint);
    return rate == null ? 0 : rate;
  }

  /** Whether anything is reserved at a port. */
  boolean hasAny(PortId port) {
    return bitsPerSecond.containsKey(port);
  }

  /** What an endpoint must be let through at some port, bit/s. */
  double greatestOf(EndpointId endpoint) {
    Double rate = greatest.get(endpoint);
    return rate == null ? 0 : rate;
  }

  private static Map<EndpointId, Double> at(
      Map<PortId, Map<EndpointId, Double>> rates, PortId port) {
    return rates.getOrDefault(port, Map.of());
  }
}
