// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/**
 * A queue for each flow, served in turns, packet by packet, as Linux hosts' fair queueing does
 * (fq_codel without its delay control). A flow's queue has space for so many packets; flows whose
 * hashes fall together share one.
 */
public final class PerFlowQueue implements QueueDiscipline {
  private static final int QUEUE_BITS = 10;

  private final int limitPackets;

  /** Turns are packet by packet. */
  private final FairQueue flows = new FairQueue(QUEUE_BITS, 1);

  private long dropped;

  /**
   * @param limitPackets of each flow, at least 1
   */
  public PerFlowQueue(int limitPackets) {
    if (limitPackets < 1) {
      throw new IllegalArgumentException("limitPackets must be at least 1, not " + limitPackets);
    }
    this.limitPackets = limitPackets;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (flows.packetsOfFlow(packet) >= limitPackets) {
      dropped++;
      return false;
    }
    packet.enqueuedNanos = nowNanos;
    flows.add(packet);
    return true;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    return flows.poll();
  }

  @Override
  public int packets() {
    return flows.packets();
  }

  @Override
  public long bytes() {
    return flows.bytes();
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
