// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;

/** When a UDP flow sends and when it pauses. */
public final class SendingPattern {
  /** Sends all the time. */
  public static final SendingPattern CONSTANT = new SendingPattern(Long.MAX_VALUE, 0, false);

  private final long onNanos;
  private final long offNanos;
  private final boolean exponential;

  private SendingPattern(long onNanos, long offNanos, boolean exponential) {
    this.onNanos = onNanos;
    this.offNanos = offNanos;
    this.exponential = exponential;
  }

  /** Periods of fixed length, ns, above 0. */
  public static SendingPattern fixed(long onNanos, long offNanos) {
    return new SendingPattern(requirePositive(onNanos), requirePositive(offNanos), false);
  }

  /** Periods of exponentially distributed length with these means, ns, above 0. */
  public static SendingPattern exponential(long meanOnNanos, long meanOffNanos) {
    return new SendingPattern(requirePositive(meanOnNanos), requirePositive(meanOffNanos), true);
  }

  private static long requirePositive(long nanos) {
    if (nanos <= 0) {
      throw new IllegalArgumentException("a period must be above 0 ns, not " + nanos);
    }
    return nanos;
  }

  boolean isConstant() {
    return this == CONSTANT;
  }

  long nextOnNanos(SplittableRandom random) {
    return next(onNanos, random);
  }

  long nextOffNanos(SplittableRandom random) {
    return next(offNanos, random);
  }

  private long next(long nanos, SplittableRandom random) {
    return exponential
        ? Math.max(1, Math.round(-StrictMath.log(1 - random.nextDouble()) * nanos))
        : nanos;
  }
}
