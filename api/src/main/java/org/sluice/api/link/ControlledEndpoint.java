// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.OptionalLong;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;

/** An endpoint that sends through a congested port, and all destinations that it reaches so. */
@AutoValue
public abstract class ControlledEndpoint {

  /** One whose host spreads its guarantee, if any, by itself. */
  public static ControlledEndpoint of(EndpointId endpoint, Set<IpAddress> destinations) {
    return of(endpoint, destinations, OptionalLong.empty());
  }

  /**
   * One whose floor is known.
   *
   * @param floorBitsPerSecond at least 0
   */
  public static ControlledEndpoint of(
      EndpointId endpoint, Set<IpAddress> destinations, OptionalLong floorBitsPerSecond) {
    return new AutoValue_ControlledEndpoint(endpoint, Set.copyOf(destinations), floorBitsPerSecond);
  }

  public abstract EndpointId endpoint();

  public abstract Set<IpAddress> destinations();

  /**
   * What the guarantees of both ends (hose model) leave to the endpoint's active pairs through the
   * port, together, bit/s. Absent: its host spreads its own guarantee over its destinations.
   */
  public abstract OptionalLong floorBitsPerSecond();
}
