// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/**
 * What guarantees amount to at a port, in the hose model: a pair's floor is the lesser of its
 * source's guarantee over the source's active destinations and its destination's guarantee over the
 * destination's active senders. A destination without a guarantee does not bound the pair: "none"
 * promises nothing about what may arrive, it does not forbid it.
 */
final class Floors {
  private final EngineState state;
  private final Reservations reservations;

  Floors(EngineState state, Reservations reservations) {
    this.state = state;
    this.reservations = reservations;
  }

  /**
   * The floor of a crossing's endpoint at the crossing's port with what is reserved for it there,
   * bit/s.
   */
  double floor(int crossing) {
    CrossingTable crossings = state.crossings;
    return guaranteed(crossing)
        + reservations.of(
            state.endpoints.id[crossings.endpoint[crossing]],
            state.ports.id[crossings.port[crossing]]);
  }

  /** What guarantees of active endpoints amount to at a port, bit/s. */
  double guaranteedAt(int port) {
    double sum = 0;
    CrossingTable crossings = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      sum += crossings.activePairs[c] > 0 ? guaranteed(c) : 0;
    }
    return sum;
  }

  /** The floor that guarantees alone give, bit/s. */
  private double guaranteed(int crossing) {
    int endpoint = state.crossings.endpoint[crossing];
    long guarantee = state.endpoints.guaranteeBitsPerSecond[endpoint];
    if (guarantee == 0) {
      return 0;
    }
    double outgoing = (double) guarantee / state.endpoints.activePairs[endpoint];
    double sum = 0;
    CrossingTable crossings = state.crossings;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      if (state.pairs.isActive(pair)) {
        double floor = Math.min(outgoing, incoming(state.pairs.destinationAddress[pair]));
        sum += floor * crossings.entryFraction16[e] / PathTable.WHOLE;
      }
    }
    return sum;
  }

  private double incoming(int destination) {
    int receiver = state.addresses.holder[destination];
    long guarantee =
        receiver == AddressTable.NONE ? 0 : state.endpoints.guaranteeBitsPerSecond[receiver];
    return guarantee == 0
        ? Double.POSITIVE_INFINITY
        : (double) guarantee / state.addresses.activeSenders[destination];
  }
}
