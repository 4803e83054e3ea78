// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import com.google.auto.value.AutoValue;

/** What went through a meter between two readings of its counters, by the switch's own clock. */
@AutoValue
public abstract class MeterSample {

  /**
   * A sample.
   *
   * @param datapath the switch as its controller names it ({@code of:0000000000000001})
   * @param meterId the meter's number, 1 to 2^32 - 1
   * @param packets packets that entered the meter
   * @param bytes bytes that entered the meter
   * @param intervalNanos between the two readings by the switch's clock, nanoseconds, above 0
   * @throws IllegalArgumentException if the interval is not above 0
   */
  public static MeterSample of(
      String datapath, long meterId, long packets, long bytes, long intervalNanos) {
    if (intervalNanos <= 0) {
      throw new IllegalArgumentException(
          "intervalNanos " + intervalNanos + " is not an interval: it must be above 0");
    }
    return new AutoValue_MeterSample(datapath, meterId, packets, bytes, intervalNanos);
  }

  public abstract String datapath();

  public abstract long meterId();

  public abstract long packets();

  public abstract long bytes();

  /** Between the two readings by the switch's clock, nanoseconds, above 0. */
  public abstract long intervalNanos();
}
