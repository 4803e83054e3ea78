// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.HashSet;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;

/** Names a crossing as hosts hear of it: the endpoint and its destinations behind the port. */
final class ToldEndpoints {
  private final World world;

  ToldEndpoints(World world) {
    this.world = world;
  }

  /** The same object as before, unless the destinations have changed. */
  ControlledEndpoint of(int crossing) {
    CrossingTable crossings = world.crossings;
    if (crossings.told[crossing] == null) {
      crossings.told[crossing] =
          ControlledEndpoint.of(
              world.endpoints.id[crossings.endpoint[crossing]], destinations(crossing));
    }
    return crossings.told[crossing];
  }

  private Set<IpAddress> destinations(int crossing) {
    Set<IpAddress> result = new HashSet<>();
    CrossingTable crossings = world.crossings;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      result.add(world.addresses.ip[world.pairs.destinationAddress[pair]]);
    }
    return result;
  }
}
