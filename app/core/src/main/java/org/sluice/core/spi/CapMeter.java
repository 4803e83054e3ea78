// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** What of the last level a switch sends by one of its ports towards a port of the next switch. */
@AutoValue
public abstract class CapMeter {
  /** A rate that holds nothing back. */
  public static final long UNLIMITED = 0;

  /**
   * A meter.
   *
   * @param dscp of the last level, 0 to 63
   * @param destinations behind the downstream port, at least one
   * @param bitsPerSecond of whole frames, or {@link #UNLIMITED}
   */
  public static CapMeter of(
      PortId upstream,
      PortId downstream,
      int dscp,
      Set<IpAddress> destinations,
      long bitsPerSecond) {
    return new AutoValue_CapMeter(
        upstream, downstream, dscp, Set.copyOf(destinations), bitsPerSecond);
  }

  /** The port of its switch by which the traffic leaves. */
  public abstract PortId upstream();

  /** The port by which it leaves the next switch. */
  public abstract PortId downstream();

  /** Of the last level, 0 to 63. */
  public abstract int dscp();

  /** Behind the downstream port, at least one. */
  public abstract Set<IpAddress> destinations();

  /** Bit/s of whole frames, or {@link #UNLIMITED}. */
  public abstract long bitsPerSecond();
}
