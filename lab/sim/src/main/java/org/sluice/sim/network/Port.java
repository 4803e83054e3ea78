// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.queue.QueueDiscipline;

/**
 * An egress port with its queue and the wire behind it. A packet waits in the queue, takes its bits
 * over the rate to serialise, and arrives after the wire's delay.
 *
 * <p>When a packet starts its arrival is known, so a free wire costs one event per packet; a second
 * one, the end of serialisation, is needed only while others wait.
 */
public final class Port {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final Node owner;
  private final int index;
  private final Scheduler scheduler;
  private final PacketPool pool;
  private final Wire wire;
  private final Event free = new Free();
  private final PortCounters counters = new PortCounters();
  private final int overheadBytes;
  private QueueDiscipline queue;
  private long rateBitsPerSecond;
  private long busyUntilNanos;
  private long bitRemainder;
  private boolean up = true;
  private PortObserver observer;

  Port(
      Node owner,
      int index,
      Node peer,
      int peerPort,
      Scheduler scheduler,
      PacketPool pool,
      LinkParameters link,
      QueueDiscipline queue) {
    this.owner = owner;
    this.index = index;
    this.scheduler = scheduler;
    this.pool = pool;
    this.wire = new Wire(scheduler, pool, peer, peerPort, link.delayNanos());
    this.rateBitsPerSecond = link.rateBitsPerSecond();
    this.overheadBytes = link.overheadBytes();
    this.queue = queue;
  }

  public Node owner() {
    return owner;
  }

  /** Its index among its owner's ports. */
  public int index() {
    return index;
  }

  public Node peer() {
    return wire.peer();
  }

  /** Index of the peer's port at the other end of the link. */
  public int peerPort() {
    return wire.peerPort();
  }

  /** The egress port at the other end of the link. */
  public Port opposite() {
    return peer() instanceof Switch other ? other.ports().get(peerPort()) : ((Host) peer()).nic();
  }

  public long rateBitsPerSecond() {
    return rateBitsPerSecond;
  }

  public long delayNanos() {
    return wire.delayNanos();
  }

  public QueueDiscipline queue() {
    return queue;
  }

  public PortCounters counters() {
    return counters;
  }

  /**
   * Replaces the queue; for the time before traffic.
   *
   * @throws IllegalStateException if packets wait in the present one
   */
  public void setQueue(QueueDiscipline value) {
    if (queue.packets() > 0) {
      throw new IllegalStateException("port " + this + " has packets in its queue");
    }
    queue = value;
  }

  /** Is notified of each departure; null for none. */
  public void setObserver(PortObserver value) {
    observer = value;
  }

  /** Takes the port down, losing what it holds and what is sent to it, or up again. */
  public void setUp(boolean value) {
    up = value;
    if (!value) {
      wire.cut();
      for (Packet lost = queue.dequeue(scheduler.now());
          lost != null;
          lost = queue.dequeue(scheduler.now())) {
        counters.lostPackets++;
        pool.giveBack(lost);
      }
    }
  }

  public boolean isUp() {
    return up;
  }

  /**
   * Another capacity, from the next packet on.
   *
   * @param value bit/s, above 0
   */
  public void setRateBitsPerSecond(long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("rateBitsPerSecond must be above 0, not " + value);
    }
    rateBitsPerSecond = value;
    bitRemainder = 0;
  }

  /** Sends a packet: now, later, or never. It is the network's from here on. */
  public void send(Packet packet) {
    long now = scheduler.now();
    if (!up) {
      counters.lostPackets++;
      pool.giveBack(packet);
      return;
    }
    if (!queue.enqueue(packet, now)) {
      counters.droppedPackets++;
      counters.droppedBytes += packet.ipBytes;
      if (observer != null) {
        observer.dropped(packet, now);
      }
      pool.giveBack(packet);
      return;
    }
    if (now >= busyUntilNanos) {
      scheduler.disarm(free);
      next(now);
    } else if (!free.isArmed()) {
      scheduler.arm(free, busyUntilNanos);
    }
  }

  /** To be called when packets that had to wait may now leave: a rate has changed. */
  public void wake() {
    long now = scheduler.now();
    if (queue.packets() > 0 && now >= busyUntilNanos) {
      scheduler.disarm(free);
      next(now);
    }
  }

  private void next(long now) {
    Packet packet = queue.dequeue(now);
    if (packet == null) {
      long ready = queue.packets() > 0 ? queue.readyNanos(now) : QueueDiscipline.NEVER;
      if (ready != QueueDiscipline.NEVER) {
        scheduler.arm(free, ready);
      }
      return;
    }
    int bytes = packet.ipBytes + overheadBytes;
    busyUntilNanos = now + serialisationNanos(bytes);
    counters.sentPackets++;
    counters.sentBytes += packet.ipBytes;
    if (packet.ecn == Ecn.CE) {
      counters.cePackets++;
    }
    if (observer != null) {
      observer.departed(packet, now);
    }
    wire.carry(packet, busyUntilNanos);
    if (queue.packets() > 0) {
      scheduler.arm(free, busyUntilNanos);
    }
  }

  /** Whole nanoseconds; what is lost by rounding is made up for by the packets that follow. */
  private long serialisationNanos(int bytes) {
    long scaled = bytes * 8L * NANOS_PER_SECOND + bitRemainder;
    long nanos = scaled / rateBitsPerSecond;
    bitRemainder = scaled - nanos * rateBitsPerSecond;
    return nanos;
  }

  @Override
  public String toString() {
    return owner.name() + "/" + index;
  }

  /** The wire is free, or a packet's time has come. */
  private final class Free extends Event {
    @Override
    protected void fire() {
      if (up) {
        next(scheduler.now());
      }
    }
  }
}
