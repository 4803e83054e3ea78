// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;
import org.sluice.api.PortId;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.law.CapFloor;

/**
 * Feeders, that is, the background queues of upstream ports, one for each downstream port, and
 * their caps: each holds for a time, and is restored then.
 */
final class RateCaps {
  /** A feeder without a cap. */
  private static final long NEVER = Long.MAX_VALUE;

  private final CapSink sink;
  private final Slots slots = new Slots();
  private final CapDraft draft = new CapDraft();
  private PortId[] upstream = new PortId[16];
  private PortId[] downstream = new PortId[16];
  private int[] capacityPackets = new int[16];
  private int[] queuePackets = new int[16];
  private long[] floorBitsPerSecond = new long[16];
  private long[] untilNanos = new long[16];

  /** Of all caps the first that ends, or earlier. */
  private long nextNanos = NEVER;

  RateCaps(CapSink sink) {
    this.sink = sink;
  }

  /** A new feeder's number. */
  int add(PortId from, PortId to, int capacity) {
    int feeder = slots.take();
    if (feeder == upstream.length) {
      upstream = Arrays.copyOf(upstream, 2 * feeder);
      downstream = Arrays.copyOf(downstream, 2 * feeder);
      capacityPackets = Arrays.copyOf(capacityPackets, 2 * feeder);
      queuePackets = Arrays.copyOf(queuePackets, 2 * feeder);
      floorBitsPerSecond = Arrays.copyOf(floorBitsPerSecond, 2 * feeder);
      untilNanos = Arrays.copyOf(untilNanos, 2 * feeder);
    }
    upstream[feeder] = from;
    downstream[feeder] = to;
    capacityPackets[feeder] = capacity;
    queuePackets[feeder] = 0;
    floorBitsPerSecond[feeder] = 0;
    untilNanos[feeder] = NEVER;
    return feeder;
  }

  /** Restores and forgets a feeder; its number goes to another. */
  void remove(int feeder) {
    if (isCapped(feeder)) {
      restore(feeder);
    }
    slots.giveBack(feeder);
  }

  private void restore(int feeder) {
    untilNanos[feeder] = NEVER;
    sink.restored(upstream[feeder], downstream[feeder]);
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

  void setFloor(int feeder, long bitsPerSecond) {
    floorBitsPerSecond[feeder] = bitsPerSecond;
  }

  boolean isCapped(int feeder) {
    return untilNanos[feeder] != NEVER;
  }

  /** What is handed over by {@link #cap}: on what it is decided is to be filled in before. */
  CapDraft draft() {
    return draft;
  }

  /**
   * Caps a feeder.
   *
   * @param bitsPerSecond TR
   * @param bandwidth BW of the downstream port, bit/s
   */
  void cap(int feeder, long bitsPerSecond, long bandwidth, long until) {
    untilNanos[feeder] = until;
    nextNanos = Math.min(nextNanos, until);
    draft.upstream = upstream[feeder];
    draft.downstream = downstream[feeder];
    draft.floorBitsPerSecond = floorBitsPerSecond[feeder];
    draft.bitsPerSecond =
        CapFloor.capBitsPerSecond(bitsPerSecond, floorBitsPerSecond[feeder], bandwidth);
    draft.untilNanos = until;
    sink.cap(draft);
  }

  /** Restores all. */
  void restoreAll() {
    expire(NEVER - 1);
  }

  /** Restores those whose time is over. */
  void expire(long nowNanos) {
    if (nowNanos < nextNanos) {
      return;
    }
    nextNanos = NEVER;
    for (int i = 0; i < slots.limit(); i++) {
      if (untilNanos[i] <= nowNanos) {
        restore(i);
      }
      nextNanos = Math.min(nextNanos, untilNanos[i]);
    }
  }
}
