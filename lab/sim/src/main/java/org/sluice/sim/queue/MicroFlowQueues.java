// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.Arrays;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/**
 * The queues of a port that serves by levels: micro queues for all levels but the last, and
 * background queues for the last, each first in, first out with space and a marking threshold of
 * its own, as a software switch's queues have; or all with a space and a threshold that they share.
 *
 * <p>Micro queues go first, in their order, up to a part of the port's rate; beyond it they take
 * turns with the others, packet by packet, so that they starve nobody. What is of the last level
 * waits in the background queue of its destination, and {@link #OWN} is that of all destinations
 * that have none. A background queue may have a cap: its packets then leave no faster, and others
 * may leave in between.
 */
public final class MicroFlowQueues implements QueueDiscipline {
  /** The background queue of destinations without one. */
  public static final int OWN = 0;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;

  /**
   * The queues of a port.
   *
   * @param levels how many, at least 2
   * @param microPackets what each micro queue has space for, at least 1
   * @param background how many background queues, at least 1
   * @param backgroundPackets what each of them has space for, at least 1
   * @param portPackets what all of them together have space for, at least 1; {@link #UNLIMITED}
   * @param markAtPackets from how many packets on another one is marked, at least 0; {@link
   *     #UNLIMITED} for never: of its queue, or of all where these share space
   */
  public record Limits(
      int levels,
      int microPackets,
      int background,
      int backgroundPackets,
      int portPackets,
      int markAtPackets) {
    /** No limit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** Refuses what makes no sense. */
    public Limits {
      int least = Math.min(Math.min(microPackets, background), backgroundPackets);
      if (levels < 2 || least < 1 || portPackets < 1) {
        throw new IllegalArgumentException(
            "there must be two levels, and queues with space for at least 1 packet");
      }
    }

    boolean isShared() {
      return portPackets != UNLIMITED;
    }
  }

  private final Limits limits;
  private final CappedQueue[] micro;
  private final CappedQueue[] background;

  /** By number of the endpoint; beyond it, {@link #OWN}. */
  private int[] queueOfDestination = new int[0];

  private final double priorityBitsPerNano;
  private final double burstBits;
  private double priorityBits;
  private long filledNanos;

  /** Whose turn it is: a background queue, or, one beyond, the micro queues. */
  private int turn;

  private int microPackets;
  private int packets;
  private long bytes;
  private long marked;
  private long overThreshold;
  private long dropped;

  /**
   * @param rateBitsPerSecond the port's, above 0
   * @param priorityShare up to which part of it micro queues go first, 0 to 1
   * @param packetBytes the largest packet
   */
  public MicroFlowQueues(
      Limits limits, long rateBitsPerSecond, double priorityShare, int packetBytes) {
    this.limits = limits;
    this.micro = queues(limits.levels() - 1, limits.microPackets());
    this.background = queues(limits.background(), limits.backgroundPackets());
    this.priorityBitsPerNano = priorityShare * rateBitsPerSecond / NANOS_PER_SECOND;
    // What a queue may hold goes first at any rate: the share is about what lasts.
    this.burstBits = (double) limits.microPackets() * packetBytes * BITS_PER_BYTE;
    this.priorityBits = burstBits;
  }

  private static CappedQueue[] queues(int count, int spacePackets) {
    CappedQueue[] queues = new CappedQueue[count];
    Arrays.setAll(queues, none -> new CappedQueue(spacePackets));
    return queues;
  }

  /** How many queues there are, and what they have space for. */
  public Limits limits() {
    return limits;
  }

  /** The queue of a level that is not the last. */
  public CappedQueue micro(int level) {
    return micro[level];
  }

  /** A background queue. */
  public CappedQueue background(int queue) {
    return background[queue];
  }

  /** In which background queue what goes to an endpoint waits from now on, by its number. */
  public void setDestinations(int[] queueByEndpoint) {
    queueOfDestination = queueByEndpoint.clone();
  }

  private CappedQueue queueOf(Packet packet) {
    if (packet.level < micro.length) {
      return micro[packet.level];
    }
    boolean isKnown = packet.destination < queueOfDestination.length;
    return background[isKnown ? queueOfDestination[packet.destination] : OWN];
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    CappedQueue queue = queueOf(packet);
    if (queue.isFull() || packets >= limits.portPackets()) {
      queue.drop();
      dropped++;
      return false;
    }
    int found = limits.isShared() ? packets : queue.packets();
    if (found >= limits.markAtPackets()) {
      overThreshold++;
      mark(packet);
    }
    packet.enqueuedNanos = nowNanos;
    queue.add(packet);
    microPackets += packet.level < micro.length ? 1 : 0;
    packets++;
    bytes += packet.ipBytes;
    return true;
  }

  /** A packet that was marked upstream is not marked by this port. */
  private void mark(Packet packet) {
    if (packet.isEct() && packet.ecn != Ecn.CE) {
      packet.ecn = Ecn.CE;
      marked++;
    }
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
      Packet packet = sendMicro(nowNanos);
      priorityBits -= packet.ipBytes * (double) BITS_PER_BYTE;
      return packet;
    }
    for (int i = 0; i <= background.length; i++) {
      int queue = (turn + i) % (background.length + 1);
      boolean isMicro = queue == background.length;
      if (isMicro ? microPackets > 0 : background[queue].maySend(nowNanos)) {
        turn = queue + 1;
        return isMicro ? sendMicro(nowNanos) : background[queue].send(nowNanos);
      }
    }
    return null;
  }

  private Packet sendMicro(long nowNanos) {
    int level = 0;
    while (micro[level].packets() == 0) {
      level++;
    }
    microPackets--;
    return micro[level].send(nowNanos);
  }

  private boolean hasPriority(long nowNanos) {
    double earned = priorityBitsPerNano * (nowNanos - filledNanos);
    priorityBits = Math.min(burstBits, priorityBits + earned);
    filledNanos = nowNanos;
    return priorityBits > 0;
  }

  @Override
  public long readyNanos(long nowNanos) {
    long first = NEVER;
    for (CappedQueue queue : background) {
      if (queue.packets() > 0) {
        first = Math.min(first, Math.max(nowNanos + 1, queue.readyNanos(nowNanos)));
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
  public long overThreshold() {
    return overThreshold;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
