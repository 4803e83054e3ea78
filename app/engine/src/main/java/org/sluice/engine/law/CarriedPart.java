// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What part of its capacity a port has carried lately when flows with windows could have filled it
 * (ours; SED takes C for granted). Busy hosts hold packets back, windows have to fit the buffer,
 * and reports are late: then windows that sum to T_win do not fill the link, and who promises all
 * of it breaks promises. So no more is promised than was carried.
 *
 * <p>It is measured over whole congestions, what their beginning costs included, in pieces of
 * {@link #MOST_NANOS} at most. Less counts at once, more bit by bit, and what nothing confirms is
 * forgotten.
 */
final class CarriedPart {
  /** A shorter congestion says little: its beginning would be most of it. */
  private static final long LEAST_NANOS = 200_000_000;

  private static final long MOST_NANOS = 500_000_000;

  /** Of what is missing each piece in which more was carried brings so much back. */
  private static final double RECOVERY = 0.25;

  /** Without any piece half of what is missing is forgotten in so long, ns. */
  private static final double FORGETTING_NANOS = 120e9;

  /** Whoever sends slowly on purpose shall not take more than that from others' promises. */
  private static final double LEAST = 0.5;

  private static final long NEVER = Long.MIN_VALUE;

  private double part = 1;
  private long learntNanos = NEVER;
  private long nowNanos;

  private long sinceNanos = NEVER;
  private double sinceBytes;

  /**
   * The port was evaluated.
   *
   * @param full all of T_win is in windows of flows that have something to send
   * @param deliveredBytes of all flows with windows that have passed the port since the beginning
   * @param bytesPerSecond what there is for all of them, above 0
   */
  void update(boolean full, double deliveredBytes, double bytesPerSecond, long now) {
    age(now);
    if (sinceNanos != NEVER) {
      long nanos = now - sinceNanos;
      if (nanos >= MOST_NANOS || (!full && nanos >= LEAST_NANOS)) {
        learn((deliveredBytes - sinceBytes) * 1e9 / (nanos * bytesPerSecond));
        sinceNanos = NEVER;
      }
    }
    if (!full) {
      sinceNanos = NEVER;
    } else if (sinceNanos == NEVER) {
      sinceNanos = now;
      sinceBytes = deliveredBytes;
    }
  }

  private void learn(double measured) {
    double before = part();
    double bounded = Math.max(LEAST, Math.min(1, measured));
    part = bounded < before ? bounded : before + RECOVERY * (bounded - before);
    learntNanos = nowNanos;
  }

  /** Time has passed. */
  void age(long now) {
    nowNanos = now;
  }

  /** From {@link #LEAST} to 1. */
  double part() {
    if (learntNanos == NEVER) {
      return 1;
    }
    return 1 - (1 - part) * Math.pow(0.5, (nowNanos - learntNanos) / FORGETTING_NANOS);
  }
}
