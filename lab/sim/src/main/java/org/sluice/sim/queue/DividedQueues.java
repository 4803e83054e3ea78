// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.Arrays;
import org.sluice.engine.law.DaDctcpLaw;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/**
 * The queues of a switch's port that share its space, served in turns, packet by packet. Flows are
 * spread over them by their hash. Each queue marks by a threshold of its own, which a controller
 * may change: by its length on arrival, as DCTCP's switches do, or by its length and its slope on
 * departure, as DA-DCTCP's do ({@link DaDctcpLaw#marks}). What is not ECT is not marked.
 */
public final class DividedQueues implements QueueDiscipline {
  /** By what packets are marked. */
  public enum Marking {
    /** By K: what finds so many packets in its queue. */
    STEP,
    /** By K1, K2 and the queue's slope: what leaves. */
    SLOPE
  }

  private final Marking marking;
  private final int limitPackets;
  private final double initialThreshold;
  private final Fifo[] queues;
  private final double[] thresholds;
  private final int[] packetsBefore;
  private final long[] leftNanos;
  private final double[] slopes;
  private int turn;
  private int packets;
  private long bytes;
  private long marked;
  private long dropped;

  /**
   * @param queues how many, at least 1
   * @param limitPackets what all of them together have space for, at least 1
   * @param budgetPackets what their thresholds (K or K1) add up to; each has an equal part at first
   */
  public DividedQueues(Marking marking, int queues, int limitPackets, double budgetPackets) {
    if (queues < 1 || limitPackets < 1 || !(budgetPackets >= 0)) {
      throw new IllegalArgumentException(
          "there must be at least 1 queue, room for 1 packet, and thresholds of at least 0");
    }
    this.marking = marking;
    this.limitPackets = limitPackets;
    this.initialThreshold = budgetPackets / queues;
    this.queues = new Fifo[queues];
    Arrays.setAll(this.queues, none -> new Fifo());
    this.thresholds = new double[queues];
    Arrays.fill(thresholds, initialThreshold);
    this.packetsBefore = new int[queues];
    this.leftNanos = new long[queues];
    this.slopes = new double[queues];
  }

  /** How many queues there are. */
  public int queues() {
    return queues.length;
  }

  /** What each queue's threshold is before anybody sets it, packets. */
  public double initialThresholdPackets() {
    return initialThreshold;
  }

  /** Packets that wait in one queue. */
  public int packets(int queue) {
    return queues[queue].packets();
  }

  /** K or K1 of a queue, packets. */
  public double thresholdPackets(int queue) {
    return thresholds[queue];
  }

  /** Sets K or K1 of a queue, packets, at least 0. */
  public void setThresholdPackets(int queue, double value) {
    thresholds[queue] = value;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (packets >= limitPackets) {
      dropped++;
      return false;
    }
    int number = queueOf(packet.flowHash);
    Fifo queue = queues[number];
    if (marking == Marking.STEP && queue.packets() >= thresholds[number]) {
      mark(packet);
    }
    packet.enqueuedNanos = nowNanos;
    queue.add(packet);
    packets++;
    bytes += packet.ipBytes;
    return true;
  }

  /** By other bits than switches choose paths by. */
  private int queueOf(int flowHash) {
    int mixed = flowHash * 0x85EBCA6B;
    return (int) ((mixed & 0xFFFFFFFFL) * queues.length >>> 32);
  }

  /** A packet that was marked upstream is not marked by this queue. */
  private void mark(Packet packet) {
    if (packet.isEct() && packet.ecn != Ecn.CE) {
      packet.ecn = Ecn.CE;
      marked++;
    }
  }

  @Override
  public Packet dequeue(long nowNanos) {
    if (packets == 0) {
      return null;
    }
    while (queues[turn].packets() == 0) {
      turn = next(turn);
    }
    int number = turn;
    turn = next(turn);
    boolean isMarked = marking == Marking.SLOPE && marksOnDeparture(number, nowNanos);
    Packet packet = queues[number].poll();
    if (isMarked) {
      mark(packet);
    }
    packets--;
    bytes -= packet.ipBytes;
    return packet;
  }

  private int next(int queue) {
    return queue + 1 == queues.length ? 0 : queue + 1;
  }

  private boolean marksOnDeparture(int number, long nowNanos) {
    int waiting = queues[number].packets();
    long elapsed = nowNanos - leftNanos[number];
    if (elapsed > 0) {
      double slope = DaDctcpLaw.slope(waiting, packetsBefore[number], elapsed);
      slopes[number] = DaDctcpLaw.average(slopes[number], slope, DaDctcpLaw.AVERAGING_WEIGHT);
    }
    packetsBefore[number] = waiting;
    leftNanos[number] = nowNanos;
    double upper = DaDctcpLaw.upperThresholdPackets(thresholds[number], limitPackets);
    return DaDctcpLaw.marks(waiting, thresholds[number], upper, slopes[number]);
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
