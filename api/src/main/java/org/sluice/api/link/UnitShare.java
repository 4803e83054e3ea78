// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/** What weight 1 may send through a congested port, for the endpoints of one host. */
@AutoValue
public abstract class UnitShare {

  public static UnitShare of(
      PortId port,
      long unitShareBitsPerSecond,
      long capacityBitsPerSecond,
      double activeWeight,
      boolean expired,
      List<ControlledEndpoint> endpoints) {
    return new AutoValue_UnitShare(
        port,
        unitShareBitsPerSecond,
        capacityBitsPerSecond,
        activeWeight,
        expired,
        List.copyOf(endpoints));
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

  public abstract List<ControlledEndpoint> endpoints();
}
