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

  /** What is reserved for a crossing's endpoint at its port, bit/s. */
  double reserved(int crossing) {
    CrossingTable crossings = state.crossings;
    return reservations.of(
        state.endpoints.id[crossings.endpoint[crossing]], state.ports.id[crossings.port[crossing]]);
  }

  /** Whether anything is reserved at a port: querying each endpoint takes long. */
  boolean hasReservations(int port) {
    return reservations.hasAny(state.ports.id[port]);
  }

  /** What guarantees of active endpoints and tenants amount to at a port, bit/s. */
  double guaranteedAt(int port) {
    PortPairs pairs = pairsOf(port);
    double sum = 0;
    for (int i = 0; i < pairs.size(); i++) {
      boolean isActive = pairs.hasActive(i);
      sum += isActive ? guaranteed(pairs, i) + guaranteedByTenant(pairs, i) : 0;
    }
    return sum;
  }

  /** Calls back with the floor of each endpoint that is active through a port and has one. */
  void forEach(int port, FloorSink sink) {
    PortPairs pairs = pairsOf(port);
    for (int i = 0; i < pairs.size(); i++) {
      if (pairs.hasActive(i)) {
        double floor =
            guaranteed(pairs, i) + reserved(pairs.crossing(i)) + guaranteedByTenant(pairs, i);
        if (floor > 0) {
          sink.floor(state.endpoints.id[pairs.endpoint(i)], floor);
        }
      }
    }
  }

  /** Who of those active through a port has a floor there, by id. */
  List<TenantId> tenantsAt(int port) {
    PortPairs pairs = pairsOf(port);
    SortedSet<TenantId> tenants = new TreeSet<>();
    for (int i = 0; i < pairs.size(); i++) {
      int crossing = pairs.crossing(i);
      if (pairs.hasActive(i)
          && guaranteed(pairs, i) + reserved(crossing) + guaranteedByTenant(pairs, i) > 0) {
        tenants.add(state.tenants.id[state.endpoints.tenant[pairs.endpoint(i)]]);
      }
    }
    return new ArrayList<>(tenants);
  }

  /** Of any port; those under control have theirs at hand. */
  private PortPairs pairsOf(int port) {
    PortPairs pairs = new PortPairs(port);
    pairs.update(state);
    return pairs;
  }

  /**
   * An endpoint's part of the floor that its tenant has at a port, bit/s.
   *
   * @param pairs of the port
   * @param index of the endpoint among them
   */
  double guaranteedByTenant(PortPairs pairs, int index) {
    int tenant = state.endpoints.tenant[pairs.endpoint(index)];
    if (!state.tenants.isShared[tenant]) {
      return 0;
    }
    int endpoint = pairs.endpoint(index);
    long guarantee = state.tenants.guaranteeBitsPerSecond[tenant];
    long wanting = state.tenants.wantingWeightMicros[tenant];
    if (wanting == 0) {
      return hose(pairs, index, (double) guarantee / state.tenants.activePairs[tenant], false);
    }
    int own = state.endpoints.wantingPairs[endpoint];
    double part = (double) guarantee * state.endpoints.weightMicros[endpoint] / wanting;
    return own == 0 ? 0 : hose(pairs, index, part / own, true);
  }

  /** The floor that guarantees of an endpoint's own give, bit/s; as for its tenant's. */
  double guaranteed(PortPairs pairs, int index) {
    int endpoint = pairs.endpoint(index);
    double guarantee = state.endpoints.guaranteeBitsPerSecond[endpoint];
    int wanting = state.endpoints.wantingPairs[endpoint];
    return wanting == 0
        ? hose(pairs, index, guarantee / state.endpoints.activePairs[endpoint], false)
        : hose(pairs, index, guarantee / wanting, true);
  }

  private double hose(PortPairs pairs, int index, double outgoing, boolean byWanting) {
    if (outgoing == 0) {
      return 0;
    }
    double sum = 0;
    for (int e = pairs.firstEntry(index); e < pairs.firstEntry(index + 1); e++) {
      if (pairs.isActive(e) && (!byWanting || state.pairs.wantsFloor[pairs.pair(e)])) {
        double floor = Math.min(outgoing, incoming(pairs.destination(e)));
        sum += floor * pairs.fractions()[e];
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
        part(state.tenants.guaranteeBitsPerSecond[tenant], state.tenants.wantingSenders[tenant]);
    double ofEndpoint =
        part(
            state.endpoints.guaranteeBitsPerSecond[receiver],
            state.addresses.wantingSenders[destination]);
    return Math.min(ofTenant, ofEndpoint);
  }

  private static double part(long guarantee, int senders) {
    return guarantee == 0 ? Double.POSITIVE_INFINITY : (double) guarantee / Math.max(1, senders);
  }
}
