// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** Times of day as everybody is shown them: ISO 8601, UTC, to the millisecond. */
public final class ClockTime {
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private ClockTime() {}

  /** {@code 2026-03-01T12:00:00.000Z}. */
  public static String text(Instant time) {
    return FORM.format(time);
  }

  /**
   * Reads a time as ISO 8601 writes it in UTC.
   *
   * @throws IllegalArgumentException for any other form; also with an offset, which only newer JDKs
   *     would read
   */
  public static Instant parse(String text) {
    try {
      if (text.endsWith("Z") || text.endsWith("z")) {
        return Instant.parse(text);
      }
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("This is not a time of day", e);
    }
    throw new IllegalArgumentException("This is not a time in UTC, which ends in Z");
  }
}
