// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Optional;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/**
 * Looks up what single endpoints may send, for those whose hosts cannot be told. Receivers' hosts
 * report what arrives, so that it follows also when the endpoint's own agent is away.
 */
public final class EndpointShares {
  private static final int NONE = -1;

  private final EngineState state;
  private final ControlledPorts control;

  public EndpointShares(EngineState state, ControlledPorts control) {
    this.state = state;
    this.control = control;
  }

  /**
   * What holds for an endpoint that is known, by its row.
   *
   * @param byShares whether ports under control have unit shares now
   */
  public EndpointShare of(int endpoint, boolean byShares) {
    long held = state.heldBitsPerSecond(endpoint);
    int least = byShares ? leastCrossing(endpoint) : NONE;
    if (least == NONE) {
      return new EndpointShare(
          held,
          Optional.empty(),
          EndpointShare.UNBOUNDED,
          state.endpoints.deliveredBitsPerSecond[endpoint]);
    }
    CrossingTable crossings = state.crossings;
    return new EndpointShare(
        held,
        Optional.of(state.ports.id[crossings.port[least]]),
        Math.max(1, Math.round(crossings.partBitsPerSecond(least))),
        taken(least));
  }

  /** The crossing of a port under control that leaves it least, or {@link #NONE}. */
  private int leastCrossing(int endpoint) {
    CrossingTable crossings = state.crossings;
    int least = NONE;
    int pair = state.endpoints.firstPair[endpoint];
    for (; pair >= 0; pair = state.pairs.nextOfEndpoint[pair]) {
      for (int e = state.pairs.firstEntry[pair]; e >= 0; e = crossings.nextOfPair[e]) {
        int crossing = crossings.entryCrossing[e];
        double part = crossings.partBitsPerSecond(crossing);
        if (part > 0
            && control.find(crossings.port[crossing]) != null
            && (least == NONE || part < crossings.partBitsPerSecond(least))) {
          least = crossing;
        }
      }
    }
    return least;
  }

  private long taken(int crossing) {
    CrossingTable crossings = state.crossings;
    double sum = 0;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      if (state.pairs.isActive(pair)) {
        double fraction = crossings.entryFraction16[e] / (double) PathTable.WHOLE;
        sum += state.pairs.rateBitsPerSecond(pair) * fraction;
      }
    }
    return Math.round(sum);
  }
}
