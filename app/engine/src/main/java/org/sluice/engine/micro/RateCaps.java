// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;
import org.sluice.api.PortId;

/**
 * Feeders, that is, the background queues of upstream ports, one for each downstream port, and
 * their caps: each holds for a time, and is restored then.
 */
final class RateCaps {
  /** A feeder without a cap. */
  private static final long NEVER = Long.MAX_VALUE;

  private final CapSink sink;
  private int count;
  private PortId[] upstream = new PortId[16];
  private PortId[] downstream = new PortId[16];
  private int[] capacityPackets = new int[16];
  private int[] queuePackets = new int[16];
  private long[] untilNanos = new long[16];

  /** Of all caps the first that ends, or earlier. */
  private long nextNanos = NEVER;

  RateCaps(CapSink sink) {
    this.sink = sink;
  }

  /** A new feeder's number: each gets the next. */
  int add(PortId from, PortId to, int capacity) {
    if (count == upstream.length) {
      upstream = Arrays.copyOf(upstream, 2 * count);
      downstream = Arrays.copyOf(downstream, 2 * count);
      capacityPackets = Arrays.copyOf(capacityPackets, 2 * count);
      queuePackets = Arrays.copyOf(queuePackets, 2 * count);
      untilNanos = Arrays.copyOf(untilNanos, 2 * count);
    }
    upstream[count] = from;
    downstream[count] = to;
    capacityPackets[count] = capacity;
    untilNanos[count] = NEVER;
    return count++;
  }

  void observe(int feeder, int packets) {
    queuePackets[feeder] = packets;
  }

  /** ql of a feeder's background queue as last observed. */
  int queuePackets(int feeder) {
    return queuePackets[feeder];
  }

  /** qc of a feeder's background queue. */
  int capacityPackets(int feeder) {
    return capacityPackets[feeder];
  }

  boolean isCapped(int feeder) {
    return untilNanos[feeder] != NEVER;
  }

  void cap(int feeder, long bitsPerSecond, long until) {
    untilNanos[feeder] = until;
    nextNanos = Math.min(nextNanos, until);
    sink.cap(upstream[feeder], downstream[feeder], bitsPerSecond, until);
  }

  /** Restores those whose time is over. */
  void expire(long nowNanos) {
    if (nowNanos < nextNanos) {
      return;
    }
    nextNanos = NEVER;
    for (int i = 0; i < count; i++) {
      if (untilNanos[i] <= nowNanos) {
        untilNanos[i] = NEVER;
        sink.restored(upstream[i], downstream[i]);
      }
      nextNanos = Math.min(nextNanos, untilNanos[i]);
    }
  }
}
