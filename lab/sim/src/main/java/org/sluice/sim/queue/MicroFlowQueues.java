// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.Arrays;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/**
 * Micro-flow's queues of an egress port: one for short flows, and background queues, each first in,
 * first out with space of its own, as a software switch's queues have.
 *
 * <p>The micro queue has strict priority up to a part of the port's rate; beyond it takes turns
 * with the others, packet by packet, so that it starves nobody. A background queue may have a cap:
 * its packets then leave no faster, and others may leave in between.
 */
public final class MicroFlowQueues implements QueueDiscipline {
  /**
   * The class of a packet that belongs into the micro queue, of several the one that goes first;
   * the next is one less.
   */
  public static final int MICRO = -1;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;
  private static final long NO_CAP = 0;

  /** Says which queue a packet belongs into. */
  public interface Classifier {
    /** {@link #MICRO} or less, or the number of a background queue. */
    int queueOf(Packet packet);
  }

  /**
   * The queues of a port.
   *
   * @param micro how many micro queues, at least 1
   * @param microPackets what each of them has space for, at least 1
   * @param background how many background queues, at least 1
   * @param backgroundPackets what each of them has space for, at least 1
   * @param portPackets what all of them together have space for, at least 1; {@link #UNLIMITED}
   * @param markAtPackets from how many waiting packets on others are marked, at least 0; {@link
   *     #UNLIMITED} for never
   */
  public record Limits(
      int micro,
      int microPackets,
      int background,
      int backgroundPackets,
      int portPackets,
      int markAtPackets) {
    /** No limit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** Refuses what makes no sense. */
    public Limits {
      int least = Math.min(Math.min(micro, microPackets), Math.min(background, backgroundPackets));
      if (least < 1 || portPackets < 1) {
        throw new IllegalArgumentException("there must be queues, with room for at least 1 packet");
      }
    }
  }

  private final Classifier classifier;
  private final Limits limits;
  private final Fifo[] micro;
  private final Fifo[] background;
  private final long[] capBitsPerSecond;
  private final long[] readyNanos;

  private final double priorityBitsPerNano;
  private final double burstBits;
  private double priorityBits;
  private long filledNanos;

  /** Whose turn it is: a background queue, or, one beyond, the micro queues. */
  private int turn;

  private int microPackets;
  private long microSentBytes;
  private int packets;
  private long bytes;
  private long marked;
  private long dropped;

  /**
   * @param rateBitsPerSecond the port's, above 0
   * @param priorityShare up to which part of it micro queues go first, 0 to 1
   * @param packetBytes the largest packet
   */
  public MicroFlowQueues(
      Classifier classifier,
      Limits limits,
      long rateBitsPerSecond,
      double priorityShare,
      int packetBytes) {
    this.classifier = classifier;
    this.limits = limits;
    this.micro = fifos(limits.micro());
    this.background = fifos(limits.background());
    this.capBitsPerSecond = new long[limits.background()];
    this.readyNanos = new long[limits.background()];
    this.priorityBitsPerNano = priorityShare * rateBitsPerSecond / NANOS_PER_SECOND;
    // What a queue may hold goes first at any rate: the share is about what lasts.
    this.burstBits = (double) limits.microPackets() * packetBytes * BITS_PER_BYTE;
    this.priorityBits = burstBits;
  }

  private static Fifo[] fifos(int count) {
    Fifo[] fifos = new Fifo[count];
    Arrays.setAll(fifos, none -> new Fifo());
    return fifos;
  }

  /** Packets that wait in micro queues. */
  public int microPackets() {
    return microPackets;
  }

  /** All that micro queues have sent, IP bytes. */
  public long microSentBytes() {
    return microSentBytes;
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
    boolean isMicro = queue <= MICRO;
    Fifo fifo = isMicro ? micro[MICRO - queue] : background[queue];
    int room = isMicro ? limits.microPackets() : limits.backgroundPackets();
    if (fifo.packets() >= room || packets >= limits.portPackets()) {
      dropped++;
      return false;
    }
    // A packet that was marked upstream is not marked by this port.
    if (packets >= limits.markAtPackets() && packet.isEct() && packet.ecn != Ecn.CE) {
      packet.ecn = Ecn.CE;
      marked++;
    }
    packet.enqueuedNanos = nowNanos;
    fifo.add(packet);
    microPackets += isMicro ? 1 : 0;
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
    if (microPackets > 0 && hasPriority(nowNanos)) {
      Packet packet = pollMicro();
      priorityBits -= packet.ipBytes * (double) BITS_PER_BYTE;
      return packet;
    }
    for (int i = 0; i <= background.length; i++) {
      int queue = (turn + i) % (background.length + 1);
      if (queue == background.length ? microPackets > 0 : mayLeave(queue, nowNanos)) {
        turn = queue + 1;
        return queue == background.length ? pollMicro() : leave(queue, nowNanos);
      }
    }
    return null;
  }

  private Packet pollMicro() {
    int level = 0;
    while (micro[level].packets() == 0) {
      level++;
    }
    Packet packet = micro[level].poll();
    microPackets--;
    microSentBytes += packet.ipBytes;
    return packet;
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
    return marked;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
