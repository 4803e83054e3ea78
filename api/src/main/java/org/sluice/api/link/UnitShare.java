// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** What weight 1 may send through a congested port, as one host gets it. */
@AutoValue
public abstract class UnitShare {

  /** For a host that none of the port's traffic goes to. */
  public static UnitShare of(
      PortId port,
      long unitShareBitsPerSecond,
      long capacityBitsPerSecond,
      double activeWeight,
      boolean expired,
      List<ControlledEndpoint> endpoints) {
    return of(
        port,
        unitShareBitsPerSecond,
        capacityBitsPerSecond,
        activeWeight,
        expired,
        endpoints,
        Set.of(),
        0,
        false);
  }

  public static UnitShare of(
      PortId port,
      long unitShareBitsPerSecond,
      long capacityBitsPerSecond,
      double activeWeight,
      boolean expired,
      List<ControlledEndpoint> endpoints,
      Set<IpAddress> reached,
      double lentPart,
      boolean equalCost) {
    return new AutoValue_UnitShare(
        port,
        unitShareBitsPerSecond,
        capacityBitsPerSecond,
        activeWeight,
        expired,
        List.copyOf(endpoints),
        Set.copyOf(reached),
        lentPart,
        equalCost);
  }

  public abstract PortId port();

  /** u_p, bit/s. */
  public abstract long unitShareBitsPerSecond();

  /** C_p, bit/s. */
  public abstract long capacityBitsPerSecond();

  /** Sum of the weights of all active endpoints through the port, on whatever host. */
  public abstract double activeWeight();

  /** True in the last message about the port: its control has ended. */
  public abstract boolean expired();

  /** The host's endpoints that send through the port. */
  public abstract List<ControlledEndpoint> endpoints();

  /**
   * Addresses of the host's endpoints that are reached through the port. Its agent passes the share
   * on to whoever's packets to them carry CE, so that a newcomer need not wait for the controller,
   * or outlives it.
   */
  public abstract Set<IpAddress> reached();

  /**
   * By about what part of its own share who waits may exceed it while nothing is marked, at least
   * 0: what of the port is due to others who do not send it now.
   */
  public abstract double lentPart();

  /**
   * Whether the lent part is what several ports of equal cost have free together. It is not known
   * which of them somebody crosses: marks there need not end.
   */
  public abstract boolean equalCost();
}
