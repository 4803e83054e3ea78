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

  public static Notice of(
      PortId port,
      EndpointId endpoint,
      double marks,
      long periodNanos,
      long shareBitsPerSecond,
      long capacityBitsPerSecond,
      Set<IpAddress> destinations) {
    return new AutoValue_Notice(
        port,
        endpoint,
        marks,
        periodNanos,
        shareBitsPerSecond,
        capacityBitsPerSecond,
        Set.copyOf(destinations));
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
}
