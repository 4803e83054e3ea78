// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.time;

/** How a pair's rate is smoothed over time: what was seen fades, what is seen now fills up. */
public final class SmoothedRate {
  /** Time constant, ns. */
  static final double WINDOW_NANOS = 50e6;

  /**
   * What was seen last holds for so long before it fades, ns: hosts without new marks report every
   * 50 ms.
   */
  private static final long HOLD_NANOS = 60_000_000L;

  private SmoothedRate() {}

  /** The part of a rate that is left after so many ns; near exp(-t / window), but cheap. */
  public static double remaining(long nanos) {
    double windows = Math.max(0, nanos) / WINDOW_NANOS;
    return 1 / (1 + windows * (1 + windows / 2 * (1 + windows / 3 * (1 + windows / 4))));
  }

  /** What a rate seen so many ns ago still counts for. */
  public static long held(long bitsPerSecond, long sinceNanos) {
    return sinceNanos <= HOLD_NANOS
        ? bitsPerSecond
        : (long) (bitsPerSecond * remaining(sinceNanos - HOLD_NANOS));
  }
}
