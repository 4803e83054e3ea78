// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** "You caused so many marks": SDN-GCC's congestion notification to a source's host. */
@AutoValue
public abstract class Notice {

  /** One without the number of packets that the marks are counted among. */
  public static Notice of(
      PortId port,
      EndpointId endpoint,
      double marks,
      long periodNanos,
      long shareBitsPerSecond,
      long capacityBitsPerSecond,
      Set<IpAddress> destinations) {
    return of(
        port,
        endpoint,
        marks,
        periodNanos,
        shareBitsPerSecond,
        capacityBitsPerSecond,
        destinations,
        0);
  }

  public static Notice of(
      PortId port,
      EndpointId endpoint,
      double marks,
      long periodNanos,
      long shareBitsPerSecond,
      long capacityBitsPerSecond,
      Set<IpAddress> destinations,
      double packets) {
    return new AutoValue_Notice(
        port,
        endpoint,
        marks,
        periodNanos,
        shareBitsPerSecond,
        capacityBitsPerSecond,
        Set.copyOf(destinations),
        packets);
  }

  public abstract PortId port();

  public abstract EndpointId endpoint();

  /** The endpoint's part of the port's marks. */
  public abstract double marks();

  public abstract long periodNanos();

  /** E: what the endpoint may recover to, bit/s. */
  public abstract long shareBitsPerSecond();

  /** C of the port, bit/s. */
  public abstract long capacityBitsPerSecond();

  public abstract Set<IpAddress> destinations();

  /**
   * Of how many packets of the endpoint the marks are a part, for Sluice's law: F = marks /
   * packets. 0: unknown; SDN-GCC does not use it.
   */
  public abstract double packets();
}
