// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.Limits;

/** Numbers of policy sets, in the units of their JSON form. */
final class PolicyUnits {
  private static final int NANO_DIGITS = 9;
  private static final int MILLI_DIGITS = 6;
  private static final int PERCENT_DIGITS = 2;

  /** Digits before and behind the point beyond which a number is none that anybody means. */
  private static final int MOST_DIGITS = 30;

  private PolicyUnits() {}

  static BigDecimal seconds(long nanos) {
    return plain(BigDecimal.valueOf(nanos, NANO_DIGITS));
  }

  static BigDecimal millis(long nanos) {
    return plain(BigDecimal.valueOf(nanos, MILLI_DIGITS));
  }

  /** Null for no limit. */
  static BigDecimal percent(double fraction) {
    return fraction == Limits.NO_LIMIT
        ? null
        : plain(BigDecimal.valueOf(fraction).movePointRight(PERCENT_DIGITS));
  }

  private static BigDecimal plain(BigDecimal value) {
    BigDecimal stripped = value.stripTrailingZeros();
    return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
  }

  static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  static <E extends Enum<E>> E constant(Class<E> type, String name, String field)
      throws SluiceException {
    for (E each : type.getEnumConstants()) {
      if (name(each).equals(name)) {
        return each;
      }
    }
    String known =
        Arrays.stream(type.getEnumConstants())
            .map(each -> '"' + name(each) + '"')
            .collect(Collectors.joining(", "));
    throw SluiceException.invalid(field, name, "There is no such choice", "Use one of " + known);
  }

  /** A fraction; no limit for null. */
  static double fraction(BigDecimal percent, String field) throws SluiceException {
    return percent == null
        ? Limits.NO_LIMIT
        : bounded(percent, field).movePointLeft(PERCENT_DIGITS).doubleValue();
  }

  static long nanosOfSeconds(BigDecimal seconds, String field) throws SluiceException {
    return whole(bounded(seconds, field).movePointRight(NANO_DIGITS), seconds, field);
  }

  static long nanosOfMillis(BigDecimal millis, String field) throws SluiceException {
    return whole(bounded(millis, field).movePointRight(MILLI_DIGITS), millis, field);
  }

  static int count(BigDecimal value, String field) throws SluiceException {
    long whole = whole(bounded(value, field), value, field);
    if (whole != (int) whole) {
      throw SluiceException.invalid(
          field, value, "This number is beyond all bounds", "Use a smaller one");
    }
    return (int) whole;
  }

  private static long whole(BigDecimal scaled, BigDecimal given, String field)
      throws SluiceException {
    try {
      return scaled.longValueExact();
    } catch (ArithmeticException e) {
      throw SluiceException.invalid(
          field, given, "This number is too fine or too great", "Use a simpler one");
    }
  }

  /** Exponents without bounds would be written out digit by digit. */
  private static BigDecimal bounded(BigDecimal value, String field) throws SluiceException {
    if (Math.abs(value.scale()) > MOST_DIGITS || value.precision() > MOST_DIGITS) {
      throw SluiceException.invalid(
          field, value, "This number is too fine or too great", "Use a simpler one");
    }
    return value;
  }
}
