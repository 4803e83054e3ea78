// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Rates as people read and write them, in Mbit/s with the suffix {@code Mbps} in files, exact to
 * the bit/s; inside, and in REST, rates are in bit/s.
 */
public final class MegabitRate {
  private static final int DECIMALS = 6;
  private static final BigDecimal MAX = fromBits(Tenant.MAX_RATE_BITS_PER_SECOND);

  /** More of a measured rate is noise. */
  private static final MathContext MEASURED = new MathContext(3);

  private MegabitRate() {}

  /** A rate that somebody set, exactly: {@code 12.5 Mbit/s}. */
  public static String text(long bitsPerSecond) {
    return fromBits(bitsPerSecond).toPlainString() + " Mbit/s";
  }

  /** The same beside the number that REST takes: {@code 12.5 Mbit/s (12500000 bit/s)}. */
  public static String inBoth(long bitsPerSecond) {
    return text(bitsPerSecond) + " (" + bitsPerSecond + " bit/s)";
  }

  /** The same, or {@code none} for 0. */
  public static String textOrNone(long bitsPerSecond) {
    return bitsPerSecond == 0 ? "none" : text(bitsPerSecond);
  }

  /** A rate that was measured or computed, to three digits: {@code 6.47 Mbit/s}. */
  public static String measured(double bitsPerSecond) {
    return rounded(bitsPerSecond).toPlainString() + " Mbit/s";
  }

  /** The same in Mbit/s, for a table. */
  public static BigDecimal rounded(double bitsPerSecond) {
    return fromBits(BigDecimal.valueOf(bitsPerSecond).round(MEASURED).longValue());
  }

  /** The rate in Mbit/s, without needless zeros. */
  public static BigDecimal fromBits(long bitsPerSecond) {
    BigDecimal exact = BigDecimal.valueOf(bitsPerSecond, DECIMALS).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  /**
   * The rate in bit/s.
   *
   * @param field where the rate was given, for refusals
   * @throws SluiceException of kind INVALID if it is out of range or finer than 1 bit/s
   */
  public static long toBits(String field, BigDecimal megabits) throws SluiceException {
    if (megabits.signum() < 0 || megabits.compareTo(MAX) > 0) {
      throw SluiceException.invalid(
          field, megabits, "A rate must lie within bounds", "Use Mbit/s from 0 (none) to " + MAX);
    }
    // Evaluated before any arithmetic: 1e-999999999 would cost minutes.
    if (megabits.stripTrailingZeros().scale() > DECIMALS) {
      throw SluiceException.invalid(
          field,
          megabits,
          "A rate is a whole number of bit/s",
          "Use at most " + DECIMALS + " decimals");
    }
    return megabits.movePointRight(DECIMALS).longValueExact();
  }
}
