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

  /** What the endpoint sent. */
  public long sentBytes;

  /**
   * All of it is limited by other ports, where less is due: packets and cePackets are 0, and there
   * is no evidence about the port itself.
   */
  public boolean governedElsewhere;

  /** What part of its share may be borrowed at all ports on its way; 0: nothing. */
  public double lentPart;

  /** Whether its class held packets at the end. */
  public boolean backlogged;

  /** Empties the counts. */
  public void clear() {
    packets = 0;
    cePackets = 0;
    sentBytes = 0;
    governedElsewhere = false;
    backlogged = false;
  }
}
