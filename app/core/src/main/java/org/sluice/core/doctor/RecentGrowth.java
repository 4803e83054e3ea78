// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Which counts since a start grew within the last minute. One that is lower than before has begun
 * anew. Thread-safe.
 *
 * @param <K> what is counted
 */
final class RecentGrowth<K extends Comparable<K>> {
  static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private Map<K, Long> counts = Map.of();
  private final Map<K, Long> grewNanos = new TreeMap<>();

  /** Takes note of the counts as they are now. */
  synchronized void seen(Map<K, Long> now, long nowNanos) {
    now.forEach(
        (key, count) -> {
          long before = counts.getOrDefault(key, 0L);
          if (count > (count < before ? 0 : before)) {
            grewNanos.put(key, nowNanos);
          }
        });
    grewNanos.values().removeIf(at -> nowNanos - at > RECENT_NANOS);
    counts = Map.copyOf(now);
  }

  /** What grew lately, with its count, in order. */
  synchronized Map<K, Long> recent() {
    Map<K, Long> found = new TreeMap<>();
    grewNanos.keySet().forEach(key -> found.put(key, counts.getOrDefault(key, 0L)));
    return found;
  }
}
