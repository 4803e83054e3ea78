// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/**
 * What went through a port between two readings of its counters. The interval is the switch's own:
 * add up counts and intervals over several samples where one is too short to divide by.
 */
@AutoValue
public abstract class PortSample {
  /** The value of a counter that the switch does not keep. */
  public static final long NOT_COUNTED = -1;

  private static final double BITS_PER_BYTE_NANOS = 8e9;

  /** Starts a sample of a port with all counts at 0. */
  public static Builder builder(PortId port) {
    return new AutoValue_PortSample.Builder()
        .port(port)
        .rxPackets(0)
        .rxBytes(0)
        .txPackets(0)
        .txBytes(0)
        .txDroppedPackets(NOT_COUNTED);
  }

  public abstract PortId port();

  /** Packets that came in. */
  public abstract long rxPackets();

  public abstract long rxBytes();

  /** Packets that went out. */
  public abstract long txPackets();

  public abstract long txBytes();

  /** Packets that found no space on their way out; {@link #NOT_COUNTED} if the switch does not. */
  public abstract long txDroppedPackets();

  /** Between the two readings by the switch's clock, nanoseconds, above 0. */
  public abstract long intervalNanos();

  /** Bytes in over the interval, bit/s. */
  public final double rxBitsPerSecond() {
    return rxBytes() * BITS_PER_BYTE_NANOS / intervalNanos();
  }

  /** Bytes out over the interval, bit/s. */
  public final double txBitsPerSecond() {
    return txBytes() * BITS_PER_BYTE_NANOS / intervalNanos();
  }

  /** Builds a sample. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder port(PortId port);

    public abstract Builder rxPackets(long packets);

    public abstract Builder rxBytes(long bytes);

    public abstract Builder txPackets(long packets);

    public abstract Builder txBytes(long bytes);

    public abstract Builder txDroppedPackets(long packets);

    public abstract Builder intervalNanos(long nanos);

    abstract PortSample autoBuild();

    /**
     * The sample.
     *
     * @throws IllegalArgumentException if the interval is not above 0
     */
    public final PortSample build() {
      PortSample sample = autoBuild();
      if (sample.intervalNanos() <= 0) {
        throw new IllegalArgumentException(
            "intervalNanos " + sample.intervalNanos() + " is not an interval: it must be above 0");
      }
      return sample;
    }
  }
}
