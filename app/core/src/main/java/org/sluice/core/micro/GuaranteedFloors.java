// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.EndpointId;
import org.sluice.engine.Engine;
import org.sluice.engine.micro.MicroFlowControl;

/**
 * What guarantees leave a feeder at least: the floors that are in force at the downstream port, of
 * the endpoints whose background flows pass the feeder. Evaluated while caps are decided. Engine
 * thread only.
 */
final class GuaranteedFloors {
  /** Guarantees and promises change no faster. */
  private static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Engine engine;
  private final MicroFlowControl control;

  GuaranteedFloors(Engine engine, MicroFlowControl control) {
    this.engine = engine;
    this.control = control;
  }

  /** Before a port's feeders are capped. */
  void update(Feeders.Watched port, Collection<TrackedFlow> flows, long nowNanos) {
    if (port.floorsNanos != Long.MIN_VALUE && nowNanos - port.floorsNanos < VALID_NANOS) {
      return;
    }
    port.floorsNanos = nowNanos;
    Map<EndpointId, Double> floors = new HashMap<>();
    engine.floors(port.port.id(), floors::put);
    Map<Feeder, Set<EndpointId>> passing =
        floors.isEmpty() ? Map.of() : passing(port, flows, floors.keySet());
    for (Feeder feeder : port.feeders) {
      double sum = 0;
      for (EndpointId endpoint : passing.getOrDefault(feeder, Set.of())) {
        sum += floors.get(endpoint);
      }
      control.setFloor(feeder.number, (long) Math.ceil(sum));
    }
  }

  /** Of those who have a floor: whose background flows pass each of a port's feeders. */
  private static Map<Feeder, Set<EndpointId>> passing(
      Feeders.Watched port, Collection<TrackedFlow> flows, Set<EndpointId> guaranteed) {
    Map<Feeder, Set<EndpointId>> found = new HashMap<>();
    for (TrackedFlow flow : flows) {
      if (flow.endpoint.isPresent() && guaranteed.contains(flow.endpoint.get())) {
        for (Feeder feeder : flow.route.feeders) {
          if (feeder.downstream.equals(port.port.id())) {
            found.computeIfAbsent(feeder, f -> new HashSet<>()).add(flow.endpoint.get());
          }
        }
      }
    }
    return found;
  }
}
