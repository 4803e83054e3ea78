// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;

/**
 * Which hosts had samples refused within the last minute because they reported too many pairs, by
 * counts since the start. Thread-safe.
 */
final class RecentRefusals {
  static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private Map<HostId, Long> counts = Map.of();
  private final Map<HostId, Long> grewNanos = new TreeMap<>();

  /** Takes note of the counts as they are now. */
  synchronized void seen(Map<HostId, Long> now, long nowNanos) {
    now.forEach(
        (host, count) -> {
          if (count > counts.getOrDefault(host, 0L)) {
            grewNanos.put(host, nowNanos);
          }
        });
    grewNanos.values().removeIf(at -> nowNanos - at > RECENT_NANOS);
    counts = Map.copyOf(now);
  }

  /** Hosts whose count grew lately, with their counts, by id. */
  synchronized Map<HostId, Long> recent() {
    Map<HostId, Long> found = new TreeMap<>();
    grewNanos.keySet().forEach(host -> found.put(host, counts.getOrDefault(host, 0L)));
    return found;
  }
}
