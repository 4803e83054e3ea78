// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.Fifo;
import org.sluice.sim.queue.QueueDiscipline;

/**
 * The queue of a host's NIC: per endpoint a class with a ceiling, in it a class per congested port
 * with the law's limit (slot 0: for destinations behind none), in each of these two leaves, sparse
 * and bulk, whose flows take turns. It is as HTB with next to no rates of their own and ceilings
 * everywhere: control packets first, then sparse leaves in turn, then bulk leaves by deficit round
 * robin; no class above its ceiling. What the NIC itself can carry, its wire sees to.
 *
 * <p>{@link Packet#queueClass} is where a packet belongs: {@link #OPEN}, {@link #CONTROL} or {@link
 * #leaf}.
 */
public final class ClassQueue implements QueueDiscipline {
  /** No limit, for hosts whose agent has gone. */
  public static final int OPEN = 0;

  /** The shims' own messages: first, and without a limit. */
  public static final int CONTROL = 1;

  /** How many congested ports an endpoint can have a class for at a time. */
  public static final int PORT_CLASSES = 8;

  /** Classes of an endpoint: slot 0 for what no port limits, then those of congested ports. */
  public static final int SLOTS = PORT_CLASSES + 1;

  private static final int FIRST_LEAF = 2;

  private final ClassQueueParameters parameters;
  private final NicClass open;
  private final NicClass[] classes;
  private final Fifo control = new Fifo();
  private final ServiceRing sparse = new ServiceRing();
  private final ServiceRing bulk = new ServiceRing();
  private final int quantumBytes;
  private int packets;
  private long bytes;
  private long dropped;

  /**
   * @param endpoints how many the host has
   */
  public ClassQueue(ClassQueueParameters parameters, int endpoints) {
    this.parameters = parameters;
    this.quantumBytes = 2 * parameters.frameBytes();
    this.open = new NicClass(parameters, null);
    this.classes = new NicClass[endpoints * SLOTS];
    for (int e = 0; e < endpoints; e++) {
      EndpointCeiling ceiling = new EndpointCeiling(parameters);
      for (int slot = 0; slot < SLOTS; slot++) {
        classes[e * SLOTS + slot] = new NicClass(parameters, ceiling);
      }
    }
  }

  /** The value of {@link Packet#queueClass} for a leaf. */
  public static int leaf(int endpoint, int slot, boolean sparse) {
    return FIRST_LEAF + (endpoint * SLOTS + slot) * 2 + (sparse ? 0 : 1);
  }

  /** Limits all that an endpoint sends. Call {@code wake} of the port afterwards. */
  public void setCeiling(int endpoint, long bitsPerSecond, long nowNanos) {
    classes[endpoint * SLOTS].ceiling().set(bitsPerSecond, nowNanos);
  }

  /** Limits what an endpoint sends by a slot. Call {@code wake} of the port afterwards. */
  public void setLimit(int endpoint, int slot, long bitsPerSecond, long nowNanos) {
    classes[endpoint * SLOTS + slot].setLimit(bitsPerSecond, nowNanos);
  }

  /** Packets in the bulk leaf of a slot. */
  public int bulkPackets(int endpoint, int slot) {
    return classes[endpoint * SLOTS + slot].bulk().packets();
  }

  /** Packets in both leaves of all of an endpoint's slots. */
  public int packets(int endpoint) {
    int sum = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      NicClass c = classes[endpoint * SLOTS + slot];
      sum += c.bulk().packets() + c.sparse().packets();
    }
    return sum;
  }

  /** Packets of an endpoint that were refused. */
  public long dropped(int endpoint) {
    long sum = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      sum += classes[endpoint * SLOTS + slot].dropped();
    }
    return sum;
  }

  @Override
  public boolean enqueue(Packet packet, long nowNanos) {
    if (packet.queueClass == CONTROL) {
      control.add(packet);
    } else if (!enqueueIntoClass(packet, nowNanos)) {
      dropped++;
      return false;
    }
    packet.enqueuedNanos = nowNanos;
    packets++;
    bytes += packet.ipBytes;
    return true;
  }

  private boolean enqueueIntoClass(Packet packet, long nowNanos) {
    boolean isOpen = packet.queueClass == OPEN;
    int leaf = packet.queueClass - FIRST_LEAF;
    NicClass target = isOpen ? open : classes[leaf >> 1];
    boolean isSparse = !isOpen && (leaf & 1) == 0 && parameters.enforcement() == Enforcement.HTB;
    if (!target.enqueue(packet, isSparse, nowNanos)) {
      return false;
    }
    if ((isSparse ? target.sparse().packets() : target.bulk().packets()) == 1) {
      (isSparse ? sparse : bulk).add(target);
    }
    return true;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    Packet packet = control.poll();
    if (packet == null) {
      packet = dequeueSparse(nowNanos);
    }
    if (packet == null) {
      packet = dequeueBulk(nowNanos);
    }
    if (packet != null) {
      packets--;
      bytes -= packet.ipBytes;
    }
    return packet;
  }

  private Packet dequeueSparse(long nowNanos) {
    for (int i = sparse.size(); i > 0; i--) {
      NicClass served = sparse.current();
      if (served.maySend(served.sparse().peek(), nowNanos)) {
        Packet packet = served.send(served.sparse().poll());
        if (served.sparse().packets() == 0) {
          sparse.removeCurrent();
        } else {
          sparse.advance();
        }
        return packet;
      }
      sparse.advance();
    }
    return null;
  }

  private Packet dequeueBulk(long nowNanos) {
    for (int i = bulk.size(); i > 0; i--) {
      NicClass served = bulk.current();
      if (served.maySend(served.bulk().peek(), nowNanos)) {
        Packet packet = served.send(served.bulk().poll());
        served.deficitBytes -= packet.ipBytes + parameters.overheadBytes();
        boolean turnIsOver = served.deficitBytes < 0;
        if (turnIsOver) {
          served.deficitBytes += quantumBytes;
        }
        if (served.bulk().packets() == 0) {
          bulk.removeCurrent();
        } else if (turnIsOver) {
          bulk.advance();
        }
        return packet;
      }
      bulk.advance();
    }
    return null;
  }

  @Override
  public long readyNanos(long nowNanos) {
    long ready = NEVER;
    for (int i = 0; i < sparse.size(); i++) {
      NicClass waiting = sparse.get(i);
      ready = Math.min(ready, waiting.readyNanos(waiting.sparse().peek(), nowNanos));
    }
    for (int i = 0; i < bulk.size(); i++) {
      NicClass waiting = bulk.get(i);
      ready = Math.min(ready, waiting.readyNanos(waiting.bulk().peek(), nowNanos));
    }
    return ready;
  }

  @Override
  public int packets() {
    return packets;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  /** A host's own queue marks nothing. */
  @Override
  public long marked() {
    return 0;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
