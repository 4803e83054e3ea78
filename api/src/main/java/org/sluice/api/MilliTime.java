// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Times as operators read them, in milliseconds to a microsecond, and never less than they are: a
 * deadline that is requested as it was shown is not earlier than the one that was meant.
 */
public final class MilliTime {
  private static final int NANO_DECIMALS = 6;
  private static final int MICRO_DECIMALS = 3;

  private MilliTime() {}

  /** The time in milliseconds, without needless zeros. */
  public static BigDecimal fromNanos(long nanos) {
    BigDecimal rounded =
        BigDecimal.valueOf(nanos, NANO_DECIMALS)
            .setScale(MICRO_DECIMALS, RoundingMode.CEILING)
            .stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}
