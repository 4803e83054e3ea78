// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.link.EndpointSample;

/**
 * Follows which endpoints exceed their rate of residual traffic. A VM that searches for its
 * neighbours may do so for a moment; one that goes on is configured wrongly, or hostile.
 */
final class ResidualDrops {
  /** Drops that come for so long are lasting. */
  static final Duration LASTING = Duration.ofSeconds(20);

  /** After so long without any they have ended. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final Map<HostId, Map<EndpointId, Drops>> drops = new ConcurrentHashMap<>();

  /** What one endpoint has had dropped: in all, and since when without a pause. */
  private static final class Drops {
    final long packets;
    final long sinceNanos;
    final long lastNanos;

    Drops(long packets, long sinceNanos, long lastNanos) {
      this.packets = packets;
      this.sinceNanos = sinceNanos;
      this.lastNanos = lastNanos;
    }

    Drops and(long morePackets, long nowNanos) {
      boolean paused = nowNanos - lastNanos > PAUSE.toNanos();
      return new Drops(packets + morePackets, paused ? nowNanos : sinceNanos, nowNanos);
    }

    boolean last(long nowNanos) {
      return nowNanos - lastNanos <= PAUSE.toNanos() && lastNanos - sinceNanos >= LASTING.toNanos();
    }
  }

  void observed(EndpointSample sample, long nowNanos) {
    long packets = sample.residualDroppedPackets();
    if (packets > 0) {
      drops
          .computeIfAbsent(sample.endpoint().host(), host -> new ConcurrentHashMap<>())
          .merge(
              sample.endpoint(),
              new Drops(packets, nowNanos, nowNanos),
              (before, now) -> before.and(packets, nowNanos));
    }
  }

  /** How many packets a host's endpoints have had dropped. */
  long packets(HostId host) {
    return of(host).values().stream().mapToLong(dropped -> dropped.packets).sum();
  }

  /** The interfaces of a host's endpoints whose drops last, in order. */
  List<String> lasting(HostId host, long nowNanos) {
    return of(host).entrySet().stream()
        .filter(entry -> entry.getValue().last(nowNanos))
        .map(entry -> entry.getKey().interfaceName())
        .sorted()
        .collect(Collectors.toList());
  }

  private Map<EndpointId, Drops> of(HostId host) {
    return drops.getOrDefault(host, Map.of());
  }

  void forget(HostId host) {
    drops.remove(host);
  }
}
