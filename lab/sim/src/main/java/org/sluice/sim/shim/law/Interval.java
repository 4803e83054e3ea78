// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What happened to a law's traffic since it was last read. One object is filled again and again.
 */
public final class Interval {
  /** Its end, ns. */
  public long nowNanos;

  /** Its length, ns; 0 of the first, which measures nothing. */
  public long elapsedNanos;

  /** What receivers reported within it: packets, and those of them that carried CE. */
  public long packets;

  public long cePackets;

  /** Bytes of those packets. */
  public long deliveredBytes;

  /** What the endpoint sent. */
  public long sentBytes;

  /**
   * All of it is limited by other ports, with lower limits: packets and cePackets are 0, and there
   * is no evidence about the port itself.
   */
  public boolean governedElsewhere;

  /** The longest round trip without queues of what the port governs, ns; 0: unknown. */
  public long roundTripNanos;

  /** Whether its class held packets at the end. */
  public boolean backlogged;

  /** Empties the counts. */
  public void clear() {
    packets = 0;
    cePackets = 0;
    deliveredBytes = 0;
    sentBytes = 0;
    governedElsewhere = false;
    backlogged = false;
  }
}
