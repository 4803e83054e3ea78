// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.history;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointService;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.api.TenantService;
import org.sluice.api.history.PortMoment;
import org.sluice.api.history.RateHistoryService;
import org.sluice.api.history.RateMoment;
import org.sluice.core.runtime.Execution;

/**
 * Keeps what tenants got, so that a page that is opened later can show it. What there may be more
 * of than a chart can show is left out: memory is bounded, whatever the network's size.
 */
public final class RateRecorder implements RateHistoryService {
  private static final Logger log = LoggerFactory.getLogger(RateRecorder.class);
  private static final int MOST_TENANTS = 32;
  private static final int MOST_PORTS = 32;

  private final EndpointService endpoints;
  private final PortService ports;
  private final TenantService tenants;
  private final Execution execution;
  private final Deque<RateMoment> moments = new ArrayDeque<>();
  private ScheduledExecutorService executor;

  public RateRecorder(
      EndpointService endpoints, PortService ports, TenantService tenants, Execution execution) {
    this.endpoints = endpoints;
    this.ports = ports;
    this.tenants = tenants;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("rate-history");
    executor.scheduleAtFixedRate(this::record, STEP_SECONDS, STEP_SECONDS, TimeUnit.SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  @Override
  public List<RateMoment> moments(int seconds) {
    Instant oldest = now().minusSeconds(seconds);
    synchronized (moments) {
      return moments.stream()
          .filter(moment -> !moment.time().isBefore(oldest))
          .collect(Collectors.toList());
    }
  }

  private Instant now() {
    return Instant.EPOCH.plus(execution.clock().wallMicros(), ChronoUnit.MICROS);
  }

  private void record() {
    try {
      RateMoment moment = moment();
      synchronized (moments) {
        if (moments.size() == SECONDS / STEP_SECONDS) {
          moments.removeFirst();
        }
        moments.addLast(moment);
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.warn("What tenants got was not recorded this time", e);
    }
  }

  private RateMoment moment() {
    Map<PortId, Map<TenantId, Long>> atPorts = new LinkedHashMap<>();
    List<PortStatus> congested =
        ports.ports().stream()
            .filter(PortStatus::congested)
            .sorted(Comparator.comparingLong(PortStatus::loadBitsPerSecond).reversed())
            .limit(MOST_PORTS)
            .collect(Collectors.toList());
    congested.forEach(port -> atPorts.put(port.id(), new HashMap<>()));
    Map<TenantId, Long> all = new HashMap<>();
    for (Endpoint endpoint : endpoints.endpoints()) {
      long delivered = endpoint.traffic().deliveredBitsPerSecond();
      if (delivered > 0) {
        all.merge(endpoint.tenant(), delivered, Long::sum);
        for (PortLimit limit : endpoint.limits()) {
          atPorts
              .getOrDefault(limit.port(), new HashMap<>())
              .merge(endpoint.tenant(), delivered, Long::sum);
        }
      }
    }
    List<PortMoment> portMoments = new ArrayList<>();
    congested.forEach(port -> portMoments.add(portMoment(port, greatest(atPorts.get(port.id())))));
    return RateMoment.of(now(), greatest(all), portMoments);
  }

  private PortMoment portMoment(PortStatus port, Map<TenantId, Long> delivered) {
    Map<TenantId, Long> due = new HashMap<>();
    if (port.unitShareBitsPerSecond() > 0) {
      for (TenantId id : delivered.keySet()) {
        tenants
            .tenant(id)
            .ifPresent(
                its -> due.put(id, Math.round(its.weight() * port.unitShareBitsPerSecond())));
      }
    }
    return PortMoment.of(
        port.id(), port.capacityBitsPerSecond(), port.loadBitsPerSecond(), delivered, due);
  }

  private static Map<TenantId, Long> greatest(Map<TenantId, Long> rates) {
    if (rates.size() <= MOST_TENANTS) {
      return rates;
    }
    return rates.entrySet().stream()
        .sorted(Map.Entry.<TenantId, Long>comparingByValue().reversed())
        .limit(MOST_TENANTS)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
