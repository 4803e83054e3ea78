// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;

/** Refusals as one line. */
final class Refusals {
  private static final String RATE_SUFFIX = "BitsPerSecond";

  private Refusals() {}

  /** What is wrong, with which field and value, and what to do about it. */
  static String line(SluiceException refusal) {
    StringBuilder line = new StringBuilder();
    refusal.field().ifPresent(field -> line.append(outer(field, refusal.value())).append(": "));
    return line.append(sentence(refusal.getMessage()))
        .append(' ')
        .append(sentence(refusal.remedy()))
        .toString();
  }

  /** The same as JSON, with the names that REST uses. */
  static ObjectNode json(SluiceException refusal) {
    return json(
        refusal.field().orElse(""), refusal.value(), refusal.getMessage(), refusal.remedy());
  }

  static ObjectNode json(String field, String value, String detail, String remedy) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("detail", detail)
        .put("field", field)
        .put("value", value)
        .put("remedy", remedy);
  }

  private static String sentence(String text) {
    return text.endsWith(".") || text.endsWith("?") ? text : text + ".";
  }

  /** Services name rates in bit/s, operators in Mbit/s. */
  private static String outer(String field, String value) {
    if (field.endsWith(RATE_SUFFIX)) {
      try {
        long bits = new BigDecimal(value).longValueExact();
        return field.replace(RATE_SUFFIX, "") + " " + MegabitRate.fromBits(bits) + " Mbit/s";
      } catch (ArithmeticException | NumberFormatException e) {
        // No rate: shown as it is.
      }
    }
    return value.isEmpty() ? field : field + " '" + value + "'";
  }
}
