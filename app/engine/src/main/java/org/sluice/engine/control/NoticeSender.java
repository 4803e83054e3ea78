// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.law.SdnGccLaw;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Tells sources of marks: {@link SdnGccLaw}'s parts of them, or, under Sluice's law, the part of a
 * port's packets that is marked, where receivers do not tell.
 */
public final class NoticeSender {
  /** A receiver's host is waited for so long after a pair's first bytes, ns. */
  private static final long FIRST_REPORT_NANOS = 100_000_000L;

  private final EngineState world;
  private final DecisionSink sink;
  private final PublishedEndpoints told;
  private final PortNotices draft = new PortNotices();
  private double[] parts = new double[64];

  public NoticeSender(EngineState world, DecisionSink sink, PublishedEndpoints told) {
    this.world = world;
    this.sink = sink;
    this.told = told;
  }

  /**
   * Sends one notice to each source that is active through the port.
   *
   * @return to how many
   */
  public int tick(ControlledPort control, Split split, long periodNanos, long now) {
    PortSources sources = control.sources;
    sources.update(world, told, now, true);
    int beta = sources.size();
    if (beta == 0) {
      return 0;
    }
    if (parts.length < beta) {
      parts = new double[2 * beta];
    }
    SdnGccLaw.divide(
        split, world.ports.marks[control.port], beta, sources.rates(), sources.weights(), parts);
    begin(control, periodNanos);
    for (int i = 0; i < beta; i++) {
      send(sources, i, parts[i], 0);
    }
    world.counters.add(Figure.NOTICES_SENT, beta);
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
  public int tell(
      ControlledPort control,
      double markedPart,
      double packetsPerSecond,
      boolean deafAlone,
      long periodNanos,
      long now) {
    PortSources sources = control.sources;
    sources.update(world, told, now, false);
    begin(control, periodNanos);
    double packets = packetsPerSecond * periodNanos / 1e9;
    int count = 0;
    for (int i = 0; i < sources.size(); i++) {
      if (!deafAlone || hasDeafPair(sources.crossing(i), now)) {
        double own = Math.max(1, packets * sources.part(i));
        send(sources, i, markedPart * own, own);
        count++;
      }
    }
    world.counters.add(Figure.NOTICES_SENT, count);
    return count;
  }

  private void begin(ControlledPort control, long periodNanos) {
    PortTable ports = world.ports;
    int port = control.port;
    draft.of(ports.id[port], ports.capacityBitsPerSecond[port], periodNanos, control.sources);
  }

  private void send(PortSources sources, int source, double marks, double packets) {
    draft.to(source, marks, packets);
    sink.notice(sources.host(source), draft);
  }

  /** Whether some receiver behind the port does not tell of what arrives. */
  public boolean hasDeafPairs(int port, long now) {
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
    return receiver != AddressTable.NOBODY
        && (world.hosts.heardUntil[world.endpoints.host[receiver]] >= now
            || now - world.pairs.activeSince(pair) < FIRST_REPORT_NANOS);
  }
}
