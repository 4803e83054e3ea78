// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.math.BigDecimal;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;

/** Refusals in this interface's words: services name rates in bit/s, it names them in Mbit/s. */
final class OuterNames {
  private static final String INNER_SUFFIX = "BitsPerSecond";
  private static final String OUTER_SUFFIX = "Mbps";

  private OuterNames() {}

  /** The field at fault as a JSON pointer (RFC 6901). */
  static String pointer(SluiceException refusal) {
    String path = field(refusal).replace("[", ".").replace("]", "");
    return path.isEmpty() ? "" : "/" + path.replace('.', '/');
  }

  /** The field at fault; empty when no single one is. */
  static String field(SluiceException refusal) {
    String field = refusal.field().orElse("");
    return field.endsWith(INNER_SUFFIX)
        ? field.substring(0, field.length() - INNER_SUFFIX.length()) + OUTER_SUFFIX
        : field;
  }

  /** The value at fault. */
  static String value(SluiceException refusal) {
    if (refusal.field().orElse("").endsWith(INNER_SUFFIX)) {
      try {
        return MegabitRate.fromBits(new BigDecimal(refusal.value()).longValueExact()).toString();
      } catch (ArithmeticException | NumberFormatException e) {
        // No rate: shown as it is.
      }
    }
    return refusal.value();
  }
}
