// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.Fifo;

/** One class of a {@link ClassQueue}: its limit and its leaves. */
final class NicClass {
  private final ClassQueueParameters parameters;
  private final EndpointCeiling ceiling;
  private final Fifo sparse = new Fifo();
  private final Fifo bulk = new Fifo();
  private final TokenBucket bucket;
  private boolean limiting;
  private long leafBytes;
  private long dropped;

  /** What it may still send in its turn, bytes. */
  int deficitBytes;

  /**
   * @param ceiling of its endpoint; null for the open class
   */
  NicClass(ClassQueueParameters parameters, EndpointCeiling ceiling) {
    this.parameters = parameters;
    this.ceiling = ceiling;
    long nic = parameters.nicBitsPerSecond();
    this.bucket = new TokenBucket(nic, parameters.depthBytes(nic));
    this.leafBytes = parameters.leafBytes(nic);
  }

  EndpointCeiling ceiling() {
    return ceiling;
  }

  Fifo sparse() {
    return sparse;
  }

  Fifo bulk() {
    return bulk;
  }

  long dropped() {
    return dropped;
  }

  void setLimit(long bitsPerSecond, long nowNanos) {
    limiting = bitsPerSecond < parameters.nicBitsPerSecond();
    bucket.change(bitsPerSecond, parameters.depthBytes(bitsPerSecond), nowNanos);
    leafBytes = parameters.leafBytes(bitsPerSecond);
  }

  /** False: the leaf is full or, where packets are policed, the bucket empty. */
  boolean enqueue(Packet packet, boolean isSparse, long nowNanos) {
    Fifo leaf = isSparse ? sparse : bulk;
    int frame = frameBytes(packet);
    boolean full = leaf.bytes() + packet.ipBytes > leafBytes;
    boolean police = parameters.enforcement() == Enforcement.POLICE;
    if (full || police && !(holds(limit(), frame, nowNanos) && holds(outer(), frame, nowNanos))) {
      dropped++;
      return false;
    }
    if (police) {
      charge(frame);
    }
    leaf.add(packet);
    return true;
  }

  private static boolean holds(TokenBucket limit, int bytes, long nowNanos) {
    return limit == null || limit.holds(bytes, nowNanos);
  }

  /** Whether the first packet of a leaf, which must have one, may leave. */
  boolean maySend(Fifo leaf, long nowNanos) {
    switch (parameters.enforcement()) {
      case POLICE:
        return true;
      case HOLD:
        int bytes = frameBytes(leaf.peek());
        return holds(limit(), bytes, nowNanos) && holds(outer(), bytes, nowNanos);
      default:
        return isSettled(limit(), nowNanos) && isSettled(outer(), nowNanos);
    }
  }

  private static boolean isSettled(TokenBucket limit, long nowNanos) {
    return limit == null || limit.isSettled(nowNanos);
  }

  /** When the first packet of a leaf, which must have one, may leave. */
  long readyNanos(Fifo leaf, long nowNanos) {
    int needed = parameters.enforcement() == Enforcement.HOLD ? frameBytes(leaf.peek()) : 0;
    return Math.max(ready(limit(), needed, nowNanos), ready(outer(), needed, nowNanos));
  }

  private static long ready(TokenBucket limit, int bytes, long nowNanos) {
    return limit == null ? nowNanos : limit.readyNanos(bytes, nowNanos);
  }

  /** Takes the first packet of a leaf, which must have one. */
  Packet send(Fifo leaf) {
    Packet packet = leaf.poll();
    if (parameters.enforcement() != Enforcement.POLICE) {
      charge(frameBytes(packet));
    }
    return packet;
  }

  private void charge(int bytes) {
    if (limit() != null) {
      limit().charge(bytes);
    }
    if (outer() != null) {
      outer().charge(bytes);
    }
  }

  private TokenBucket limit() {
    return limiting ? bucket : null;
  }

  private TokenBucket outer() {
    return ceiling == null ? null : ceiling.bucket();
  }

  private int frameBytes(Packet packet) {
    return packet.ipBytes + parameters.overheadBytes();
  }
}
