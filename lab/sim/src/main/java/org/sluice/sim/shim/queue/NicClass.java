// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.FairQueue;
import org.sluice.sim.queue.Fifo;

/** One class of a {@link ClassQueue}: its limit and its leaves. */
final class NicClass {
  /** As many queues for flows as the agent's leaves have. */
  private static final int QUEUE_BITS = 7;

  private final ClassQueueParameters parameters;
  private final EndpointCeiling ceiling;
  private final Fifo sparse = new Fifo();
  private final FairQueue bulk;
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
    this.bulk = new FairQueue(QUEUE_BITS, parameters.frameBytes());
  }

  EndpointCeiling ceiling() {
    return ceiling;
  }

  Fifo sparse() {
    return sparse;
  }

  FairQueue bulk() {
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
    int frame = frameBytes(packet);
    boolean full =
        isSparse
            ? sparse.bytes() + packet.ipBytes > leafBytes
            : bulk.bytes() + packet.ipBytes > leafBytes && bulk.exceedsPart(packet, leafBytes);
    boolean police = parameters.enforcement() == Enforcement.POLICE;
    if (full || police && !(holds(limit(), frame, nowNanos) && holds(outer(), frame, nowNanos))) {
      dropped++;
      return false;
    }
    if (police) {
      charge(frame);
    }
    if (isSparse) {
      sparse.add(packet);
    } else {
      bulk.add(packet);
    }
    return true;
  }

  private static boolean holds(TokenBucket limit, int bytes, long nowNanos) {
    return limit == null || limit.holds(bytes, nowNanos);
  }

  /** Whether a leaf's next packet may leave. */
  boolean maySend(Packet first, long nowNanos) {
    switch (parameters.enforcement()) {
      case POLICE:
        return true;
      case HOLD:
        int bytes = frameBytes(first);
        return holds(limit(), bytes, nowNanos) && holds(outer(), bytes, nowNanos);
      default:
        return isSettled(limit(), nowNanos) && isSettled(outer(), nowNanos);
    }
  }

  private static boolean isSettled(TokenBucket limit, long nowNanos) {
    return limit == null || limit.isSettled(nowNanos);
  }

  /** When a leaf's next packet may leave. */
  long readyNanos(Packet first, long nowNanos) {
    int needed = parameters.enforcement() == Enforcement.HOLD ? frameBytes(first) : 0;
    return Math.max(ready(limit(), needed, nowNanos), ready(outer(), needed, nowNanos));
  }

  private static long ready(TokenBucket limit, int bytes, long nowNanos) {
    return limit == null ? nowNanos : limit.readyNanos(bytes, nowNanos);
  }

  /** Counts a packet that leaves. */
  Packet send(Packet packet) {
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
