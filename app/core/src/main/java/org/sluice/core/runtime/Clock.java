// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The two clocks that the core goes by. */
public interface Clock {

  /** A clock that never jumps, ns; any origin. */
  long nanoTime();

  /** The time of day, microseconds since the epoch; may be set at any moment. */
  long wallMicros();

  /** The time of day, milliseconds since the epoch. */
  default long wallMillis() {
    return TimeUnit.MICROSECONDS.toMillis(wallMicros());
  }

  /** The time of day. */
  default Instant instant() {
    long micros = wallMicros();
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }
}
