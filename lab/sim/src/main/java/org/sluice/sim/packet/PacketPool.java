// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.packet;

import java.util.Arrays;

/** The packets of one simulation: taken, and given back. */
public final class PacketPool {
  private Packet[] free = new Packet[1024];
  private int freeCount;
  private long made;

  /** A packet with all fields cleared. */
  public Packet take() {
    if (freeCount == 0) {
      made++;
      return new Packet();
    }
    Packet packet = free[--freeCount];
    packet.pooled = false;
    packet.clear();
    return packet;
  }

  /**
   * Takes a packet back; its holder must forget it.
   *
   * @throws IllegalStateException if it was given back already
   */
  public void giveBack(Packet packet) {
    if (packet.pooled) {
      throw new IllegalStateException("a packet was given back twice");
    }
    packet.pooled = true;
    packet.receiver = null;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = packet;
  }

  /** How many packets are somewhere in the network. */
  public long inUse() {
    return made - freeCount;
  }
}
