// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/**
 * Tells when an agent said something, by this controller's clock. How much the two clocks differ
 * nobody knows, but nothing arrives before it was said: of all that came of late, what was fastest
 * tells most. So what is told is too late by what that one took, and not by what this one did.
 */
final class AgentClock {
  /** Clocks drift apart by some 10^-5: in such a time by less than a message takes. */
  static final long WINDOW_NANOS = 10_000_000_000L;

  private static final long UNKNOWN = Long.MAX_VALUE;

  // The least differences of the clocks that messages have shown: in this window, and in the last.
  private long least = UNKNOWN;
  private long leastBefore = UNKNOWN;
  private long windowNanos;

  /**
   * Takes a message.
   *
   * @param agentNanos the agent's clock when it was said; 0: it does not tell
   * @param receivedNanos this controller's when it came, never less than before
   * @return when it was said: no later than it came, and at most a window before
   */
  long saidNanos(long agentNanos, long receivedNanos) {
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
    long underWay = difference - Math.min(least, leastBefore);
    return receivedNanos - Math.max(0, Math.min(underWay, WINDOW_NANOS));
  }
}
