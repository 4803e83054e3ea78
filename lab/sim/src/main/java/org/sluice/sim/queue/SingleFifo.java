// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/** A discipline with one queue, first in, first out, and space for so many packets. */
abstract class SingleFifo implements QueueDiscipline {
  private final Fifo fifo = new Fifo();
  private final int limitPackets;
  private long dropped;

  /**
   * @param limitPackets at least 1
   */
  SingleFifo(int limitPackets) {
    if (limitPackets < 1) {
      throw new IllegalArgumentException("limitPackets must be at least 1, not " + limitPackets);
    }
    this.limitPackets = limitPackets;
  }

  /** A packet for which there is space has come: marks it perhaps. False: it is to be dropped. */
  abstract boolean admits(Packet packet, long nowNanos);

  @Override
  public final boolean enqueue(Packet packet, long nowNanos) {
    if (fifo.packets() >= limitPackets || !admits(packet, nowNanos)) {
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
  public final int packets() {
    return fifo.packets();
  }

  @Override
  public final int limitPackets() {
    return limitPackets;
  }

  @Override
  public final long bytes() {
    return fifo.bytes();
  }

  @Override
  public final long dropped() {
    return dropped;
  }
}
