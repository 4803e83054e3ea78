// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/** First in, first out, with room for so many packets. */
public final class DropTail implements QueueDiscipline {
  private final Fifo fifo = new Fifo();
  private final int limitPackets;
  private long dropped;

  /**
   * @param limitPackets at least 1
   */
  public DropTail(int limitPackets) {
    if (limitPackets < 1) {
      throw new IllegalArgumentException("limitPackets must be at least 1, not " + limitPackets);
    }
    this.limitPackets = limitPackets;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (fifo.packets() >= limitPackets) {
      dropped++;
      return false;
    }
    packet.enqueuedNanos = nowNanos;
    fifo.add(packet);
    return true;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    return fifo.poll();
  }

  @Override
  public int packets() {
    return fifo.packets();
  }

  @Override
  public long bytes() {
    return fifo.bytes();
  }

  @Override
  public long marked() {
    return 0;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
