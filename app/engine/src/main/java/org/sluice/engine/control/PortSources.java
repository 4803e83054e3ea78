// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.api.HostId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.engine.law.SdnGccLaw;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PathTable;
import org.sluice.engine.time.SmoothedRate;

/**
 * The endpoints that are active through a port under control, side by side: the tables chain them
 * up, and to follow the chains in every period costs far more than to tell the sources. Who they
 * are is gathered anew when that changes; what each gets through, a sum of rates smoothed over
 * {@link SmoothedRate#WINDOW_NANOS}, every {@link #RATE_NANOS}.
 */
final class PortSources {
  /** As often as rates of silent pairs fade. */
  static final long RATE_NANOS = 40_000_000L;

  private static final int SPREAD = 8;

  private final int port;
  private int activityVersion = -1;
  private int membershipVersion = -1;
  private int nicVersion = -1;
  private long ratedAt;
  private int size;

  // By source:
  private int[] crossing = {};
  private int[] endpoint = {};
  private HostId[] host = {};
  private ControlledEndpoint[] told = {};
  private double[] weight = {};
  private double[] rate = {};
  private double[] part = {};
  private long[] bound = {};

  // By entry of a source's crossing, source by source:
  private int[] firstEntry = {};
  private int entries;
  private int[] pair = {};
  private int[] fraction16 = {};

  /** What of the pair gets through the port, bit/s. */
  private double[] through = {};

  PortSources(int port) {
    this.port = port;
  }

  /** Follows the tables; asks for all rates if these are to be of now. */
  void update(EngineState world, PublishedEndpoints names, long now, boolean ratesOfNow) {
    boolean changed =
        activityVersion != world.ports.activityVersion[port]
            || membershipVersion != world.ports.membershipVersion[port]
            || nicVersion != world.nicVersion;
    if (changed) {
      activityVersion = world.ports.activityVersion[port];
      membershipVersion = world.ports.membershipVersion[port];
      nicVersion = world.nicVersion;
      gather(world, names);
    }
    if (changed || ratesOfNow || now - ratedAt >= RATE_NANOS) {
      // Not all ports at once.
      ratedAt = changed ? now - RATE_NANOS / SPREAD * (port % SPREAD) : now;
      measure(world);
    }
  }

  private void gather(EngineState world, PublishedEndpoints names) {
    ensureSources(world.ports.activeEndpoints[port]);
    CrossingTable crossings = world.crossings;
    size = 0;
    entries = 0;
    for (int c = world.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0) {
        int row = crossings.endpoint[c];
        crossing[size] = c;
        endpoint[size] = row;
        host[size] = world.hosts.id[world.endpoints.host[row]];
        told[size] = names.of(c);
        weight[size] = world.endpoints.weightMicros[row] / EndpointTable.MICROS;
        firstEntry[size] = entries;
        gatherEntries(crossings, c);
        size++;
      }
    }
    firstEntry[size] = entries;
  }

  private void gatherEntries(CrossingTable crossings, int c) {
    for (int e = crossings.firstEntry[c]; e >= 0; e = crossings.nextOfCrossing[e]) {
      if (entries == pair.length) {
        pair = Arrays.copyOf(pair, Math.max(64, 2 * entries));
        fraction16 = Arrays.copyOf(fraction16, pair.length);
        through = new double[pair.length];
      }
      pair[entries] = crossings.entryPair[e];
      fraction16[entries] = crossings.entryFraction16[e];
      entries++;
    }
  }

  private void ensureSources(int count) {
    if (weight.length < count) {
      int length = Math.max(count, 2 * weight.length);
      crossing = new int[length];
      endpoint = new int[length];
      host = new HostId[length];
      told = new ControlledEndpoint[length];
      weight = new double[length];
      rate = new double[length];
      part = new double[length];
      bound = new long[length];
      firstEntry = new int[length + 1];
    }
    if (firstEntry.length == 0) {
      firstEntry = new int[1];
    }
  }

  private void measure(EngineState world) {
    fetchRates(world.pairs);
    double totalRate = 0;
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int e = firstEntry[i]; e < firstEntry[i + 1]; e++) {
        sum += through[e];
      }
      rate[i] = sum;
      totalRate += sum;
    }
    for (int i = 0; i < size; i++) {
      part[i] = totalRate > 0 ? rate[i] / totalRate : 1.0 / size;
    }
    for (int i = 0; i < size; i++) {
      bound[i] = bound(world, i);
    }
  }

  /** In a loop of its own: the rows of pairs lie anywhere, and many are waited for side by side. */
  private void fetchRates(PairTable pairs) {
    for (int e = 0; e < entries; e++) {
      through[e] = (double) pairs.rateBitsPerSecond(pair[e]) * fraction16[e] / PathTable.WHOLE;
    }
  }

  /** E, up to which the source may recover under the paper's law. */
  private long bound(EngineState world, int source) {
    int row = endpoint[source];
    int at = world.endpoints.host[row];
    long nic = world.hosts.nicBitsPerSecond[at];
    double value =
        SdnGccLaw.recoveryBound(
            nic > 0 ? nic : world.ports.capacityBitsPerSecond[port],
            weight[source],
            world.hosts.activeWeightMicros[at] / EndpointTable.MICROS,
            world.endpoints.guaranteeBitsPerSecond[row],
            world.endpoints.ceilingBitsPerSecond[row]);
    return Math.max(1, Math.round(value));
  }

  int size() {
    return size;
  }

  int crossing(int source) {
    return crossing[source];
  }

  HostId host(int source) {
    return host[source];
  }

  /** The endpoint and its destinations, as its host is told of it. */
  ControlledEndpoint told(int source) {
    return told[source];
  }

  long boundBitsPerSecond(int source) {
    return bound[source];
  }

  /** Its part of what all of them get through. */
  double part(int source) {
    return part[source];
  }

  /** Weights by source; only the first {@link #size} count, and nobody may change them. */
  double[] weights() {
    return weight;
  }

  /**
   * What of each gets through the port, bit/s, likewise. Not what its VM offers: a flood would be
   * blamed for what the shim has refused already, and cut until nothing is left.
   */
  double[] rates() {
    return rate;
  }
}
