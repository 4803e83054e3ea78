// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** The time of day as stored deadlines have it. */
final class WallClock {

  private WallClock() {}

  /** Microseconds since the epoch. */
  static long micros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
