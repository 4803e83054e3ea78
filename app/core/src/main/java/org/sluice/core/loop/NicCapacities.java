// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.engine.Engine;

/**
 * What the engine takes for the capacities of NICs: what hosts say, but no more than the edge ports
 * behind which their endpoints are. A NIC bounds what of its host's reports is believed, and the
 * NIC's capacity is such a report itself. Engine thread only.
 */
public final class NicCapacities {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** So many endpoints are looked at in one step: with very many none takes long. */
  private static final int AT_ONCE = 100;

  private final Engine engine;
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final Capacities capacities;
  private final Map<HostId, Long> claims = new HashMap<>();

  /** By host: what the ports carry that its endpoints are behind; missing: not known. */
  private final Map<HostId, Long> bounds = new HashMap<>();

  // Endpoints come behind ports without an event. All are looked at, in rounds:
  private List<ReportedEndpoint> round = List.of();
  private int next;
  private final Map<HostId, Set<PortId>> ports = new HashMap<>();
  private long nextRoundNanos = Long.MIN_VALUE;

  public NicCapacities(
      Engine engine, ReportedEndpoints endpoints, EndpointLocator locator, Capacities capacities) {
    this.engine = engine;
    this.endpoints = endpoints;
    this.locator = locator;
    this.capacities = capacities;
  }

  /** A host says what its NIC carries. */
  void claim(HostId host, long bitsPerSecond) {
    claims.put(host, bitsPerSecond);
    put(host);
  }

  private void put(HostId host) {
    long claim = claims.get(host);
    engine.putHost(host, Math.min(claim, bounds.getOrDefault(host, claim)));
  }

  void follow(long nowNanos) {
    if (next == 0) {
      if (nextRoundNanos != Long.MIN_VALUE && nowNanos - nextRoundNanos < 0) {
        return;
      }
      nextRoundNanos = nowNanos + PERIOD_NANOS;
      round = endpoints.reported();
    }
    int end = Math.min(round.size(), next + AT_ONCE);
    for (ReportedEndpoint endpoint : round.subList(next, end)) {
      HostId host = endpoint.id().host();
      locator
          .locate(endpoint)
          .ifPresent(port -> ports.computeIfAbsent(host, h -> new HashSet<>()).add(port));
    }
    next = end;
    if (next == round.size()) {
      next = 0;
      bounds.clear();
      ports.forEach((host, behind) -> sum(behind).ifPresent(sum -> bounds.put(host, sum)));
      ports.clear();
      claims.keySet().forEach(this::put);
    }
  }

  /** Of the ports' capacities, bit/s; empty unless all are known. */
  private Optional<Long> sum(Set<PortId> behind) {
    long sum = 0;
    for (PortId port : behind) {
      Optional<Capacities.Capacity> capacity = capacities.capacity(port);
      if (capacity.isEmpty()) {
        return Optional.empty();
      }
      sum += capacity.get().bitsPerSecond();
    }
    return Optional.of(sum);
  }
}
