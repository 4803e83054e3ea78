// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;

/**
 * Names a crossing as it is published to hosts: endpoint, destinations behind the port, floor and
 * weight.
 */
public final class PublishedEndpoints {
  private final EngineState state;

  public PublishedEndpoints(EngineState state) {
    this.state = state;
  }

  /** The same object as before, unless the destinations, the floor or the weight have changed. */
  ControlledEndpoint of(int crossing) {
    CrossingTable crossings = state.crossings;
    if (crossings.published[crossing] == null) {
      long floor = crossings.floorBitsPerSecond(crossing);
      crossings.published[crossing] =
          ControlledEndpoint.of(
              state.endpoints.id[crossings.endpoint[crossing]],
              destinations(crossing),
              floor == 0 ? OptionalLong.empty() : OptionalLong.of(floor),
              crossings.weight(crossing),
              crossings.pairPart(crossing));
    }
    return crossings.published[crossing];
  }

  private Set<IpAddress> destinations(int crossing) {
    Set<IpAddress> result = new HashSet<>();
    CrossingTable crossings = state.crossings;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      result.add(state.addresses.ip[state.pairs.destinationAddress[pair]]);
    }
    return result;
  }
}
