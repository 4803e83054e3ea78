// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Times as operators read them, in milliseconds to a microsecond, and never less than they are: a
 * deadline that is requested as it was shown is not earlier than the one that was meant.
 */
public final class MilliTime {
  private static final int NANO_DECIMALS = 6;
  private static final int MICRO_DECIMALS = 3;

  /** Of what stands in sentences and tables; rounded up, as above. */
  private static final MathContext READ = new MathContext(4, RoundingMode.CEILING);

  private static final BigDecimal NANOS_PER_SECOND = BigDecimal.valueOf(1_000_000_000L);

  private MilliTime() {}

  /** The time with its unit in four digits: {@code 80.22 ms}, {@code 12.35 s}, {@code 124 min}. */
  public static String text(long nanos) {
    BigDecimal seconds = BigDecimal.valueOf(nanos).divide(NANOS_PER_SECOND, MathContext.DECIMAL64);
    double size = Math.abs(seconds.doubleValue());
    if (size < 10) {
      return read(seconds.movePointRight(3)) + " ms";
    } else if (size < 600) {
      return read(seconds) + " s";
    }
    BigDecimal minutes = seconds.divide(BigDecimal.valueOf(60), MathContext.DECIMAL64);
    return size < 36_000
        ? read(minutes) + " min"
        : read(minutes.divide(BigDecimal.valueOf(60), MathContext.DECIMAL64)) + " h";
  }

  private static String read(BigDecimal value) {
    return value.round(READ).stripTrailingZeros().toPlainString();
  }

  /** The time in milliseconds, without needless zeros. */
  public static BigDecimal fromNanos(long nanos) {
    BigDecimal rounded =
        BigDecimal.valueOf(nanos, NANO_DECIMALS)
            .setScale(MICRO_DECIMALS, RoundingMode.CEILING)
            .stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}
