// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.report;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.link.PairSample;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.host.ReportedCounters;

/**
 * What waits to be reported to the controller. Increments add up; a pair that begins, a first mark,
 * and that a pair waits or does not any more are urgent and go at the next turn. The marks after
 * the first one are looked at once in a control period, and go as often; the rest waits for more.
 */
public final class ReportBuffer {
  /** The least time between two reports that are not urgent, ns. */
  private static final long SPACING_NANOS = 50_000_000L;

  /** After so long without a report of it a pair that sends again counts as one that begins, ns. */
  private static final long FORGOTTEN_NANOS = 100_000_000L;

  /** So long without marks makes the next one a first one, ns. */
  private static final long FIRST_MARK_NANOS = 200_000_000L;

  private final Addresses addresses;
  private final List<PairState> waiting = new ArrayList<>();
  private boolean open;
  private boolean urgent;
  private boolean marked;
  private long lastMarkNanos = Long.MIN_VALUE / 2;
  private long intervalNanos;
  private long lastSentNanos = Long.MIN_VALUE / 2;

  public ReportBuffer(Addresses addresses) {
    this.addresses = addresses;
  }

  /** A session begins: increments are counted from here. */
  public void begin(List<LocalEndpoint> endpoints) {
    for (LocalEndpoint endpoint : endpoints) {
      for (PairState pair : endpoint.pairs()) {
        pair.reported.begin(pair);
      }
    }
    waiting.clear();
    open = true;
    urgent = false;
    marked = false;
    lastMarkNanos = Long.MIN_VALUE / 2;
    intervalNanos = 0;
  }

  public void end() {
    open = false;
  }

  /** Begins a turn that ends an interval of this length. */
  public void turn(long elapsedNanos) {
    if (waiting.isEmpty()) {
      intervalNanos = 0;
    }
    intervalNanos += elapsedNanos;
  }

  /** Adds a pair whose counters have changed. */
  public void add(PairState pair, long nowNanos) {
    if (!open) {
      return;
    }
    ReportedCounters reported = pair.reported;
    boolean beginsToSend =
        pair.sentPackets != reported.sentPackets && nowNanos - reported.sentNanos > FORGOTTEN_NANOS;
    boolean beginsToReceive =
        pair.receivedPackets != reported.receivedPackets
            && nowNanos - reported.receivedNanos > FORGOTTEN_NANOS;
    if (pair.cePackets != reported.seenCePackets) {
      marked = true;
      urgent |= nowNanos - lastMarkNanos > FIRST_MARK_NANOS;
      lastMarkNanos = nowNanos;
    }
    urgent |= beginsToSend || beginsToReceive;
    urgent |= pair.waits != reported.waits;
    reported.seenCePackets = pair.cePackets;
    if (!reported.waiting) {
      reported.waiting = true;
      waiting.add(pair);
    }
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Reports what waits, if it is time.
   *
   * @param urgentNanos the least time since the report before where this one is urgent
   * @param markedNanos the same where it has marks
   */
  public void flush(long nowNanos, long urgentNanos, long markedNanos, ReportSink to) {
    long spacing = urgent ? urgentNanos : marked ? markedNanos : SPACING_NANOS;
    if (!open || waiting.isEmpty() || nowNanos < lastSentNanos + spacing) {
      return;
    }
    List<PairSample> samples = new ArrayList<>(2 * waiting.size());
    for (PairState pair : waiting) {
      pair.reported.waiting = false;
      addSent(pair, nowNanos, samples);
      addReceived(pair, nowNanos, samples);
    }
    waiting.clear();
    urgent = false;
    marked = false;
    lastSentNanos = nowNanos;
    to.observe(intervalNanos, samples);
  }

  private void addSent(PairState pair, long nowNanos, List<PairSample> samples) {
    ReportedCounters reported = pair.reported;
    if (pair.sentPackets != reported.sentPackets || pair.waits != reported.waits) {
      reported.waits = pair.waits;
      samples.add(
          PairSample.of(
              addresses.ip(pair.local.endpoint.number()),
              addresses.ip(pair.remote),
              pair.sentPackets - reported.sentPackets,
              pair.sentBytes - reported.sentBytes,
              0,
              0,
              0,
              pair.waits));
      reported.takeSent(pair, nowNanos);
    }
  }

  private void addReceived(PairState pair, long nowNanos, List<PairSample> samples) {
    ReportedCounters reported = pair.reported;
    if (pair.receivedPackets != reported.receivedPackets) {
      samples.add(
          PairSample.of(
              addresses.ip(pair.remote),
              addresses.ip(pair.local.endpoint.number()),
              0,
              0,
              pair.receivedPackets - reported.receivedPackets,
              pair.receivedBytes - reported.receivedBytes,
              pair.cePackets - reported.cePackets));
      reported.takeReceived(pair, nowNanos);
    }
  }
}
