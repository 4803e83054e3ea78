// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units, in the forms that the schema allows. */
public final class Quantity {
  private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?) ?(\\S+)");
  private static final Map<String, Integer> TIMES = Map.of("ns", 0, "us", 3, "ms", 6, "s", 9);
  private static final Map<String, Integer> RATES =
      Map.of("bit/s", 0, "kbit/s", 3, "Mbit/s", 6, "Gbit/s", 9);
  private static final Map<String, Integer> SIZES = Map.of("B", 0, "KB", 3, "MB", 6, "GB", 9);
  private static final Map<String, Integer> PERCENT = Map.of("%", -2);

  private Quantity() {}

  /** A time, ns. */
  public static long nanos(String text) {
    return whole(text, TIMES);
  }

  /** A rate, bit/s. */
  public static long bitsPerSecond(String text) {
    return whole(text, RATES);
  }

  /** A size, bytes; 1 KB is 1000. */
  public static long bytes(String text) {
    return whole(text, SIZES);
  }

  /** A percentage: 5 % is 0.05. */
  public static double fraction(String text) {
    return parse(text, PERCENT).doubleValue();
  }

  private static long whole(String text, Map<String, Integer> powersOfTen) {
    return parse(text, powersOfTen).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  private static BigDecimal parse(String text, Map<String, Integer> powersOfTen) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || !powersOfTen.containsKey(matcher.group(2))) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a number with one of the units " + powersOfTen.keySet());
    }
    return new BigDecimal(matcher.group(1)).scaleByPowerOfTen(powersOfTen.get(matcher.group(2)));
  }
}
