// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.Notice;
import org.sluice.engine.EngineStatistics.Figure;

/**
 * Tells sources of marks: {@link SdnGccLaw}'s parts of them, or, under Sluice's law, the part of a
 * port's packets that is marked, where receivers do not tell.
 */
final class NoticeSender {
  /** A receiver's host is waited for so long after a pair's first bytes, ns. */
  private static final long FIRST_REPORT_NANOS = 100_000_000L;

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
      send(port, crossingOf[i], weights[i], parts[i], 0, parameters.controlPeriodNanos());
    }
    return beta;
  }

  /**
   * Tells the sources that are active through the port of its marked part F, the same to all: of
   * each one's packets in a T_i, so many are reckoned marked.
   *
   * @param packetsPerSecond what passes through the port
   * @param deafAlone only sources with a pair whose receiver does not tell
   * @return how many sources were told
   */
  int tell(
      int port,
      double markedPart,
      double packetsPerSecond,
      boolean deafAlone,
      long periodNanos,
      long now) {
    int count = collect(port, now, periodNanos);
    double total = 0;
    for (int i = 0; i < count; i++) {
      total += rates[i];
    }
    double packets = packetsPerSecond * periodNanos / 1e9;
    int told = 0;
    for (int i = 0; i < count; i++) {
      if (!deafAlone || hasDeafPair(crossingOf[i], now)) {
        double share = total > 0 ? rates[i] / total : 1.0 / count;
        double own = Math.max(1, packets * share);
        send(port, crossingOf[i], weights[i], markedPart * own, own, periodNanos);
        told++;
      }
    }
    return told;
  }

  /** Whether some receiver behind the port does not tell of what arrives. */
  boolean hasDeafPairs(int port, long now) {
    CrossingTable crossings = world.crossings;
    for (int c = world.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0 && hasDeafPair(c, now)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasDeafPair(int crossing, long now) {
    CrossingTable crossings = world.crossings;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      if (world.pairs.isActive(pair)
          && world.pairs.heardUntil(pair, PairTable.RECEIVER) < now
          && !isTold(pair, now)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the receiver's host tells what arrives, or may have had no time to. If it tells, and
   * says nothing of a pair, nothing has arrived: notices would cut a source whose packets were
   * lost.
   */
  private boolean isTold(int pair, long now) {
    int receiver = world.addresses.holder[world.pairs.destinationAddress[pair]];
    return receiver != AddressBook.NOBODY
        && (world.hosts.heardUntil[world.endpoints.host[receiver]] >= now
            || now - world.pairs.activeSince(pair) < FIRST_REPORT_NANOS);
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

  private void send(
      int port, int crossing, double weight, double marks, double packets, long periodNanos) {
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
            destinations,
            packets));
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
