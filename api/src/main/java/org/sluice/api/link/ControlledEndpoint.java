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
  /** Stands for the weight of the endpoint's profile. */
  public static final double PROFILE_WEIGHT = 0;

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
    return of(endpoint, destinations, floorBitsPerSecond, PROFILE_WEIGHT);
  }

  /**
   * One whose weight at the port is known as well.
   *
   * @param weight above 0, or {@link #PROFILE_WEIGHT}
   */
  public static ControlledEndpoint of(
      EndpointId endpoint,
      Set<IpAddress> destinations,
      OptionalLong floorBitsPerSecond,
      double weight) {
    return of(endpoint, destinations, floorBitsPerSecond, weight, 1);
  }

  /**
   * One whose destinations share what it is due.
   *
   * @param pairPart above 0, at most 1
   */
  public static ControlledEndpoint of(
      EndpointId endpoint,
      Set<IpAddress> destinations,
      OptionalLong floorBitsPerSecond,
      double weight,
      double pairPart) {
    return new AutoValue_ControlledEndpoint(
        endpoint, Set.copyOf(destinations), floorBitsPerSecond, weight, pairPart);
  }

  public abstract EndpointId endpoint();

  public abstract Set<IpAddress> destinations();

  /**
   * What the guarantees of both ends (hose model) leave to the endpoint's active pairs through the
   * port, together, bit/s. Absent: its host spreads its own guarantee over its destinations.
   */
  public abstract OptionalLong floorBitsPerSecond();

  /**
   * What the endpoint weighs at the port, where its tenant's share there is divided among siblings
   * that demand more and siblings that do not; {@link #PROFILE_WEIGHT} elsewhere.
   */
  public abstract double weight();

  /**
   * What part of the endpoint's share at the port each of its destinations that wants more is due,
   * above 0, at most 1: a destination obeys the port where that comes to least.
   */
  public abstract double pairPart();
}
