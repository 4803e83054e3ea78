// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.law.Demand;
import org.sluice.engine.law.TwoTimeScaleLaw;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;

/**
 * What a port comes to for everybody who is active through it: {@link TwoTimeScaleLaw}'s level
 * among tenants, and the same again within each tenant's share. A tenant whose endpoints do not
 * share is as many tenants as it has endpoints. What an endpoint does not use is its siblings'
 * first: the tenant's demand is the sum of its endpoints'.
 *
 * <p>One instance per thread: it keeps scratch space.
 */
final class PortLevels {
  /** Who wants more than this part of what its weight gives it may need a floor. */
  private static final double NEAR_WEIGHT = 0.9;

  /** For so long one that used its part may be kept from it by one that nobody holds yet, ns. */
  static final long USED_NANOS = 5_000_000_000L;

  /**
   * What part of a port shares come to: less than all, so that at rest its queue is empty and
   * nothing is marked (HPCC's eta; Li et al., SIGCOMM 2019, section 3).
   */
  static final double USED_PART = 0.985;

  private final EngineState state;
  private final Floors floors;
  private final PairShares pairShares;
  private final TwoTimeScaleLaw law = new TwoTimeScaleLaw();
  private int size;
  private int groups;
  private double unitShare;
  private double activeWeight;
  private double totalFloor;
  private double floorScale = 1;
  private double unclaimed;
  private boolean partsMoved;
  private boolean hasReservations;
  private PortPairs pairs;

  // By endpoint, those of one tenant side by side:
  private int[] index = new int[64];
  private int[] crossing = new int[64];
  private int[] groupOf = new int[64];
  private int[] order = new int[64];
  private double[] fraction = new double[64];
  private double[] weight = new double[64];
  private double[] reserved = new double[64];
  private double[] floor = new double[64];
  private double[] ceiling = new double[64];
  private double[] demand = new double[64];

  // By group, a tenant that shares or one endpoint:
  private int[] start = new int[65];
  private int[] next = new int[64];
  private double[] groupWeight = new double[64];
  private double[] groupFloor = new double[64];
  private double[] groupCeiling = new double[64];
  private double[] groupDemand = new double[64];

  // Of one group:
  private double[] ownWeight = new double[64];
  private double[] ownFloor = new double[64];
  private double[] ownCeiling = new double[64];
  private double[] ownDemand = new double[64];

  /** By row of a tenant: its group at the port that is evaluated, or -1. */
  private int[] groupOfTenant = {};

  PortLevels(EngineState state, Floors floors) {
    this.state = state;
    this.floors = floors;
    this.pairShares = new PairShares(state);
  }

  /**
   * Computes a port's level, and what every endpoint active through it may send ({@link
   * CrossingTable#partBitsPerSecond}).
   *
   * @param pairsOfPort follow the tables here
   * @return whether anybody is active through it
   */
  boolean compute(int port, PortPairs pairsOfPort) {
    pairs = pairsOfPort;
    pairs.update(state);
    gather(port);
    if (size == 0) {
      return false;
    }
    double capacity = USED_PART * state.ports.capacityBitsPerSecond[port];
    partsMoved = false;
    hasReservations = floors.hasReservations(port);
    sumGroups();
    floorScale =
        TwoTimeScaleLaw.floorScale(state.ports.capacityBitsPerSecond[port], groups, groupFloor);
    unitShare =
        law.unitShare(
            capacity, floorScale, groups, groupWeight, groupFloor, groupCeiling, groupDemand);
    unclaimed = capacity;
    for (int group = 0; group < groups; group++) {
      divide(group);
    }
    return true;
  }

  /**
   * What one endpoint that is active through a port, and that nobody holds to it, is due there. It
   * takes from others, who then seem to demand no more than it leaves: so those count as wanting
   * all that they may have who used their parts lately, or began to send.
   *
   * @param pairsOfPort follow the tables here
   * @param crossingOfOne of the endpoint and the port
   * @param weightFactor what its tenant's weight is multiplied by; 1: as it is
   * @return nothing if it is not active
   */
  Due dueOf(int port, PortPairs pairsOfPort, int crossingOfOne, double weightFactor, long now) {
    pairs = pairsOfPort;
    pairs.update(state);
    gather(port);
    int group = -1;
    for (int i = 0; i < size; i++) {
      group = crossing[i] == crossingOfOne ? groupOf[i] : group;
    }
    if (group < 0) {
      return Due.NOTHING;
    }
    double capacity = USED_PART * state.ports.capacityBitsPerSecond[port];
    hasReservations = floors.hasReservations(port);
    sumGroups();
    scaleWeights(state.endpoints.tenant[state.crossings.endpoint[crossingOfOne]], weightFactor);
    assumeDemands(crossingOfOne, now);
    double scale =
        TwoTimeScaleLaw.floorScale(state.ports.capacityBitsPerSecond[port], groups, groupFloor);
    double level =
        law.unitShare(capacity, scale, groups, groupWeight, groupFloor, groupCeiling, groupDemand);
    double share = groupShare(group, scale, level);
    int first = start[group];
    int count = start[group + 1] - first;
    fetchOwn(first, count);
    double ownScale = Math.min(scale, TwoTimeScaleLaw.fitting(share, count, ownFloor));
    double ownLevel =
        law.unitShare(share, ownScale, count, ownWeight, ownFloor, ownCeiling, ownDemand);
    for (int at = first; at < first + count; at++) {
      if (crossing[order[at]] == crossingOfOne) {
        double byWeight = Math.min(ceiling[at], weight[at] * ownLevel);
        double due = Math.max(byWeight, Math.min(ceiling[at], floor[at] * ownScale));
        double withoutFloor = Math.min(1, groupWeight[group] * level / share);
        return new Due(due / fraction[at], byWeight * withoutFloor / fraction[at]);
      }
    }
    return Due.NOTHING;
  }

  private void scaleWeights(int tenant, double factor) {
    for (int group = 0; group < groups; group++) {
      if (state.endpoints.tenant[pairs.endpoint(index[order[start[group]]])] == tenant) {
        groupWeight[group] *= factor;
      }
    }
  }

  private void assumeDemands(int crossingOfOne, long now) {
    for (int group = 0; group < groups; group++) {
      groupDemand[group] = 0;
      for (int at = start[group]; at < start[group + 1]; at++) {
        int row = crossing[order[at]];
        long usedAt = state.crossings.usedAt(row);
        if (row == crossingOfOne
            || usedAt == CrossingTable.NOT_LOOKED_AT
            || now - usedAt < USED_NANOS) {
          demand[at] = Double.POSITIVE_INFINITY;
        }
        groupDemand[group] += Math.min(demand[at], ceiling[at]);
      }
    }
  }

  private double groupShare(int group, double scale, double level) {
    double low = groupFloor[group] * scale;
    return Math.min(groupCeiling[group], Math.max(low, groupWeight[group] * level));
  }

  private void fetchOwn(int first, int count) {
    ensureOwn(count);
    System.arraycopy(weight, first, ownWeight, 0, count);
    System.arraycopy(floor, first, ownFloor, 0, count);
    System.arraycopy(ceiling, first, ownCeiling, 0, count);
    System.arraycopy(demand, first, ownDemand, 0, count);
  }

  /** u_p, bit/s. */
  double unitShare() {
    return unitShare;
  }

  /** W_p: of tenants that share, and of other endpoints. */
  double activeWeight() {
    return activeWeight;
  }

  /** What floors come to, before they are scaled, bit/s. */
  double totalFloor() {
    return totalFloor;
  }

  /** What part of their floors all have; 1 unless floors come to too much of the port. */
  double floorScale() {
    return floorScale;
  }

  /** What nobody demands of the port, bit/s; at least 0 but for rounding. */
  double unclaimed() {
    return unclaimed;
  }

  /**
   * Whether what was published of somebody's weight or floor has changed: then so has its part,
   * even where u_p stays, and what it demands at other ports.
   */
  boolean partsMoved() {
    return partsMoved;
  }

  // ---------------------------------------------------------------- who is there

  private void gather(int port) {
    ensure(state.ports.activeEndpoints[port]);
    CrossingTable crossings = state.crossings;
    size = 0;
    groups = 0;
    for (int i = 0; i < pairs.size(); i++) {
      int c = pairs.crossing(i);
      if (pairs.hasActive(i)) {
        index[size] = i;
        crossing[size] = c;
        groupOf[size] = group(state.endpoints.tenant[pairs.endpoint(i)]);
        size++;
      } else {
        forget(c);
      }
    }
    sortByGroup();
    for (int i = 0; i < size; i++) {
      int tenant = state.endpoints.tenant[pairs.endpoint(index[i])];
      groupOfTenant[tenant] = -1;
    }
  }

  /** An idle endpoint has no floor, so that its host finds one for its first packets. */
  private void forget(int row) {
    CrossingTable crossings = state.crossings;
    crossings.setPartBitsPerSecond(row, 0);
    crossings.setDemandBitsPerSecond(row, Demand.GREEDY);
    crossings.setPairLevel(row, Double.POSITIVE_INFINITY);
    crossings.setUsedAt(row, CrossingTable.NOT_LOOKED_AT);
    crossings.triedBitsPerSecond[row] = 0;
    if (crossings.floorBitsPerSecond(row) != 0) {
      crossings.publishFloor(row, 0);
    }
  }

  private int group(int tenant) {
    if (groupOfTenant.length <= tenant) {
      int before = groupOfTenant.length;
      groupOfTenant = Arrays.copyOf(groupOfTenant, Math.max(tenant + 1, 2 * before));
      Arrays.fill(groupOfTenant, before, groupOfTenant.length, -1);
    }
    if (!state.tenants.isShared[tenant]) {
      return groups++;
    }
    if (groupOfTenant[tenant] < 0) {
      groupOfTenant[tenant] = groups++;
    }
    return groupOfTenant[tenant];
  }

  /** Has {@link #order} list the endpoints group by group, each as they came. */
  private void sortByGroup() {
    Arrays.fill(start, 0, groups + 1, 0);
    for (int i = 0; i < size; i++) {
      start[groupOf[i] + 1]++;
    }
    for (int group = 0; group < groups; group++) {
      start[group + 1] += start[group];
    }
    System.arraycopy(start, 0, next, 0, groups);
    for (int i = 0; i < size; i++) {
      order[next[groupOf[i]]++] = i;
    }
  }

  private void sumGroups() {
    activeWeight = 0;
    totalFloor = 0;
    for (int group = 0; group < groups; group++) {
      groupFloor[group] = 0;
      groupCeiling[group] = 0;
      double guaranteed = 0;
      double promised = 0;
      double profileWeight = 0;
      double ownWeights = 0;
      groupDemand[group] = 0;
      for (int at = start[group]; at < start[group + 1]; at++) {
        take(at, order[at]);
        profileWeight += weight[at] / fraction[at];
        ownWeights += weight[at];
        groupFloor[group] += floor[at];
        guaranteed += floors.guaranteedByTenant(pairs, index[order[at]]);
        promised += reserved[at];
        groupCeiling[group] += ceiling[at];
        groupDemand[group] += Math.min(demand[at], ceiling[at]);
      }
      int endpoint = pairs.endpoint(index[order[start[group]]]);
      int tenant = state.endpoints.tenant[endpoint];
      if (state.tenants.isShared[tenant]) {
        double part = ownWeights / profileWeight;
        groupWeight[group] = state.tenants.weight[tenant] * part;
        long most = state.tenants.ceilingBitsPerSecond[tenant];
        if (most > 0) {
          groupCeiling[group] = Math.min(groupCeiling[group], most * part);
        }
        double least = Math.max(groupFloor[group], guaranteed + promised);
        groupFloor[group] = Math.min(least, groupCeiling[group]);
      } else {
        groupWeight[group] = weight[start[group]];
      }
      activeWeight += groupWeight[group];
      totalFloor += groupFloor[group];
    }
  }

  private void take(int at, int source) {
    int row = crossing[source];
    int endpoint = pairs.endpoint(index[source]);
    long most = state.mostBitsPerSecond(endpoint);
    double part = pairs.meanFraction(index[source]);
    fraction[at] = part;
    weight[at] = state.endpoints.weightMicros[endpoint] / EndpointTable.MICROS * part;
    ceiling[at] = most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : most * part;
    reserved[at] = hasReservations ? floors.reserved(row) * part : 0;
    floor[at] = Math.min(ceiling[at], floors.guaranteed(pairs, index[source]) + reserved[at]);
    state.crossings.setWantedBitsPerSecond(row, pairShares.wanted(pairs, index[source]));
    double wanted = state.crossings.wantedBitsPerSecond(row);
    // What is promised is kept free, used or not: the flow needs it at once when it sends.
    demand[at] = Math.max(wanted, reserved[at]);
  }

  // ---------------------------------------------------------------- within a tenant

  private void divide(int group) {
    int first = start[group];
    int count = start[group + 1] - first;
    double low = groupFloor[group] * floorScale;
    double wanted = groupWeight[group] * unitShare;
    double share = groupShare(group, floorScale, unitShare);
    // Where the floor is more, it is the floor that holds: a weight that came to as much would have
    // the host's loop swing about the floor, and never below it.
    double byWeight = Math.min(1, wanted / share);
    fetchOwn(first, count);
    // Of the tenant's share its endpoints' floors may take all, and need no scaling but the port's
    // unless the tenant's ceiling bounds it.
    double ownScale = Math.min(floorScale, TwoTimeScaleLaw.fitting(share, count, ownFloor));
    double level =
        count == 1
            ? share / weight[first]
            : law.unitShare(share, ownScale, count, ownWeight, ownFloor, ownCeiling, ownDemand);
    for (int at = first; at < first + count; at++) {
      double own = floor[at] * ownScale;
      double part = Math.min(ceiling[at], Math.max(own, weight[at] * level));
      int row = crossing[order[at]];
      state.crossings.setPartBitsPerSecond(row, part);
      state.crossings.needsFloor[row] =
          state.crossings.wantedBitsPerSecond(row) > NEAR_WEIGHT * byWeight * weight[at] * level;
      unclaimed -= Math.min(part, demand[at]);
      publishPairPart(at, part);
      // Of the tenant's floor as much as of its share.
      double held = Math.min(part, Math.max(own, low * part / share));
      double whole = byWeight * weight[at] * level / unitShare / fraction[at];
      publish(at, Math.round(held / fraction[at]), whole);
    }
  }

  private void publishPairPart(int at, double part) {
    int row = crossing[order[at]];
    double level = pairShares.level(pairs, index[order[at]], part);
    state.crossings.setPairLevel(row, level);
    double pairPart = Math.min(1, level * fraction[at] / part);
    double change = Math.abs(pairPart - state.crossings.pairPart(row));
    if (change > SharePublisher.NOTICEABLE * pairPart) {
      state.crossings.publishPairPart(row, pairPart);
      partsMoved = true;
    }
  }

  /** An endpoint by itself has its profile's weight; its floor holds beside it. */
  private void publish(int at, long low, double weightAtPort) {
    int row = crossing[order[at]];
    CrossingTable crossings = state.crossings;
    long known = crossings.floorBitsPerSecond(row);
    if (Math.abs(low - known) > SharePublisher.NOTICEABLE * known) {
      crossings.publishFloor(row, low);
      partsMoved = true;
    }
    int tenant = state.endpoints.tenant[pairs.endpoint(index[order[at]])];
    double published = state.tenants.isShared[tenant] ? weightAtPort : 0;
    double before = crossings.weight(row);
    if (Math.abs(published - before) > SharePublisher.NOTICEABLE * before) {
      crossings.publishWeight(row, published);
      partsMoved = true;
    }
  }

  private void ensure(int count) {
    if (crossing.length < count) {
      int length = Math.max(count, 2 * crossing.length);
      index = new int[length];
      crossing = new int[length];
      groupOf = new int[length];
      order = new int[length];
      fraction = new double[length];
      weight = new double[length];
      reserved = new double[length];
      floor = new double[length];
      ceiling = new double[length];
      demand = new double[length];
      start = new int[length + 1];
      next = new int[length];
      groupWeight = new double[length];
      groupFloor = new double[length];
      groupCeiling = new double[length];
      groupDemand = new double[length];
    }
  }

  private void ensureOwn(int count) {
    if (ownWeight.length < count) {
      int length = Math.max(count, 2 * ownWeight.length);
      ownWeight = new double[length];
      ownFloor = new double[length];
      ownCeiling = new double[length];
      ownDemand = new double[length];
    }
  }
}
