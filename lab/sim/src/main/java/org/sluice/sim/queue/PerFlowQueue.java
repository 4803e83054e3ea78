// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/**
 * A queue for each flow, served in turns, packet by packet, as Linux hosts' fair queueing does
 * (fq_codel without its delay control). A flow's queue has space for so many packets; flows whose
 * hashes fall together share one.
 */
public final class PerFlowQueue implements QueueDiscipline {
  private static final int QUEUES = 1024;

  private final int limitPackets;
  private final Fifo[] queues = new Fifo[QUEUES];

  /** A ring of the queues in which something waits, the next to send first. */
  private final int[] turns = new int[QUEUES];

  private int first;
  private int waiting;
  private int packets;
  private long bytes;
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
    int number = queueOf(packet.flowHash);
    if (queues[number] == null) {
      queues[number] = new Fifo();
    }
    Fifo queue = queues[number];
    if (queue.packets() >= limitPackets) {
      dropped++;
      return false;
    }
    if (queue.packets() == 0) {
      append(number);
    }
    packet.enqueuedNanos = nowNanos;
    queue.add(packet);
    packets++;
    bytes += packet.ipBytes;
    return true;
  }

  /** By other bits than switches choose paths by. */
  private static int queueOf(int flowHash) {
    return flowHash * 0x85EBCA6B >>> 22;
  }

  private void append(int number) {
    turns[first + waiting & QUEUES - 1] = number;
    waiting++;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    if (waiting == 0) {
      return null;
    }
    int number = turns[first];
    first = first + 1 & QUEUES - 1;
    waiting--;
    Packet packet = queues[number].poll();
    packets--;
    bytes -= packet.ipBytes;
    if (queues[number].packets() > 0) {
      append(number);
    }
    return packet;
  }

  @Override
  public int packets() {
    return packets;
  }

  @Override
  public long bytes() {
    return bytes;
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
