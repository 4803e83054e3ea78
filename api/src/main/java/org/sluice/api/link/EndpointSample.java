// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.EndpointId;

/** An endpoint's limit and counters over an interval, as its host's shim counted them. */
@AutoValue
public abstract class EndpointSample {

  public static EndpointSample of(
      EndpointId endpoint,
      long rateBitsPerSecond,
      long backlogBytes,
      long droppedPackets,
      long spoofedPackets,
      long forgedPackets,
      long roguePackets,
      long residualDroppedPackets,
      List<GroupSample> groups) {
    return new AutoValue_EndpointSample(
        endpoint,
        rateBitsPerSecond,
        backlogBytes,
        droppedPackets,
        spoofedPackets,
        forgedPackets,
        roguePackets,
        residualDroppedPackets,
        List.copyOf(groups));
  }

  public abstract EndpointId endpoint();

  /** The limit now in force, bit/s; 0 is none. */
  public abstract long rateBitsPerSecond();

  public abstract long backlogBytes();

  public abstract long droppedPackets();

  /** Dropped for an address or a MAC that is not the endpoint's. */
  public abstract long spoofedPackets();

  /** Packets with CE, the reserved bit or the control protocol coming from the VM. */
  public abstract long forgedPackets();

  /** Dropped because only a router, a DHCP server or a switch sends such. */
  public abstract long roguePackets();

  /**
   * Of {@link #droppedPackets}, those that exceeded its endpoint's rate of residual traffic: to
   * groups, without IP, without an address of its own, beyond what can be counted.
   */
  public abstract long residualDroppedPackets();

  /** One per congested port that limits it. */
  public abstract List<GroupSample> groups();
}
