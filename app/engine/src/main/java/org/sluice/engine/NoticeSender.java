// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.Notice;
import org.sluice.engine.EngineStatistics.Figure;

/** Applies {@link SdnGccLaw} to ports with new marks and tells their sources. */
final class NoticeSender {
  private final World world;
  private final Traffic traffic;
  private final DecisionSink sink;
  private final ToldEndpoints told;
  private int[] crossingOf = new int[64];
  private double[] rates = new double[64];
  private double[] weights = new double[64];
  private double[] parts = new double[64];

  NoticeSender(World world, Traffic traffic, DecisionSink sink, ToldEndpoints told) {
    this.world = world;
    this.traffic = traffic;
    this.sink = sink;
    this.told = told;
  }

  /**
   * Sends one notice to each source that is active through the port.
   *
   * @return to how many
   */
  int tick(int port, EngineParameters parameters, long now) {
    int beta = collect(port, now, parameters.controlPeriodNanos());
    if (beta == 0) {
      return 0;
    }
    SdnGccLaw.divide(parameters.split(), world.ports.marks[port], beta, rates, weights, parts);
    for (int i = 0; i < beta; i++) {
      send(port, crossingOf[i], weights[i], parts[i], parameters.controlPeriodNanos());
    }
    return beta;
  }

  private int collect(int port, long now, long controlPeriodNanos) {
    ensureScratch(world.ports.activeEndpoints[port]);
    CrossingTable crossings = world.crossings;
    int beta = 0;
    for (int c = world.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0) {
        crossingOf[beta] = c;
        weights[beta] = world.endpoints.weightMicros[crossings.endpoint[c]] / EndpointTable.MICROS;
        rates[beta] = rate(c, now, controlPeriodNanos);
        beta++;
      }
    }
    return beta;
  }

  /**
   * What an endpoint gets through the port. Not what its VM offers: a flood would be blamed for
   * what the shim has refused already, and cut until nothing is left.
   */
  private double rate(int crossing, long now, long controlPeriodNanos) {
    CrossingTable crossings = world.crossings;
    double sum = 0;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      sum +=
          (double) traffic.passedBitsPerSecond(crossings.entryPair[e], now, controlPeriodNanos)
              * crossings.entryFraction16[e]
              / 65536;
    }
    return sum;
  }

  private void send(int port, int crossing, double weight, double marks, long periodNanos) {
    int endpoint = world.crossings.endpoint[crossing];
    int host = world.endpoints.host[endpoint];
    long capacity = world.ports.capacityBitsPerSecond[port];
    long nic = world.hosts.nicBitsPerSecond[host];
    double bound =
        SdnGccLaw.recoveryBound(
            nic > 0 ? nic : capacity,
            weight,
            world.hosts.activeWeightMicros[host] / EndpointTable.MICROS,
            world.endpoints.guaranteeBitsPerSecond[endpoint],
            world.endpoints.ceilingBitsPerSecond[endpoint]);
    ControlledEndpoint known = told.of(crossing);
    EndpointId id = known.endpoint();
    Set<IpAddress> destinations = known.destinations();
    sink.notice(
        world.hosts.id[host],
        Notice.of(
            world.ports.id[port],
            id,
            marks,
            periodNanos,
            Math.max(1, Math.round(bound)),
            capacity,
            destinations));
    world.counters.increment(Figure.NOTICES_SENT);
  }

  private void ensureScratch(int count) {
    if (weights.length < count) {
      int size = Math.max(count, 2 * weights.length);
      crossingOf = new int[size];
      rates = new double[size];
      weights = new double[size];
      parts = new double[size];
    }
  }
}
