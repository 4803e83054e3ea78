// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.queue.Fifo;
import org.sluice.sim.queue.QueueDiscipline;

/** A queue that loses, marks, doubles and overtakes at random. */
final class HostileQueue implements QueueDiscipline {
  private final Fifo fifo = new Fifo();
  private final SplittableRandom random;
  private PacketPool pool;
  private Packet held;
  double loss;
  double mark;
  double duplication;
  double reordering;
  long dropped;
  long marked;

  HostileQueue(long seed) {
    random = new SplittableRandom(seed);
  }

  void duplicateFrom(PacketPool value) {
    pool = value;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (random.nextDouble() < loss) {
      dropped++;
      return false;
    }
    if (packet.isEct() && random.nextDouble() < mark) {
      packet.ecn = Ecn.CE;
      marked++;
    }
    if (held == null && fifo.packets() > 0 && random.nextDouble() < reordering) {
      held = packet;
      return true;
    }
    fifo.add(packet);
    if (held != null && random.nextDouble() < 0.3) {
      fifo.add(held);
      held = null;
    }
    if (pool != null && random.nextDouble() < duplication) {
      fifo.add(copy(packet));
    }
    return true;
  }

  private Packet copy(Packet packet) {
    Packet copy = pool.take();
    copy.source = packet.source;
    copy.destination = packet.destination;
    copy.flowHash = packet.flowHash;
    copy.protocol = packet.protocol;
    copy.receiver = packet.receiver;
    copy.ipBytes = packet.ipBytes;
    copy.payloadBytes = packet.payloadBytes;
    copy.ecn = packet.ecn;
    copy.originalEcn = packet.originalEcn;
    copy.sequence = packet.sequence;
    copy.acknowledgement = packet.acknowledgement;
    copy.flags = packet.flags;
    copy.windowBytes = packet.windowBytes;
    copy.timestampNanos = packet.timestampNanos;
    copy.timestampEchoNanos = packet.timestampEchoNanos;
    copy.sackBlocks = packet.sackBlocks;
    System.arraycopy(packet.sackLeft, 0, copy.sackLeft, 0, packet.sackBlocks);
    System.arraycopy(packet.sackRight, 0, copy.sackRight, 0, packet.sackBlocks);
    return copy;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    if (fifo.packets() == 0 && held != null) {
      Packet last = held;
      held = null;
      return last;
    }
    return fifo.poll();
  }

  @Override
  public int packets() {
    return fifo.packets() + (held == null ? 0 : 1);
  }

  @Override
  public long bytes() {
    return fifo.bytes() + (held == null ? 0 : held.ipBytes);
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
