// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;

/** When a UDP flow sends and when it pauses, and whether its packets are evenly spaced. */
public final class SendingPattern {
  /** Sends all the time. */
  public static final SendingPattern CONSTANT = new SendingPattern(Long.MAX_VALUE, 0, false, false);

  private final long onNanos;
  private final long offNanos;
  private final boolean exponential;
  private final boolean hasRandomGaps;

  private SendingPattern(long onNanos, long offNanos, boolean exponential, boolean hasRandomGaps) {
    this.onNanos = onNanos;
    this.offNanos = offNanos;
    this.exponential = exponential;
    this.hasRandomGaps = hasRandomGaps;
  }

  /** Periods of fixed length, ns, above 0. */
  public static SendingPattern fixed(long onNanos, long offNanos) {
    return new SendingPattern(requirePositive(onNanos), requirePositive(offNanos), false, false);
  }

  /** Periods of exponentially distributed length with these means, ns, above 0. */
  public static SendingPattern exponential(long meanOnNanos, long meanOffNanos) {
    return new SendingPattern(
        requirePositive(meanOnNanos), requirePositive(meanOffNanos), true, false);
  }

  /**
   * The same with gaps between packets that are drawn anew each time, evenly from none to twice as
   * long. Evenly spaced packets of several flows keep their order at a full queue, and one flow has
   * all that is dropped (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched
   * Gateways", 1992).
   */
  public SendingPattern withRandomGaps() {
    return new SendingPattern(onNanos, offNanos, exponential, true);
  }

  private static long requirePositive(long nanos) {
    if (nanos <= 0) {
      throw new IllegalArgumentException("a period must be above 0 ns, not " + nanos);
    }
    return nanos;
  }

  boolean isConstant() {
    return onNanos == Long.MAX_VALUE;
  }

  long nextOnNanos(SplittableRandom random) {
    return next(onNanos, random);
  }

  long nextOffNanos(SplittableRandom random) {
    return next(offNanos, random);
  }

  long gapNanos(long evenNanos, SplittableRandom random) {
    return hasRandomGaps ? random.nextLong(2 * evenNanos + 1) : evenNanos;
  }

  private long next(long nanos, SplittableRandom random) {
    return exponential
        ? Math.max(1, Math.round(-StrictMath.log(1 - random.nextDouble()) * nanos))
        : nanos;
  }
}
