// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times of day as everybody is shown them: ISO 8601, UTC, to the millisecond. */
public final class ClockTime {
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private ClockTime() {}

  /** {@code 2026-03-01T12:00:00.000Z}. */
  public static String text(Instant time) {
    return FORM.format(time);
  }
}
