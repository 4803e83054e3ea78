// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/**
 * One of a port's queues, first in, first out, with space of its own. Its packets may be held to a
 * rate for a while; the cap ends by itself.
 */
public final class CappedQueue {
  private static final long BITS_PER_BYTE = 8;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final Fifo waiting = new Fifo();
  private final int spacePackets;
  private long capBitsPerSecond;
  private long capUntilNanos;
  private long readyNanos;
  private long sentPackets;
  private long sentBytes;
  private long dropped;

  CappedQueue(int spacePackets) {
    this.spacePackets = spacePackets;
  }

  boolean isFull() {
    return waiting.packets() >= spacePackets;
  }

  void add(Packet packet) {
    waiting.add(packet);
  }

  void drop() {
    dropped++;
  }

  /**
   * Holds it to a rate, instead of another one before; the port is to be woken afterwards.
   *
   * @param bitsPerSecond 0: no longer
   */
  public void cap(long bitsPerSecond, long untilNanos) {
    capBitsPerSecond = bitsPerSecond;
    capUntilNanos = untilNanos;
  }

  /** The cap in force, bit/s; 0: none. */
  public long capBitsPerSecond(long nowNanos) {
    return nowNanos < capUntilNanos ? capBitsPerSecond : 0;
  }

  boolean maySend(long nowNanos) {
    return waiting.packets() > 0 && (readyNanos <= nowNanos || capBitsPerSecond(nowNanos) == 0);
  }

  /** When it may send what waits, if nothing changes. */
  long readyNanos(long nowNanos) {
    return capBitsPerSecond(nowNanos) == 0 ? nowNanos : Math.min(readyNanos, capUntilNanos);
  }

  /** Its first packet; there must be one. */
  Packet send(long nowNanos) {
    Packet packet = waiting.poll();
    sentPackets++;
    sentBytes += packet.ipBytes;
    long cap = capBitsPerSecond(nowNanos);
    readyNanos = cap == 0 ? 0 : nowNanos + packet.ipBytes * BITS_PER_BYTE * NANOS_PER_SECOND / cap;
    return packet;
  }

  /** Packets waiting. */
  public int packets() {
    return waiting.packets();
  }

  /** How many it has sent. */
  public long sentPackets() {
    return sentPackets;
  }

  /** IP bytes of these. */
  public long sentBytes() {
    return sentBytes;
  }

  /** How many found no space. */
  public long dropped() {
    return dropped;
  }
}
