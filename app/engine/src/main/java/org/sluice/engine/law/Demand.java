// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Whether an endpoint demands all that it may have at a port, judged by what gets through. One that
 * gets less than {@link #LIGHT} of its part for {@link #PATIENCE_NANOS} is light: it demands what
 * it gets. It may send more at any time, so that nothing need be kept for it; and once it gets more
 * than {@link #HELD} of its part it demands more than that. Between the two nothing changes, as
 * when what a light one leaves raises its own part.
 */
public final class Demand {
  /** Below so much of its part an endpoint does not use its part. */
  public static final double LIGHT = 0.8;

  /** Above so much of its part it is held by it, and demands more. */
  public static final double HELD = 0.9;

  /** For so long an endpoint must get little before it counts as light, ns. */
  public static final long PATIENCE_NANOS = 50_000_000L;

  /**
   * The same where the port may be overloaded ({@link Overload}), ns: longer than usual
   * retransmission timeouts. From afar the host loop's swing looks like overload for good.
   */
  public static final long OVERLOADED_PATIENCE_NANOS = 1_000_000_000L;

  /** Not light. */
  public static final double GREEDY = Double.POSITIVE_INFINITY;

  private Demand() {}

  /**
   * The demand after an evaluation.
   *
   * @param before the demand of before, bit/s, or {@link #GREEDY}
   * @param rateBitsPerSecond what gets through
   * @param partBitsPerSecond what it may have; 0 is not known
   * @param lightNanos for how long less than {@link #LIGHT} of its part has got through, ns
   * @return bit/s, or {@link #GREEDY}
   */
  public static double of(
      double before, double rateBitsPerSecond, double partBitsPerSecond, long lightNanos) {
    if (partBitsPerSecond <= 0 || rateBitsPerSecond > HELD * partBitsPerSecond) {
      return GREEDY;
    }
    boolean isLight = before < GREEDY || lightNanos >= PATIENCE_NANOS;
    return isLight ? rateBitsPerSecond : GREEDY;
  }

  /** Whether so little gets through that an endpoint is about to count as light. */
  public static boolean isLittle(double rateBitsPerSecond, double partBitsPerSecond) {
    return rateBitsPerSecond < LIGHT * partBitsPerSecond;
  }
}
