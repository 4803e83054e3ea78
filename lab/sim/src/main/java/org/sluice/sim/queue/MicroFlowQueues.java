// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.Arrays;
import org.sluice.sim.packet.Packet;

/**
 * Micro-flow's queues of an egress port: one for short flows, and background queues, each first in,
 * first out with room of its own, as a software switch's queues have.
 *
 * <p>The micro queue has strict priority up to a part of the port's rate; beyond it takes turns
 * with the others, packet by packet, so that it starves nobody. A background queue may have a cap:
 * its packets then leave no faster, and others may leave in between.
 */
public final class MicroFlowQueues implements QueueDiscipline {
  /** The class of a packet that belongs into the micro queue. */
  public static final int MICRO = -1;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;
  private static final long NO_CAP = 0;

  /** Says which queue a packet belongs into. */
  public interface Classifier {
    /** {@link #MICRO}, or the number of a background queue. */
    int queueOf(Packet packet);
  }

  private final Classifier classifier;
  private final int limitPackets;
  private final Fifo micro = new Fifo();
  private final Fifo[] background;
  private final long[] capBitsPerSecond;
  private final long[] readyNanos;

  private final double priorityBitsPerNano;
  private final double burstBits;
  private double priorityBits;
  private long filledNanos;

  /** Whose turn it is: a background queue, or, one beyond, the micro queue. */
  private int turn;

  private int packets;
  private long bytes;
  private long dropped;

  /**
   * @param backgroundQueues at least 1
   * @param limitPackets what each queue has room for, at least 1
   * @param rateBitsPerSecond the port's, above 0
   * @param priorityShare up to which part of it the micro queue goes first, 0 to 1
   * @param packetBytes the largest packet
   */
  public MicroFlowQueues(
      Classifier classifier,
      int backgroundQueues,
      int limitPackets,
      long rateBitsPerSecond,
      double priorityShare,
      int packetBytes) {
    if (limitPackets < 1) {
      throw new IllegalArgumentException("limitPackets must be at least 1, not " + limitPackets);
    }
    this.classifier = classifier;
    this.limitPackets = limitPackets;
    this.background = new Fifo[backgroundQueues];
    Arrays.setAll(background, none -> new Fifo());
    this.capBitsPerSecond = new long[backgroundQueues];
    this.readyNanos = new long[backgroundQueues];
    this.priorityBitsPerNano = priorityShare * rateBitsPerSecond / NANOS_PER_SECOND;
    // What the queue may hold goes first at any rate: the share is about what lasts.
    this.burstBits = (double) limitPackets * packetBytes * BITS_PER_BYTE;
    this.priorityBits = burstBits;
  }

  /** Packets that wait in the micro queue. */
  public int microPackets() {
    return micro.packets();
  }

  /** Packets that wait in a background queue. */
  public int backgroundPackets(int queue) {
    return background[queue].packets();
  }

  /**
   * Caps a background queue, or changes its cap; the port is to be woken afterwards.
   *
   * @param bitsPerSecond above 0
   */
  public void cap(int queue, long bitsPerSecond) {
    capBitsPerSecond[queue] = bitsPerSecond;
  }

  /** Lifts a cap; the port is to be woken afterwards. */
  public void restore(int queue) {
    capBitsPerSecond[queue] = NO_CAP;
    readyNanos[queue] = 0;
  }

  /** How many background queues have a cap. */
  public int capped() {
    return (int) Arrays.stream(capBitsPerSecond).filter(cap -> cap != NO_CAP).count();
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    int queue = classifier.queueOf(packet);
    Fifo fifo = queue == MICRO ? micro : background[queue];
    if (fifo.packets() >= limitPackets) {
      dropped++;
      return false;
    }
    packet.enqueuedNanos = nowNanos;
    fifo.add(packet);
    packets++;
    bytes += packet.ipBytes;
    return true;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    Packet packet = next(nowNanos);
    if (packet != null) {
      packets--;
      bytes -= packet.ipBytes;
    }
    return packet;
  }

  private Packet next(long nowNanos) {
    if (micro.packets() > 0 && hasPriority(nowNanos)) {
      Packet packet = micro.poll();
      priorityBits -= packet.ipBytes * (double) BITS_PER_BYTE;
      return packet;
    }
    for (int i = 0; i <= background.length; i++) {
      int queue = (turn + i) % (background.length + 1);
      if (queue == background.length ? micro.packets() > 0 : mayLeave(queue, nowNanos)) {
        turn = queue + 1;
        return queue == background.length ? micro.poll() : leave(queue, nowNanos);
      }
    }
    return null;
  }

  private boolean hasPriority(long nowNanos) {
    double earned = priorityBitsPerNano * (nowNanos - filledNanos);
    priorityBits = Math.min(burstBits, priorityBits + earned);
    filledNanos = nowNanos;
    return priorityBits > 0;
  }

  private boolean mayLeave(int queue, long nowNanos) {
    return background[queue].packets() > 0 && readyNanos[queue] <= nowNanos;
  }

  private Packet leave(int queue, long nowNanos) {
    Packet packet = background[queue].poll();
    if (capBitsPerSecond[queue] != NO_CAP) {
      double bits = packet.ipBytes * (double) BITS_PER_BYTE;
      readyNanos[queue] = nowNanos + (long) (bits * NANOS_PER_SECOND / capBitsPerSecond[queue]);
    }
    return packet;
  }

  @Override
  public long readyNanos(long nowNanos) {
    long first = NEVER;
    for (int queue = 0; queue < background.length; queue++) {
      if (background[queue].packets() > 0) {
        first = Math.min(first, Math.max(nowNanos + 1, readyNanos[queue]));
      }
    }
    return first;
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
