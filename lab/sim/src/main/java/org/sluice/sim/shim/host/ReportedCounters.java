// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

/** A pair's counters as they were reported to the controller last. */
public final class ReportedCounters {
  private static final long NEVER = Long.MIN_VALUE / 2;

  public long sentPackets;
  public long sentBytes;
  public long receivedPackets;
  public long receivedBytes;
  public long cePackets;

  /** When each direction was reported last. */
  public long sentNanos = NEVER;

  public long receivedNanos = NEVER;

  /** Marks at the last turn, reported or not. */
  public long seenCePackets;

  public boolean waits;

  /** The pair waits for the next report. */
  public boolean waiting;

  /** A new session: what was counted before is not reported to it. */
  public void begin(PairState pair) {
    takeSent(pair, NEVER);
    takeReceived(pair, NEVER);
    seenCePackets = pair.cePackets;
    waits = false;
    waiting = false;
  }

  public void takeSent(PairState pair, long nowNanos) {
    sentPackets = pair.sentPackets;
    sentBytes = pair.sentBytes;
    sentNanos = nowNanos;
  }

  public void takeReceived(PairState pair, long nowNanos) {
    receivedPackets = pair.receivedPackets;
    receivedBytes = pair.receivedBytes;
    cePackets = pair.cePackets;
    receivedNanos = nowNanos;
  }
}
