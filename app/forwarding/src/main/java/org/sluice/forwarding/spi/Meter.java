// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;

/** A meter with one band, which drops what exceeds its rate, as the platform knows it. */
@AutoValue
public abstract class Meter {

  /**
   * A meter.
   *
   * @param kilobitsPerSecond with which it was made; 0: unknown, as may be of one that an earlier
   *     life left
   * @param isConfirmed whether its switch has said that it stands
   * @param lifeSeconds how long it has stood, as its switch says; 0: unknown
   */
  public static Meter of(long id, long kilobitsPerSecond, boolean isConfirmed, long lifeSeconds) {
    return new AutoValue_Meter(id, kilobitsPerSecond, isConfirmed, lifeSeconds);
  }

  /** Its number on its switch. */
  public abstract long id();

  /** With which it was made; 0: unknown. */
  public abstract long kilobitsPerSecond();

  /** Whether its switch has said that it stands, perhaps before it went away. */
  public abstract boolean isConfirmed();

  /** How long it has stood, as its switch says; 0: unknown. */
  public abstract long lifeSeconds();
}
