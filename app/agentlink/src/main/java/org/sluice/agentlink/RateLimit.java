// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/** Permits so many things in every second. */
final class RateLimit {
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final int perSecond;
  private long secondStartNanos;
  private int inSecond;

  RateLimit(int perSecond) {
    this.perSecond = perSecond;
  }

  synchronized boolean permits(long nowNanos) {
    if (inSecond == 0 || nowNanos - secondStartNanos >= SECOND_NANOS) {
      secondStartNanos = nowNanos;
      inSecond = 0;
    }
    if (inSecond == perSecond) {
      return false;
    }
    inSecond++;
    return true;
  }
}
