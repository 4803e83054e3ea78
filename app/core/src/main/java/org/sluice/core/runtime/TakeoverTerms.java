// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The terms in which this node decides. A term must grow whenever the node newly takes over a duty,
 * also over a restart that lost the cluster's own counters: it is the time of the takeover, ms
 * since the epoch, or one more than the last if two fall into one. Not thread-safe.
 */
public final class TakeoverTerms {
  /** Lower than that of any takeover. */
  private static final long BEFORE_ALL = 1;

  private final LongSupplier clockMillis;
  private final Map<Object, Object> incarnations = new HashMap<>();
  private final Map<Object, Long> terms = new HashMap<>();

  /**
   * None yet.
   *
   * @param clockMillis the cluster's steady time, ms since the epoch
   */
  public TakeoverTerms(LongSupplier clockMillis) {
    this.clockMillis = clockMillis;
  }

  /**
   * The term of a duty.
   *
   * @param incarnation what the cluster counts about the duty: another one is a new takeover
   */
  public long term(Object duty, Object incarnation) {
    if (!incarnation.equals(incarnations.put(duty, incarnation))) {
      terms.merge(duty, clockMillis.getAsLong(), (last, now) -> Math.max(last + 1, now));
    }
    return terms.get(duty);
  }

  /** The latest term of a duty that this node had; lower than any if it had none. */
  public long last(Object duty) {
    return terms.getOrDefault(duty, BEFORE_ALL);
  }
}
