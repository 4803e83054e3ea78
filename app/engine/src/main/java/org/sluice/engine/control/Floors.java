// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.sluice.api.TenantId;
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
    return guaranteed(crossing) + reserved(crossing);
  }

  /** What is reserved for a crossing's endpoint at its port, bit/s. */
  double reserved(int crossing) {
    CrossingTable crossings = state.crossings;
    return reservations.of(
        state.endpoints.id[crossings.endpoint[crossing]], state.ports.id[crossings.port[crossing]]);
  }

  /** What guarantees of active endpoints and tenants amount to at a port, bit/s. */
  double guaranteedAt(int port) {
    double sum = 0;
    CrossingTable crossings = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      sum += crossings.activePairs[c] > 0 ? guaranteed(c) + guaranteedByTenant(c) : 0;
    }
    return sum;
  }

  /** Who of those active through a port has a floor there, by id. */
  List<TenantId> tenantsAt(int port) {
    SortedSet<TenantId> tenants = new TreeSet<>();
    CrossingTable crossings = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0 && floor(c) + guaranteedByTenant(c) > 0) {
        tenants.add(state.tenants.id[state.endpoints.tenant[crossings.endpoint[c]]]);
      }
    }
    return new ArrayList<>(tenants);
  }

  /** A crossing's part of the floor that its tenant has at the port, bit/s. */
  double guaranteedByTenant(int crossing) {
    int tenant = state.endpoints.tenant[state.crossings.endpoint[crossing]];
    if (!state.tenants.isShared[tenant]) {
      return 0;
    }
    return hose(
        crossing, state.tenants.guaranteeBitsPerSecond[tenant], state.tenants.activePairs[tenant]);
  }

  /** The floor that guarantees alone give, bit/s. */
  private double guaranteed(int crossing) {
    int endpoint = state.crossings.endpoint[crossing];
    return hose(
        crossing,
        state.endpoints.guaranteeBitsPerSecond[endpoint],
        state.endpoints.activePairs[endpoint]);
  }

  private double hose(int crossing, long guarantee, int activePairs) {
    if (guarantee == 0) {
      return 0;
    }
    double outgoing = (double) guarantee / activePairs;
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
    if (receiver == AddressTable.NONE) {
      return Double.POSITIVE_INFINITY;
    }
    int tenant = state.endpoints.tenant[receiver];
    double ofTenant =
        part(state.tenants.guaranteeBitsPerSecond[tenant], state.tenants.activeSenders[tenant]);
    double ofEndpoint =
        part(
            state.endpoints.guaranteeBitsPerSecond[receiver],
            state.addresses.activeSenders[destination]);
    return Math.min(ofTenant, ofEndpoint);
  }

  private static double part(long guarantee, int senders) {
    return guarantee == 0 ? Double.POSITIVE_INFINITY : (double) guarantee / Math.max(1, senders);
  }
}
