// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/**
 * A queue for each flow, served by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): what
 * a flow sends beyond its part waits for itself. Flows whose hashes fall together share a queue. No
 * limits of its own.
 */
public final class FairQueue {
  private final int quantumBytes;
  private final int hashShift;
  private final Fifo[] queues;

  /** What each may still send in its turn, bytes. */
  private final int[] deficits;

  /** A ring of the queues in which something waits, the one whose turn it is first. */
  private final int[] turns;

  private int first;
  private int waiting;
  private int packets;
  private long bytes;

  /**
   * @param queueBits for 2 to their power queues, 1 to 30
   * @param quantumBytes a turn, which is a packet at least; at least 1
   */
  public FairQueue(int queueBits, int quantumBytes) {
    this.quantumBytes = quantumBytes;
    this.hashShift = Integer.SIZE - queueBits;
    this.queues = new Fifo[1 << queueBits];
    this.deficits = new int[queues.length];
    this.turns = new int[queues.length];
  }

  /** By other bits than switches choose paths by. */
  private int numberOf(Packet packet) {
    return packet.flowHash * 0x85EBCA6B >>> hashShift;
  }

  public void add(Packet packet) {
    int number = numberOf(packet);
    if (queues[number] == null) {
      queues[number] = new Fifo();
    }
    if (queues[number].packets() == 0) {
      deficits[number] = quantumBytes;
      append(number);
    }
    queues[number].add(packet);
    packets++;
    bytes += packet.ipBytes;
  }

  private void append(int number) {
    turns[first + waiting & turns.length - 1] = number;
    waiting++;
  }

  /** The next to leave, or null; it stays. */
  public Packet peek() {
    return waiting == 0 ? null : queues[turns[first]].peek();
  }

  /** The next to leave, or null. */
  public Packet poll() {
    if (waiting == 0) {
      return null;
    }
    int number = turns[first];
    Packet packet = queues[number].poll();
    packets--;
    bytes -= packet.ipBytes;
    deficits[number] -= packet.ipBytes;
    boolean isEmpty = queues[number].packets() == 0;
    if (isEmpty || deficits[number] <= 0) {
      first = first + 1 & turns.length - 1;
      waiting--;
      if (!isEmpty) {
        deficits[number] = Math.max(1, deficits[number] + quantumBytes);
        append(number);
      }
    }
    return packet;
  }

  /** Packets of a packet's flow that wait. */
  public int packetsOfFlow(Packet packet) {
    Fifo queue = queues[numberOf(packet)];
    return queue == null ? 0 : queue.packets();
  }

  /** Whether a packet's flow would have more than its part of so many bytes, were it added. */
  public boolean exceedsPart(Packet packet, long ofBytes) {
    Fifo queue = queues[numberOf(packet)];
    long own = queue == null ? 0 : queue.bytes();
    return own + packet.ipBytes > ofBytes / (own == 0 ? waiting + 1 : waiting);
  }

  public int packets() {
    return packets;
  }

  public long bytes() {
    return bytes;
  }
}
