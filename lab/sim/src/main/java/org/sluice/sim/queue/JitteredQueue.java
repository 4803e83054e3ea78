// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.SplittableRandom;
import org.sluice.sim.packet.Packet;

/**
 * A queue that holds each packet back for a random while, as a busy host does, and lets none
 * overtake another. Without it a simulation is so regular that one sender's packets may always come
 * just before another's, which is then locked out of a full queue (Floyd and Jacobson, "On Traffic
 * Phase Effects in Packet-Switched Gateways", 1992; ns-2's {@code overhead_}).
 */
public final class JitteredQueue implements QueueDiscipline {
  private final QueueDiscipline queue;
  private final long jitterNanos;
  private final SplittableRandom random;
  private long[] readyNanos = new long[64];
  private int head;
  private int count;
  private long lastNanos;

  /**
   * @param queue first in, first out
   * @param jitterNanos the longest while, above 0
   */
  public JitteredQueue(QueueDiscipline queue, long jitterNanos, SplittableRandom random) {
    this.queue = queue;
    this.jitterNanos = jitterNanos;
    this.random = random;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (!queue.enqueue(packet, nowNanos)) {
      return false;
    }
    if (count == readyNanos.length) {
      grow();
    }
    lastNanos = Math.max(lastNanos, nowNanos + random.nextLong(jitterNanos));
    readyNanos[head + count & readyNanos.length - 1] = lastNanos;
    count++;
    return true;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    if (count == 0 || readyNanos[head] > nowNanos) {
      return null;
    }
    head = head + 1 & readyNanos.length - 1;
    count--;
    return queue.dequeue(nowNanos);
  }

  @Override
  public long readyNanos(long nowNanos) {
    return count == 0 ? NEVER : readyNanos[head];
  }

  @Override
  public int packets() {
    return queue.packets();
  }

  @Override
  public long bytes() {
    return queue.bytes();
  }

  @Override
  public long marked() {
    return queue.marked();
  }

  @Override
  public long dropped() {
    return queue.dropped();
  }

  private void grow() {
    long[] larger = new long[readyNanos.length * 2];
    for (int i = 0; i < count; i++) {
      larger[i] = readyNanos[head + i & readyNanos.length - 1];
    }
    readyNanos = larger;
    head = 0;
  }
}
