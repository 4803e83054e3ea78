// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

/** What an egress port has counted since the start. Only the port writes. */
public final class PortCounters {
  long sentPackets;
  long sentBytes;
  long cePackets;
  long droppedPackets;
  long droppedBytes;
  long lostPackets;

  PortCounters() {}

  public long sentPackets() {
    return sentPackets;
  }

  /** IP bytes. */
  public long sentBytes() {
    return sentBytes;
  }

  /** Of those sent, how many carried CE, wherever it was set. */
  public long cePackets() {
    return cePackets;
  }

  /** Refused by the queue. */
  public long droppedPackets() {
    return droppedPackets;
  }

  /** IP bytes refused by the queue. */
  public long droppedBytes() {
    return droppedBytes;
  }

  /** Gone with a link that was down. */
  public long lostPackets() {
    return lostPackets;
  }
}
