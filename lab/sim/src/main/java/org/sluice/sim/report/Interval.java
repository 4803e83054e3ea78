// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * The mean of some seeds' numbers with its 95 % confidence interval, by Student's t distribution.
 *
 * @param mean NaN if a seed has no number
 * @param halfWidth of the interval; NaN of one seed
 */
record Interval(double mean, double halfWidth) {
  private static final int DIGITS = 3;
  private static final int MOST_DECIMALS = 4;

  /** The 97.5th percentile by degrees of freedom, from 1 on. */
  private static final double[] STUDENT = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /** The normal distribution's, and by how much Student's exceeds it: right to 0.002 from 31 on. */
  private static final double NORMAL = 1.96;

  private static final double EXCESS = 2.5;

  /** Of at least one number. */
  static Interval of(double... seeds) {
    double mean = Arrays.stream(seeds).sum() / seeds.length;
    int freedom = seeds.length - 1;
    if (freedom == 0 || Double.isNaN(mean)) {
      return new Interval(mean, Double.NaN);
    }
    double squares = Arrays.stream(seeds).map(seed -> (seed - mean) * (seed - mean)).sum();
    double standardError = Math.sqrt(squares / freedom / seeds.length);
    return new Interval(mean, quantile(freedom) * standardError);
  }

  private static double quantile(int freedom) {
    return freedom <= STUDENT.length ? STUDENT[freedom - 1] : NORMAL + EXCESS / freedom;
  }

  /**
   * Three digits of the mean, or the whole part where that is longer, and fewer where the interval
   * is wide, or where a whole number was counted; a dash for what is not a number.
   */
  String shown() {
    if (!Double.isFinite(mean)) {
      return "-";
    }
    boolean isWide = halfWidth > 0;
    if (!isWide && mean == Math.rint(mean)) {
      return rounded(mean, 0);
    }
    int decimals = Math.min(MOST_DECIMALS, decimals(mean, DIGITS));
    if (isWide) {
      decimals = Math.min(decimals, decimals(halfWidth, 2));
    }
    String width = isWide ? rounded(halfWidth, decimals) : "0";
    boolean isExact = new BigDecimal(width).signum() == 0;
    return rounded(mean, decimals) + (isExact ? "" : " ± " + width);
  }

  /** Behind the point, so that there are so many digits; not below 0. */
  private static int decimals(double value, int digits) {
    if (value == 0) {
      return MOST_DECIMALS;
    }
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits));
    return Math.max(0, digits - (rounded.precision() - rounded.scale()));
  }

  private static String rounded(double value, int decimals) {
    BigDecimal rounded = new BigDecimal(value).setScale(decimals, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.toPlainString();
  }
}
