// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.HostId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.engine.law.SdnGccLaw;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.time.SmoothedRate;

/**
 * The endpoints that are active through a port under control. Who they are is gathered anew when
 * that changes; what each gets through, a sum of rates smoothed over {@link
 * SmoothedRate#WINDOW_NANOS}, every {@link #RATE_NANOS}.
 */
final class PortSources {
  /** Who begins or ceases to wait is seen so soon, ns. */
  static final long RATE_NANOS = 5_000_000L;

  private static final int SPREAD = 8;

  private final int port;
  private final PortPairs pairs;
  private int activityVersion = -1;
  private int entriesVersion = -1;
  private int membershipVersion = -1;
  private int nicVersion = -1;
  private long ratedAt;
  private int size;
  private double totalRate;
  private double leastFraction;
  private boolean areBoundsOfNow;

  // By source:
  private int[] index = {};
  private int[] crossing = {};
  private int[] endpoint = {};
  private HostId[] host = {};
  private ControlledEndpoint[] published = {};
  private double[] weight = {};
  private double[] rate = {};
  private double[] part = {};
  private double[] demand = {};
  private boolean[] waits = {};
  private long[] bound = {};

  /** By entry of {@link #pairs}: what of its pair gets through the port, bit/s. */
  private double[] through = {};

  PortSources(int port, PortPairs pairs) {
    this.port = port;
    this.pairs = pairs;
  }

  /**
   * Follows the tables; reads all rates if these are to be of now.
   *
   * @return whether rates were read
   */
  boolean update(EngineState state, PublishedEndpoints endpoints, long now, boolean ratesOfNow) {
    boolean changed =
        activityVersion != state.ports.activityVersion[port]
            || membershipVersion != state.ports.membershipVersion[port]
            || nicVersion != state.nicVersion;
    if (changed) {
      pairs.update(state);
      if (isOther(state)) {
        entriesVersion = state.ports.entriesVersion[port];
        gather(state);
      }
      for (int i = 0; i < size; i++) {
        published[i] = endpoints.of(crossing[i]);
      }
      activityVersion = state.ports.activityVersion[port];
      membershipVersion = state.ports.membershipVersion[port];
      nicVersion = state.nicVersion;
    }
    if (changed || ratesOfNow || now - ratedAt >= RATE_NANOS) {
      // Not all ports at once.
      ratedAt = changed ? now - RATE_NANOS / SPREAD * (port % SPREAD) : now;
      measure(state);
      return true;
    }
    return false;
  }

  /** Whether its endpoints or one of their profiles have changed, not only what is published. */
  private boolean isOther(EngineState state) {
    return activityVersion != state.ports.activityVersion[port]
        || entriesVersion != state.ports.entriesVersion[port];
  }

  private void gather(EngineState state) {
    ensure(state.ports.activeEndpoints[port]);
    size = 0;
    leastFraction = 1;
    for (int i = 0; i < pairs.size(); i++) {
      int c = pairs.crossing(i);
      if (pairs.hasActive(i)) {
        int row = pairs.endpoint(i);
        index[size] = i;
        crossing[size] = c;
        endpoint[size] = row;
        host[size] = state.hosts.id[state.endpoints.host[row]];
        weight[size] = state.endpoints.weightMicros[row] / EndpointTable.MICROS;
        leastFraction = Math.min(leastFraction, pairs.meanFraction(i));
        size++;
      }
    }
  }

  private void ensure(int count) {
    if (weight.length < count) {
      int length = Math.max(count, 2 * weight.length);
      index = new int[length];
      crossing = new int[length];
      endpoint = new int[length];
      host = new HostId[length];
      published = new ControlledEndpoint[length];
      weight = new double[length];
      rate = new double[length];
      part = new double[length];
      demand = new double[length];
      waits = new boolean[length];
      bound = new long[length];
    }
    if (through.length < pairs.entries()) {
      through = new double[Math.max(pairs.entries(), 2 * through.length)];
    }
  }

  private void measure(EngineState state) {
    fetchRates(state.pairs);
    totalRate = 0;
    for (int i = 0; i < size; i++) {
      double sum = 0;
      double wanted = 0;
      boolean waiting = false;
      for (int e = pairs.firstEntry(index[i]); e < pairs.firstEntry(index[i] + 1); e++) {
        sum += through[e];
        wanted += Demands.at(state, pairs.pair(e), crossing[i]) * pairs.fractions()[e];
        waiting |= state.pairs.waits(pairs.pair(e));
      }
      demand[i] = wanted;
      waits[i] = waiting;
      rate[i] = sum;
      totalRate += sum;
    }
    for (int i = 0; i < size; i++) {
      part[i] = totalRate > 0 ? rate[i] / totalRate : 1.0 / size;
    }
    areBoundsOfNow = false;
  }

  /** In a loop of its own: the rows of pairs lie anywhere, and many are waited for side by side. */
  private void fetchRates(PairTable rates) {
    for (int e = 0; e < pairs.entries(); e++) {
      through[e] = rates.rateBitsPerSecond(pairs.pair(e)) * pairs.fractions()[e];
    }
  }

  private long bound(EngineState state, int source) {
    int row = endpoint[source];
    int at = state.endpoints.host[row];
    long nic = state.hosts.nicBitsPerSecond[at];
    double value =
        SdnGccLaw.recoveryBound(
            nic > 0 ? nic : state.ports.capacityBitsPerSecond[port],
            weight[source],
            state.hosts.activeWeightMicros[at] / EndpointTable.MICROS,
            state.endpoints.guaranteeBitsPerSecond[row],
            state.endpoints.ceilingBitsPerSecond[row]);
    return Math.max(1, Math.round(value));
  }

  int size() {
    return size;
  }

  /** Row in {@link EndpointTable}. */
  int endpoint(int source) {
    return endpoint[source];
  }

  int crossing(int source) {
    return crossing[source];
  }

  HostId host(int source) {
    return host[source];
  }

  /** The endpoint and its destinations, as published to its host. */
  ControlledEndpoint published(int source) {
    return published[source];
  }

  /** E, up to which the source may recover under SDN-GCC; as old as the rates are. */
  long boundBitsPerSecond(EngineState state, int source) {
    if (!areBoundsOfNow) {
      for (int i = 0; i < size; i++) {
        bound[i] = bound(state, i);
      }
      areBoundsOfNow = true;
    }
    return bound[source];
  }

  /** The least part of somebody's traffic that is expected here: 1 where all paths are known. */
  double leastFraction() {
    return leastFraction;
  }

  /** Whether one of its pairs waits for its limit, as of the last rates. */
  boolean waits(int source) {
    return waits[source];
  }

  /** What its pairs demand of the port ({@link org.sluice.engine.law.Demand}), bit/s. */
  double demandBitsPerSecond(int source) {
    return demand[source];
  }

  int port() {
    return port;
  }

  /** Its part of what all of them get through. */
  double part(int source) {
    return part[source];
  }

  /** What all of them get through, bit/s. */
  double totalRate() {
    return totalRate;
  }

  /** Weights by source; only the first {@link #size} count, and are not to be changed. */
  double[] weights() {
    return weight;
  }

  /**
   * What of each gets through the port, bit/s, likewise. Not what its VM offers: a flood would be
   * charged with what the shim has refused already, and cut until nothing is left.
   */
  double[] rates() {
    return rate;
  }
}
