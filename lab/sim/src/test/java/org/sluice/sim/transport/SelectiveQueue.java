// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.function.Predicate;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.DropTail;
import org.sluice.sim.queue.QueueDiscipline;

/** An ample queue that drops and marks what a test selects. */
final class SelectiveQueue implements QueueDiscipline {
  private final DropTail queue = new DropTail(1_000_000);
  Predicate<Packet> drop = packet -> false;
  Predicate<Packet> mark = packet -> false;
  private long dropped;
  private long marked;

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (drop.test(packet)) {
      dropped++;
      return false;
    }
    if (packet.isEct() && mark.test(packet)) {
      packet.ecn = Ecn.CE;
      marked++;
    }
    return queue.enqueue(packet, nowNanos);
  }

  @Override
  public Packet dequeue(long nowNanos) {
    return queue.dequeue(nowNanos);
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
    return marked;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
