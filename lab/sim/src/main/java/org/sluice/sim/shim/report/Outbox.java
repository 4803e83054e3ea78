// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.report;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.link.PairSample;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;

/**
 * What waits for the controller. Increments add up; what is new to it, a pair that begins or a
 * mark, is urgent and goes at the next turn, the rest waits for company.
 */
public final class Outbox {
  /** The least time between two reports that nobody waits for, ns. */
  private static final long CALM_NANOS = 50_000_000L;

  /** How long a pair counts as known to the controller after it was last reported, ns. */
  private static final long KNOWN_NANOS = 100_000_000L;

  private final Addresses addresses;
  private final List<PairState> waiting = new ArrayList<>();
  private boolean open;
  private boolean urgent;
  private long intervalNanos;
  private long lastSentNanos = Long.MIN_VALUE / 2;

  public Outbox(Addresses addresses) {
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

  /** A pair has news. */
  public void add(PairState pair, long nowNanos) {
    if (!open) {
      return;
    }
    PairState.Reported known = pair.reported;
    boolean sentIsNews =
        pair.sentPackets != known.sentPackets && nowNanos - known.sentNanos > KNOWN_NANOS;
    boolean receivedIsNews =
        pair.receivedPackets != known.receivedPackets
            && nowNanos - known.receivedNanos > KNOWN_NANOS;
    urgent |= sentIsNews || receivedIsNews || pair.cePackets != known.seenCePackets;
    known.seenCePackets = pair.cePackets;
    if (!known.waiting) {
      known.waiting = true;
      waiting.add(pair);
    }
  }

  public boolean hasNews() {
    return !waiting.isEmpty();
  }

  /** Hands out what waits, if it is time. */
  public void flush(long nowNanos, long tauNanos, Observer to) {
    long spacing = urgent ? tauNanos : CALM_NANOS;
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
    lastSentNanos = nowNanos;
    to.observe(intervalNanos, samples);
  }

  private void addSent(PairState pair, long nowNanos, List<PairSample> samples) {
    PairState.Reported known = pair.reported;
    if (pair.sentPackets != known.sentPackets) {
      samples.add(
          PairSample.of(
              addresses.ip(pair.local.endpoint.number()),
              addresses.ip(pair.remote),
              pair.sentPackets - known.sentPackets,
              pair.sentBytes - known.sentBytes,
              0,
              0,
              0));
      known.takeSent(pair, nowNanos);
    }
  }

  private void addReceived(PairState pair, long nowNanos, List<PairSample> samples) {
    PairState.Reported known = pair.reported;
    if (pair.receivedPackets != known.receivedPackets) {
      samples.add(
          PairSample.of(
              addresses.ip(pair.remote),
              addresses.ip(pair.local.endpoint.number()),
              0,
              0,
              pair.receivedPackets - known.receivedPackets,
              pair.receivedBytes - known.receivedBytes,
              pair.cePackets - known.cePackets));
      known.takeReceived(pair, nowNanos);
    }
  }
}
