// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/** First in, first out, with space for so many packets. */
public final class DropTail extends SingleFifo {
  /**
   * @param limitPackets at least 1
   */
  public DropTail(int limitPackets) {
    super(limitPackets);
  }

  @Override
  boolean admits(Packet packet, long nowNanos) {
    return true;
  }

  @Override
  public long marked() {
    return 0;
  }
}
