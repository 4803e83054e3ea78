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
 * Notifies sources of marks: {@link SdnGccLaw}'s parts of them, or, under Sluice's law, the part of
 * a port's packets that is marked, where receivers do not report marks.
 */
public final class NoticeSender {
  /** How long it is taken for granted that all receivers behind a port report, ns. */
  private static final long CHECK_NANOS = 300_000_000L;

  /** The same after somebody came or left; longer than {@link #FIRST_REPORT_NANOS}. */
  private static final long CHECK_NEWCOMERS_NANOS = 120_000_000L;

  /** A receiver's host is waited for so long after a pair's first bytes, ns. */
  private static final long FIRST_REPORT_NANOS = 100_000_000L;

  private final EngineState state;
  private final DecisionSink sink;
  private final PublishedEndpoints endpoints;
  private final PortNotices draft;
  private double[] parts = new double[64];

  public NoticeSender(EngineState state, DecisionSink sink, PublishedEndpoints endpoints) {
    this.state = state;
    this.sink = sink;
    this.endpoints = endpoints;
    this.draft = new PortNotices(state);
  }

  /**
   * Sends one notice to each source that is active through the port.
   *
   * @return to how many
   */
  public int notifyOfMarks(ControlledPort control, Split split, long periodNanos, long now) {
    PortSources sources = control.sources;
    sources.update(state, endpoints, now, true);
    int beta = sources.size();
    if (beta == 0) {
      return 0;
    }
    if (parts.length < beta) {
      parts = new double[2 * beta];
    }
    SdnGccLaw.divide(
        split, state.ports.marks[control.port], beta, sources.rates(), sources.weights(), parts);
    begin(control, periodNanos);
    for (int i = 0; i < beta; i++) {
      send(sources, i, parts[i], 0);
    }
    state.counters.add(Figure.NOTICES_SENT, beta);
    return beta;
  }

  /**
   * Notifies the sources that are active through the port of its marked part F, the same to all: of
   * each one's packets in a T_i, so many are reckoned marked. To be called every T_i: notices go as
   * long as something is marked, and once more when nothing is any longer.
   *
   * @param packetsPerSecond what passes through the port
   * @param unreportedOnly only sources with a pair whose receiver does not report marks
   * @return how many sources were notified
   */
  public int notifyOfMarkedPart(
      ControlledPort control,
      double markedPart,
      double packetsPerSecond,
      boolean unreportedOnly,
      long periodNanos,
      long now) {
    if (!(markedPart > 0 || control.noticedPart > 0)) {
      return 0;
    }
    control.noticedPart = markedPart;
    PortSources sources = control.sources;
    sources.update(state, endpoints, now, false);
    begin(control, periodNanos);
    double packets = packetsPerSecond * periodNanos / 1e9;
    int count = 0;
    for (int i = 0; i < sources.size(); i++) {
      if (!unreportedOnly || hasUnreportedReceiver(sources.crossing(i), now)) {
        double own = Math.max(1, packets * sources.part(i));
        send(sources, i, markedPart * own, own);
        count++;
      }
    }
    state.counters.add(Figure.NOTICES_SENT, count);
    return count;
  }

  private void begin(ControlledPort control, long periodNanos) {
    PortTable ports = state.ports;
    int port = control.port;
    draft.of(ports.id[port], ports.capacityBitsPerSecond[port], periodNanos, control.sources);
  }

  private void send(PortSources sources, int source, double marks, double packets) {
    draft.to(source, marks, packets);
    sink.notice(sources.host(source), draft);
  }

  /** Whether some receiver behind the port does not report what arrives; evaluated now and then. */
  public boolean hasUnreportedReceivers(ControlledPort control, long now) {
    if (now >= control.receiversCheckedUntil) {
      control.hasUnreportedReceivers = hasUnreportedReceivers(control.port, now);
      int version = state.ports.membershipVersion[control.port];
      long interval =
          version == control.receiversCheckedVersion ? CHECK_NANOS : CHECK_NEWCOMERS_NANOS;
      control.receiversCheckedVersion = version;
      // Not all ports at once.
      control.receiversCheckedUntil = now + interval + interval / 32 * (control.port % 32);
    }
    return control.hasUnreportedReceivers;
  }

  private boolean hasUnreportedReceivers(int port, long now) {
    CrossingTable crossings = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0 && hasUnreportedReceiver(c, now)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasUnreportedReceiver(int crossing, long now) {
    CrossingTable crossings = state.crossings;
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      if (state.pairs.isActive(pair)
          && state.pairs.reportedUntil(pair, PairTable.RECEIVER) < now
          && !mayReport(pair, now)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the receiver's host reports what arrives, or may have had no time to. If it reports,
   * but nothing of a pair, nothing has arrived: notices would cut a source whose packets were lost.
   */
  private boolean mayReport(int pair, long now) {
    int receiver = state.addresses.holder[state.pairs.destinationAddress[pair]];
    return receiver != AddressTable.NONE
        && (state.hosts.reportedUntil[state.endpoints.host[receiver]] >= now
            || now - state.pairs.activeSince(pair) < FIRST_REPORT_NANOS);
  }
}
