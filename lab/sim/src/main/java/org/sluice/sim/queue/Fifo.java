// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/** Packets in their order: a ring that grows. No limits of its own. */
public final class Fifo {
  private Packet[] ring = new Packet[64];
  private int head;
  private int count;
  private long bytes;

  public void add(Packet packet) {
    if (count == ring.length) {
      grow();
    }
    ring[head + count & ring.length - 1] = packet;
    count++;
    bytes += packet.ipBytes;
  }

  /** The oldest, or null; it stays. */
  public Packet peek() {
    return count == 0 ? null : ring[head];
  }

  /** The oldest, or null. */
  public Packet poll() {
    if (count == 0) {
      return null;
    }
    Packet packet = ring[head];
    ring[head] = null;
    head = head + 1 & ring.length - 1;
    count--;
    bytes -= packet.ipBytes;
    return packet;
  }

  public int packets() {
    return count;
  }

  public long bytes() {
    return bytes;
  }

  private void grow() {
    Packet[] larger = new Packet[ring.length * 2];
    for (int i = 0; i < count; i++) {
      larger[i] = ring[head + i & ring.length - 1];
    }
    ring = larger;
    head = 0;
  }
}
