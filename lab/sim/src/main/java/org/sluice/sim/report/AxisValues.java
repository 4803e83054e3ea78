// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Places of an axis's values along a plot. */
final class AxisValues {
  private static final Pattern NUMBER = Pattern.compile("^(\\d+(?:\\.\\d+)?).*");

  private AxisValues() {}

  /** The number that a value begins with, such as 10 of "10 ms"; else its place. */
  static double number(String value, int place) {
    Matcher matcher = NUMBER.matcher(value);
    return matcher.matches() ? Double.parseDouble(matcher.group(1)) : place;
  }
}
