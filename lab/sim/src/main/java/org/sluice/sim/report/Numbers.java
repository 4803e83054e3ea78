// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as people read them. */
final class Numbers {
  private static final MathContext DIGITS = new MathContext(4);
  private static final int LEAST_DIGITS = 4;

  private Numbers() {}

  /** Four digits, or the whole part where that is longer; a dash for what is not a number. */
  static String shown(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    BigDecimal rounded =
        Math.abs(value) >= 10_000
            ? new BigDecimal(value).setScale(0, RoundingMode.HALF_UP)
            : new BigDecimal(value).round(DIGITS);
    if (rounded.scale() > 2 * LEAST_DIGITS) {
      rounded = rounded.setScale(LEAST_DIGITS, RoundingMode.HALF_UP);
    }
    BigDecimal plain = rounded.stripTrailingZeros();
    return plain.signum() == 0 ? "0" : plain.toPlainString();
  }

  /** As many digits as it has; empty for what is not a number. */
  static String exact(double value) {
    return Double.isFinite(value) ? Double.toString(value) : "";
  }
}
