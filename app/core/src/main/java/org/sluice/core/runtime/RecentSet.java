// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What was seen within a hold time. Keeps one question from being flooded again and again: before
 * links are discovered a flooded packet comes back through them, and would go round for ever.
 */
public final class RecentSet {
  private static final int MOST = 4096;

  private final long holdNanos;
  private final LongSupplier clockNanos;
  private final Map<List<Object>, Long> seen = new LinkedHashMap<>();

  public RecentSet(long holdNanos, LongSupplier clockNanos) {
    this.holdNanos = holdNanos;
    this.clockNanos = clockNanos;
  }

  /** Whether this was not seen within the hold time; from now on it was. */
  public synchronized boolean isNew(Object... thing) {
    long now = clockNanos.getAsLong();
    List<Object> key = List.of(thing);
    Long before = seen.get(key);
    if (before != null && now - before < holdNanos) {
      return false;
    }
    seen.remove(key);
    seen.put(key, now);
    if (seen.size() > MOST) {
      seen.remove(seen.keySet().iterator().next());
    }
    return true;
  }

  /** Whether this was seen within the hold time. */
  public synchronized boolean isRecent(Object... thing) {
    Long before = seen.get(List.of(thing));
    return before != null && clockNanos.getAsLong() - before < holdNanos;
  }
}
