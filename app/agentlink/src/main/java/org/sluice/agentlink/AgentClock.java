// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/**
 * Estimates when an agent sent a message, by this controller's clock. The difference of the two
 * clocks is unknown, but no message arrives before it was sent: the recent message with the
 * smallest delay bounds it best. So an estimate is too late by the delay of that message, and not
 * by the delay of its own.
 */
final class AgentClock {
  /** Clocks drift apart by some 10^-5: in such a time by less than a message's delay. */
  static final long WINDOW_NANOS = 10_000_000_000L;

  private static final long UNKNOWN = Long.MAX_VALUE;

  // The least differences of the clocks that messages have shown: in this window, and in the last.
  private long least = UNKNOWN;
  private long leastBefore = UNKNOWN;
  private long windowNanos;

  /**
   * Takes a message.
   *
   * @param agentNanos the agent's clock when it was sent; 0: unknown
   * @param receivedNanos this controller's when it arrived, never less than before
   * @return when it was sent: no later than it arrived, and at most a window before
   */
  long sentNanos(long agentNanos, long receivedNanos) {
    if (agentNanos == 0) {
      return receivedNanos;
    }
    long passed = receivedNanos - windowNanos;
    if (least == UNKNOWN || passed >= WINDOW_NANOS) {
      leastBefore = passed < 2 * WINDOW_NANOS ? least : UNKNOWN;
      least = UNKNOWN;
      windowNanos = receivedNanos;
    }
    long difference = receivedNanos - agentNanos;
    least = Math.min(least, difference);
    long delay = difference - Math.min(least, leastBefore);
    return receivedNanos - Math.max(0, Math.min(delay, WINDOW_NANOS));
  }
}
