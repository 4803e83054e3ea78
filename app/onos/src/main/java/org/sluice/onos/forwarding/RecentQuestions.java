// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Keeps one question from being flooded again and again. Before links are discovered a flooded
 * packet comes back through them; unchecked it would go round for ever.
 */
final class RecentQuestions {
  private static final int MOST = 4096;

  private final long holdNanos;
  private final LongSupplier clockNanos;
  private final Map<List<Object>, Long> asked = new LinkedHashMap<>();

  RecentQuestions(long holdNanos, LongSupplier clockNanos) {
    this.holdNanos = holdNanos;
    this.clockNanos = clockNanos;
  }

  /** Whether nobody asked this within the hold time; from now on somebody has. */
  synchronized boolean isNew(Object... question) {
    long now = clockNanos.getAsLong();
    List<Object> key = List.of(question);
    Long before = asked.get(key);
    if (before != null && now - before < holdNanos) {
      return false;
    }
    asked.remove(key);
    asked.put(key, now);
    if (asked.size() > MOST) {
      asked.remove(asked.keySet().iterator().next());
    }
    return true;
  }
}
