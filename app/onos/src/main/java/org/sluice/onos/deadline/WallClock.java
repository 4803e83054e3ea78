// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** The time of day as stored deadlines have it. It may step at any moment. */
interface WallClock {
  WallClock SYSTEM = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());

  /** Microseconds since the epoch. */
  long micros();

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
