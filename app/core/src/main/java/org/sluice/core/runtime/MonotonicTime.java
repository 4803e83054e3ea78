// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The wall clock, except that it never stands still or goes back: of two sightings the later one
 * wins over the cluster, also when somebody has set the clock back in between.
 */
public final class MonotonicTime {
  private final LongSupplier clockMillis;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

  public MonotonicTime(LongSupplier clockMillis) {
    this.clockMillis = clockMillis;
  }

  /** Another node has used a time: from now on this one's are greater. */
  public void seen(long time) {
    last.accumulateAndGet(time, Math::max);
  }

  /** Ms since 1970, greater than ever before and than all that was seen. */
  public long next() {
    long now = clockMillis.getAsLong();
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }
}
